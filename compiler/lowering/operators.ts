// Operators with the exact meaning of reference 03 sections 2 to 9, 17 and 18.
import type { BinaryOperation, Type, TypedExpr } from "../semantics/index.ts";
import { type PlainOpcode, ValueType } from "../wasm/index.ts";
import { pushExpr } from "./expressions.ts";
import { resultArea } from "./failures.ts";
import { FunctionContext } from "./function-context.ts";
import type { Hold } from "./holds.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { pushBorrowed } from "./operands.ts";
import type { ProgramContext } from "./program-context.ts";
import { pushText } from "./text.ts";
import { localAt, popToTemps, pushStored } from "./values.ts";

type Expr<Kind extends TypedExpr["kind"]> = TypedExpr & { readonly kind: Kind };

/** How a type's values are calculated with and compared. */
type Arithmetic = "int" | "float" | "bool" | "decimal" | "text" | "enum";

export function pushUnary(fn: FunctionContext, expr: Expr<"negate" | "not" | "complement">): Hold {
  const { code } = fn;
  switch (expr.kind) {
    case "not":
      pushExpr(fn, expr.operand, "any");
      code.op("i32.eqz");
      return "plain";
    case "complement":
      pushExpr(fn, expr.operand, "any");
      code.i64(-1n);
      code.op("i64.xor");
      return "plain";
    case "negate":
      return pushNegated(fn, expr.operand);
    default:
      return expr.kind satisfies never;
  }
}

function pushNegated(fn: FunctionContext, operand: TypedExpr): Hold {
  const { code } = fn;
  switch (arithmeticOf(operand.type)) {
    case "float":
      pushExpr(fn, operand, "any");
      code.op("f64.neg");
      return "plain";
    case "decimal":
      code.i64(0n);
      code.i64(0n);
      pushExpr(fn, operand, "any");
      subtractDecimals(fn);
      return "plain";
    default:
      code.i64(0n);
      pushExpr(fn, operand, "any");
      code.op("i64.sub");
      return "plain";
  }
}

export function pushBinary(fn: FunctionContext, expr: Expr<"binary">): Hold {
  if (expr.operation === "concat") return pushText(fn, expr);
  // What is computed from a computed number: up to a thousand such operators lean to the left, and take no depth of calls here.
  const later: Expr<"binary">[] = [];
  let first = expr;
  while (first.left.kind === "binary" && first.left.operation !== "concat") {
    later.push(first);
    first = first.left;
  }
  pushFirst(fn, first);
  for (const next of later.reverse()) {
    pushExpr(fn, next.right, "any");
    operate(fn, next);
  }
  return "plain";
}

function pushFirst(fn: FunctionContext, expr: Expr<"binary">): void {
  const { left, right } = expr;
  if (left.kind === "float" && right.kind === "float" && expr.operation === "divide") {
    // At compile time a quotient that is no number has no sign; the machine's would (03 19.2.4).
    fn.code.f64(left.value / right.value);
    return;
  }
  const borrowed = pushBorrowed(fn, [left, right], false);
  operate(fn, expr);
  borrowed.release();
}

/** Applies the operation of `expr` to its operands on the stack. */
function operate(fn: FunctionContext, expr: Expr<"binary">): void {
  const { operation, left, right } = expr;
  fn.at(expr.span);
  if (isConstantDivision(operation, left.type, right)) fn.code.op(operation === "divide" ? "i64.div_s" : "i64.rem_s");
  else applyBinary(fn, operation, left.type, right.type);
}

/** A division by a constant that cannot fault. */
export function isConstantDivision(operation: BinaryOperation, left: Type, right: TypedExpr): boolean {
  if ((operation !== "divide" && operation !== "remainder") || arithmeticOf(left) !== "int") return false;
  const divisor = right.kind === "int" ? right.value : right.kind === "duration" ? right.nanoseconds : 0n;
  return divisor !== 0n && divisor !== -1n;
}

/** Applies an operation to the two operands on the stack; references among them stay borrowed. */
export function applyBinary(fn: FunctionContext, operation: BinaryOperation, left: Type, right: Type): void {
  switch (arithmeticOf(left)) {
    case "int":
      applyInt(fn, operation);
      return;
    case "float":
      applyFloat(fn, operation);
      return;
    case "bool":
      fn.code.op(operation === "equal" ? "i32.eq" : "i32.ne");
      return;
    case "decimal":
      applyDecimal(fn, operation);
      return;
    case "text":
      applyText(fn, operation, left, right);
      return;
    case "enum":
      applyEnum(fn, operation, left);
      return;
  }
}

function arithmeticOf(type: Type): Arithmetic {
  if (type.kind === "scalar") return arithmeticOf(type.base);
  if (type.kind === "enum") return "enum";
  if (type.kind !== "primitive") throw new Error(`no operators on ${type.kind}`);
  switch (type.name) {
    case "Int":
    case "Duration":
    case "Time":
      return "int";
    case "Float":
      return "float";
    case "Bool":
      return "bool";
    case "Decimal":
      return "decimal";
    case "String":
    case "StringView":
      return "text";
    default:
      throw new Error(`no operators on ${type.name}`);
  }
}

const intOpcodes: Readonly<Partial<Record<BinaryOperation, PlainOpcode>>> = {
  add: "i64.add",
  subtract: "i64.sub",
  multiply: "i64.mul",
  "bit-and": "i64.and",
  "bit-or": "i64.or",
  "bit-xor": "i64.xor",
  "shift-left": "i64.shl",
  "shift-right": "i64.shr_u",
  equal: "i64.eq",
  "not-equal": "i64.ne",
  less: "i64.lt_s",
  "less-equal": "i64.le_s",
  greater: "i64.gt_s",
  "greater-equal": "i64.ge_s",
};

function applyInt(fn: FunctionContext, operation: BinaryOperation): void {
  if (operation === "divide" || operation === "remainder") {
    divideInts(fn, operation);
    return;
  }
  const opcode = intOpcodes[operation];
  if (!opcode) throw new Error(`no ${operation} on Int`);
  fn.code.op(opcode);
}

/** Division faults on 0, and on the least Int by -1 (03 2.3). Both are the rare case `divisor + 1 <= 1` (unsigned). */
function divideInts(fn: FunctionContext, operation: "divide" | "remainder"): void {
  const { code } = fn;
  const divisor = fn.temp(ValueType.i64);
  const dividend = fn.temp(ValueType.i64);
  code.set(divisor);
  code.set(dividend);
  code.get(divisor);
  code.i64(1n);
  code.op("i64.add");
  code.i64(2n);
  code.op("i64.lt_u");
  code.if();
  code.get(dividend);
  code.get(divisor);
  code.call(divisionCheck(fn.program));
  code.end();
  code.get(dividend);
  code.get(divisor);
  code.op(operation === "divide" ? "i64.div_s" : "i64.rem_s");
  fn.freeTemp(divisor);
  fn.freeTemp(dividend);
}

/** `(dividend, divisor) -> ()` for a divisor of 0 or -1: faults where the division would. */
function divisionCheck(program: ProgramContext): number {
  return program.helper("division", undefined, () =>
    program.addFunction("check division", [ValueType.i64, ValueType.i64], [], (added) => {
      const fn = new FunctionContext(program, undefined, [ValueType.i64, ValueType.i64]);
      const { code } = fn;
      code.get(1);
      code.op("i64.eqz");
      code.if();
      code.call(program.runtimeFunction("panic_division"));
      code.end();
      code.get(0);
      code.i64(-0x8000000000000000n);
      code.op("i64.eq");
      code.if();
      code.call(program.runtimeFunction("panic_overflow"));
      code.end();
      added.finished = code.finish();
    }),
  ).index;
}

const floatOpcodes: Readonly<Partial<Record<BinaryOperation, PlainOpcode>>> = {
  add: "f64.add",
  subtract: "f64.sub",
  multiply: "f64.mul",
  equal: "f64.eq",
  less: "f64.lt",
  "less-equal": "f64.le",
  greater: "f64.gt",
  "greater-equal": "f64.ge",
};

function applyFloat(fn: FunctionContext, operation: BinaryOperation): void {
  const { code } = fn;
  if (operation === "divide") {
    divideFloats(fn);
    return;
  }
  if (operation !== "not-equal") {
    const opcode = floatOpcodes[operation];
    if (!opcode) throw new Error(`no ${operation} on Float`);
    code.op(opcode);
    return;
  }
  // Ordered: false when either side is a NaN (03 3.2).
  const left = fn.temp(ValueType.f64);
  const right = fn.temp(ValueType.f64);
  code.set(right);
  code.tee(left);
  code.get(right);
  code.op("f64.lt");
  code.get(left);
  code.get(right);
  code.op("f64.gt");
  code.op("i32.or");
  fn.freeTemp(left);
  fn.freeTemp(right);
}

/** `0.0 / 0.0` prints `nan` (03 19.2.4): the NaN that a division makes has no sign, whatever the machine gives it. */
function divideFloats(fn: FunctionContext): void {
  const { code } = fn;
  const [left, right, quotient] = [fn.temp(ValueType.f64), fn.temp(ValueType.f64), fn.temp(ValueType.f64)];
  code.set(right);
  code.tee(left);
  code.get(right);
  code.op("f64.div");
  code.tee(quotient);
  code.get(quotient);
  code.op("f64.ne");
  code.if();
  code.get(left);
  code.get(right);
  code.call(quotientOfNothing(fn.program));
  code.set(quotient);
  code.end();
  code.get(quotient);
  for (const temp of [left, right, quotient]) fn.freeTemp(temp);
}

/** `(dividend, divisor) -> quotient` where the quotient is a NaN: an operand that is one, else a fresh one. */
function quotientOfNothing(program: ProgramContext): number {
  return program.helper("quotient", undefined, () =>
    program.addFunction("NaN quotient", [ValueType.f64, ValueType.f64], [ValueType.f64], (added) => {
      const { code } = new FunctionContext(program, undefined, [ValueType.f64, ValueType.f64]);
      for (const operand of [0, 1]) {
        code.get(operand);
        code.get(operand);
        code.op("f64.ne");
        code.if();
        code.get(operand);
        code.return();
        code.end();
      }
      code.i64(0x7ff8000000000000n);
      code.op("f64.reinterpret_i64");
      added.finished = code.finish();
    }),
  ).index;
}

function applyDecimal(fn: FunctionContext, operation: BinaryOperation): void {
  switch (operation) {
    case "add":
      addDecimals(fn);
      return;
    case "subtract":
      subtractDecimals(fn);
      return;
    case "multiply":
    case "divide":
    case "remainder":
      callDecimal(fn, `decimal_${operation}`);
      return;
    default:
      compareDecimals(fn, operation);
      return;
  }
}

/** A runtime function on two Decimals that leaves its result in the result area. */
function callDecimal(fn: FunctionContext, name: string): void {
  fn.code.call(fn.program.runtimeFunction(name));
  const area = resultArea(fn);
  fn.code.get(area.base);
  fn.code.load(ValueType.i64, 0);
  fn.code.get(area.base);
  fn.code.load(ValueType.i64, 8);
  fn.freeTemp(area.base);
}

/** 128-bit addition; the carry is `sum < addend` (unsigned). */
function addDecimals(fn: FunctionContext): void {
  const { code } = fn;
  const [low, high, otherLow, otherHigh] = popDecimals(fn);
  code.get(low);
  code.get(otherLow);
  code.op("i64.add");
  code.tee(low);
  code.get(high);
  code.get(otherHigh);
  code.op("i64.add");
  code.get(low);
  code.get(otherLow);
  code.op("i64.lt_u");
  code.op("i64.extend_i32_u");
  code.op("i64.add");
  for (const temp of [low, high, otherLow, otherHigh]) fn.freeTemp(temp);
}

/** 128-bit subtraction; the borrow is `minuend < subtrahend` (unsigned). */
function subtractDecimals(fn: FunctionContext): void {
  const { code } = fn;
  const [low, high, otherLow, otherHigh] = popDecimals(fn);
  code.get(low);
  code.get(otherLow);
  code.op("i64.sub");
  code.get(high);
  code.get(otherHigh);
  code.op("i64.sub");
  code.get(low);
  code.get(otherLow);
  code.op("i64.lt_u");
  code.op("i64.extend_i32_u");
  code.op("i64.sub");
  for (const temp of [low, high, otherLow, otherHigh]) fn.freeTemp(temp);
}

function compareDecimals(fn: FunctionContext, operation: BinaryOperation): void {
  const { code } = fn;
  const [low, high, otherLow, otherHigh] = popDecimals(fn);
  if (operation === "equal" || operation === "not-equal") {
    code.get(low);
    code.get(otherLow);
    code.op("i64.xor");
    code.get(high);
    code.get(otherHigh);
    code.op("i64.xor");
    code.op("i64.or");
    code.op("i64.eqz");
    if (operation === "not-equal") code.op("i32.eqz");
  } else {
    const swapped = operation === "greater" || operation === "less-equal";
    lessThan(fn, swapped ? [otherLow, otherHigh, low, high] : [low, high, otherLow, otherHigh]);
    if (operation === "less-equal" || operation === "greater-equal") code.op("i32.eqz");
  }
  for (const temp of [low, high, otherLow, otherHigh]) fn.freeTemp(temp);
}

/** Whether the first of two Decimals in locals is less: by the high halves, and when they are equal by the low ones (unsigned). */
function lessThan(
  fn: FunctionContext,
  [low, high, otherLow, otherHigh]: readonly [number, number, number, number],
): void {
  const { code } = fn;
  code.get(low);
  code.get(otherLow);
  code.op("i64.lt_u");
  code.get(high);
  code.get(otherHigh);
  code.op("i64.lt_s");
  code.get(high);
  code.get(otherHigh);
  code.op("i64.eq");
  code.op("select");
}

function popDecimals(fn: FunctionContext): readonly [number, number, number, number] {
  const i64 = ValueType.i64;
  const locals = [fn.temp(i64), fn.temp(i64), fn.temp(i64), fn.temp(i64)] as const;
  for (const local of [locals[3], locals[2], locals[1], locals[0]]) fn.code.set(local);
  return locals;
}

const orderOpcodes: Readonly<Partial<Record<BinaryOperation, PlainOpcode>>> = {
  less: "i32.lt_s",
  "less-equal": "i32.le_s",
  greater: "i32.gt_s",
  "greater-equal": "i32.ge_s",
};

function applyText(fn: FunctionContext, operation: BinaryOperation, left: Type, right: Type): void {
  const { code, program } = fn;
  if (isView(left) || isView(right)) {
    applyToViews(fn, operation, left, right);
    return;
  }
  if (operation === "equal" || operation === "not-equal") {
    code.call(program.runtimeFunction("string_equal"));
    if (operation === "not-equal") code.op("i32.eqz");
    return;
  }
  const opcode = orderOpcodes[operation];
  if (!opcode) throw new Error(`no ${operation} on String`);
  code.call(program.runtimeFunction("string_compare"));
  code.i32(0);
  code.op(opcode);
}

function isView(type: Type): boolean {
  return type.kind === "primitive" && type.name === "StringView";
}

/** Views are read as Strings for the time of the comparison. */
function applyToViews(fn: FunctionContext, operation: BinaryOperation, left: Type, right: Type): void {
  const { code, program } = fn;
  const locals = [fn.temp(ValueType.i32), fn.temp(ValueType.i32)] as const;
  code.set(locals[1]);
  code.set(locals[0]);
  for (const [position, type] of [left, right].entries()) {
    const local = position === 0 ? locals[0] : locals[1];
    code.get(local);
    code.call(program.runtimeFunction(isView(type) ? "view_string" : "retain"));
    if (isView(type)) code.set(local);
  }
  code.get(locals[0]);
  code.get(locals[1]);
  const text: Type = { kind: "primitive", name: "String" };
  applyText(fn, operation, text, text);
  for (const local of locals) {
    code.get(local);
    code.call(program.runtimeFunction("release"));
    fn.freeTemp(local);
  }
}

/** Enums are equal when variant and payload are (03 12.3.5): slots that a variant does not use are zero, so all leaves are compared. */
function applyEnum(fn: FunctionContext, operation: BinaryOperation, type: Type): void {
  const { code } = fn;
  const layout = layoutOf(type);
  const right = popToTemps(fn, layout);
  const left = popToTemps(fn, layout);
  if (layout.box) equalBoxes(fn, layout.box, localAt(left, 0), localAt(right, 0));
  else
    equalLeaves(
      fn,
      layout,
      (position) => code.get(localAt(left, position)),
      (position) => code.get(localAt(right, position)),
    );
  if (operation === "not-equal") code.op("i32.eqz");
  fn.freeTemps(left);
  fn.freeTemps(right);
}

function equalBoxes(fn: FunctionContext, content: Layout, left: number, right: number): void {
  const push = (base: number) => (position: number) =>
    pushStored(
      fn,
      { kind: "memory", base, offset: content.offsets[position] ?? 0 },
      single(content, position),
      "any",
      false,
    );
  equalLeaves(fn, content, push(left), push(right));
}

function single(content: Layout, position: number): Layout {
  return { ...content, leaves: content.leaves.slice(position, position + 1), offsets: [0] };
}

function equalLeaves(
  fn: FunctionContext,
  layout: Layout,
  pushLeft: (position: number) => void,
  pushRight: (position: number) => void,
): void {
  for (const [position, leaf] of layout.leaves.entries()) {
    pushLeft(position);
    pushRight(position);
    if (leaf.reference) fn.code.call(fn.program.runtimeFunction("string_equal"));
    else fn.code.op(leaf.wasm === ValueType.i32 ? "i32.eq" : leaf.wasm === ValueType.i64 ? "i64.eq" : "f64.eq");
    if (position > 0) fn.code.op("i32.and");
  }
}
