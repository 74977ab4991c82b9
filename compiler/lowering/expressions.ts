// Expressions: each pushes its leaves and says how they are held.
import type { Type, TypedBlock, TypedExpr } from "../semantics/index.ts";
import { type BlockType, ValueType } from "../wasm/index.ts";
import { pushArray, pushEmptyBounded, pushRepeat } from "./arrays.ts";
import { pushBuiltin } from "./builtins.ts";
import { pushCall } from "./calls.ts";
import { pushChain } from "./chains.ts";
import { pushRecord, pushTuple, pushVariant } from "./composites.ts";
import { pushOr } from "./failures.ts";
import type { FunctionContext } from "./function-context.ts";
import type { Hold, Want } from "./holds.ts";
import { layoutOf } from "./layout.ts";
import { matchEffect, pushMatch } from "./match.ts";
import { pushBorrowed } from "./operands.ts";
import { pushBinary, pushUnary } from "./operators.ts";
import { pushPlace } from "./places.ts";
import { lowerBlock } from "./statements.ts";
import { printTexts, pushText } from "./text.ts";
import { dropPushed, ownPushed } from "./values.ts";

/** Pushes the value of an expression. With `own`, the references pushed belong to the taker. */
export function pushExpr(fn: FunctionContext, expr: TypedExpr, want: Want): Hold {
  if (expr.type.kind === "primitive" && (expr.type.name === "()" || expr.type.name === "never")) {
    evaluate(fn, expr);
    if (expr.type.name === "never") fn.code.unreachable();
    return "plain";
  }
  const hold = pushValue(fn, expr, want);
  if (want !== "own" || hold === "owned" || hold === "plain") return hold;
  ownPushed(fn, expr.type, hold);
  return "owned";
}

/** Evaluates an expression for what it does; its value is dropped. */
export function evaluate(fn: FunctionContext, expr: TypedExpr): void {
  switch (expr.kind) {
    case "unit":
      return;
    case "if":
      ifEffect(fn, expr);
      return;
    case "match":
      matchEffect(fn, expr);
      return;
    case "block":
      blockEffect(fn, expr.block);
      return;
    case "or":
      pushOr(fn, expr, "drop");
      return;
    default:
      dropPushed(fn, expr.type, pushValue(fn, expr, "any"));
  }
}

function pushValue(fn: FunctionContext, expr: TypedExpr, want: Want): Hold {
  const { code } = fn;
  switch (expr.kind) {
    case "int":
      code.i64(expr.value);
      return "plain";
    case "duration":
    case "time":
      code.i64(expr.nanoseconds);
      return "plain";
    case "float":
      code.f64(expr.value);
      return "plain";
    case "bool":
      code.i32(expr.value ? 1 : 0);
      return "plain";
    case "decimal":
      code.i64(expr.units);
      code.i64(expr.units >> 64n);
      return "plain";
    case "string":
    case "bytes":
      code.i32(fn.program.data.text(expr.value));
      // Static cells are not counted: a literal may be owned by anybody.
      return want === "own" ? "owned" : "stable";
    case "unit":
      return "plain";
    case "self":
      code.get(fn.self);
      return "stable";
    case "local":
    case "field":
    case "element":
    case "index":
      return pushPlace(fn, expr, want);
    case "const":
      return pushConst(fn, expr, want);
    case "function":
      code.i32(fn.program.valueOf(expr.function));
      return "plain";
    case "slice":
      return pushSlice(fn, expr);
    case "draining":
      return fn.program.loci.pushDraining(fn, expr);
    case "children":
      return fn.program.loci.pushChildren(fn, expr);
    case "record":
      return pushRecord(fn, expr);
    case "variant":
      return pushVariant(fn, expr);
    case "tuple":
      return pushTuple(fn, expr);
    case "array":
      return pushArray(fn, expr);
    case "repeat":
      return pushRepeat(fn, expr);
    case "locus":
      return fn.program.loci.pushLiteral(fn, expr);
    case "negate":
    case "not":
    case "complement":
      return pushUnary(fn, expr);
    case "binary":
      return pushBinary(fn, expr);
    case "and":
      return pushAnd(fn, expr.left, expr.right);
    case "or-else":
      return pushOrElse(fn, expr.left, expr.right);
    case "convert":
      return pushConversion(fn, expr, want);
    case "to-text":
    case "concat":
      return pushText(fn, expr);
    case "print":
      printTexts(fn, expr);
      return "plain";
    case "if":
      return pushIf(fn, expr);
    case "match":
      return pushMatch(fn, expr);
    case "block":
      return fn.scope(() => pushBlock(fn, expr.block, expr.type));
    case "call":
      return pushCall(fn, expr, undefined);
    case "or":
      return pushOr(fn, expr, "push");
    case "builtin":
      return pushBuiltin(fn, expr, undefined);
    case "accumulator":
      return fn.program.loci.pushAccumulator(fn, expr);
    case "empty-bounded":
      return pushEmptyBounded(fn, expr.type);
    case "chain":
      return pushChain(fn, expr, undefined);
    default:
      return expr satisfies never;
  }
}

type Expr<Kind extends TypedExpr["kind"]> = TypedExpr & { readonly kind: Kind };

/** A constant's initialiser runs at each read (04 3.2); a plain literal needs no call. */
function pushConst(fn: FunctionContext, expr: Expr<"const">, want: Want): Hold {
  const { body } = expr.function;
  const literal = body && body.statements.length === 0 ? body.tail : undefined;
  switch (literal?.kind) {
    case "int":
    case "float":
    case "bool":
    case "decimal":
    case "duration":
    case "time":
    case "string":
    case "bytes":
      return pushExpr(fn, literal, want);
    default:
      fn.at(expr.span);
      fn.code.call(fn.program.functionIndex(expr.function));
      return layoutOf(expr.type).counted ? "owned" : "plain";
  }
}

function pushSlice(fn: FunctionContext, expr: Expr<"slice">): Hold {
  const borrowed = pushBorrowed(fn, [expr.receiver, expr.low, expr.high], false);
  if (expr.inclusive) {
    // The greatest Int stays: a slice up to and including it is one up to it.
    const high = fn.temp(ValueType.i64);
    fn.code.tee(high);
    fn.code.get(high);
    fn.code.i64(0x7fffffffffffffffn);
    fn.code.op("i64.ne");
    fn.code.op("i64.extend_i32_u");
    fn.code.op("i64.add");
    fn.freeTemp(high);
  }
  fn.at(expr.span);
  fn.code.call(fn.program.runtimeFunction("string_slice"));
  borrowed.release();
  return "owned";
}

function pushAnd(fn: FunctionContext, left: TypedExpr, right: TypedExpr): Hold {
  pushExpr(fn, left, "any");
  fn.code.if(ValueType.i32);
  pushExpr(fn, right, "any");
  fn.code.else();
  fn.code.i32(0);
  fn.code.end();
  return "plain";
}

function pushOrElse(fn: FunctionContext, left: TypedExpr, right: TypedExpr): Hold {
  pushExpr(fn, left, "any");
  fn.code.if(ValueType.i32);
  fn.code.i32(1);
  fn.code.else();
  pushExpr(fn, right, "any");
  fn.code.end();
  return "plain";
}

function pushConversion(fn: FunctionContext, expr: Expr<"convert">, want: Want): Hold {
  const { code } = fn;
  switch (expr.conversion) {
    case "int-to-float":
      pushExpr(fn, expr.operand, "any");
      code.op("f64.convert_i64_s");
      return "plain";
    case "float-to-int":
      pushExpr(fn, expr.operand, "any");
      code.op("i64.trunc_sat_f64_s");
      return "plain";
    case "locus-to-interface": {
      const hold = pushExpr(fn, expr.operand, want);
      const { type } = expr.operand;
      if (expr.type.kind === "interface" && type.kind === "locus") code.i32(fn.program.dispatchTable(expr.type, type));
      return hold;
    }
    case "view":
      return pushViewConversion(fn, expr);
    case "scalar":
      return pushExpr(fn, expr.operand, want);
    default:
      return expr.conversion satisfies never;
  }
}

/** Between a view and the text that it shows: read as a whole, or, for a literal default, a view of no builder (03 21.4). */
function pushViewConversion(fn: FunctionContext, expr: Expr<"convert">): Hold {
  const { code, program } = fn;
  const name = expr.type.kind === "primitive" ? expr.type.name : "";
  const borrowed = pushBorrowed(fn, [expr.operand], false);
  fn.at(expr.span);
  if (name === "StringView" || name === "BytesView") {
    code.i32(name === "StringView" ? 1 : 0);
    code.call(program.runtimeFunction("view_of"));
  } else code.call(program.runtimeFunction(readerOfView(expr.operand.type, name)));
  borrowed.release();
  return "owned";
}

function readerOfView(view: Type, text: string): string {
  if (view.kind === "primitive" && view.name === "BytesMut") return "window_bytes";
  return text === "Bytes" ? "view_bytes" : "view_string";
}

function pushIf(fn: FunctionContext, expr: Expr<"if">): Hold {
  if (!expr.otherwise) throw new Error("an if without else has no value");
  const { type } = expr;
  const goesOn = (nested: TypedExpr) => nested.type === type;
  lowerIf(fn, expr, fn.program.blockType(type), goesOn, (block) => pushBlock(fn, block, type));
  return layoutOf(type).counted ? "owned" : "plain";
}

function ifEffect(fn: FunctionContext, expr: Expr<"if">): void {
  const always = () => true;
  lowerIf(fn, expr, "none", always, (block) => evaluateBlock(fn, block));
}

/**
 * Writes the branches by `branch`. The tree holds each `else if` in the one before, a thousand at most: they take no depth of calls here.
 * @param goesOn a nested `if` is written like this one
 */
function lowerIf(
  fn: FunctionContext,
  first: Expr<"if">,
  type: BlockType,
  goesOn: (nested: TypedExpr) => boolean,
  branch: (block: TypedBlock) => void,
): void {
  const { code } = fn;
  const scopes: number[] = [];
  for (let at = first; ; ) {
    pushExpr(fn, at.condition, "any");
    code.if(type);
    const { then, otherwise } = at;
    fn.scope(() => branch(then));
    if (!otherwise) break;
    code.else();
    const nested = soleIf(otherwise);
    if (!nested || !goesOn(nested)) {
      fn.scope(() => branch(otherwise));
      break;
    }
    scopes.push(fn.cleanupDepth);
    at = nested;
  }
  code.end();
  for (const depth of scopes.reverse()) {
    fn.popCleanups(depth);
    code.end();
  }
}

/** The `if` that is all of a block. */
function soleIf({ statements, tail }: TypedBlock): Expr<"if"> | undefined {
  const [stmt] = statements;
  const all =
    stmt === undefined ? tail : stmt.kind === "expr" && statements.length === 1 && !tail ? stmt.expr : undefined;
  return all?.kind === "if" ? all : undefined;
}

/** The statements of a block, then its owned value; the block's variables are released by the caller's scope, behind the value. */
export function pushBlock(fn: FunctionContext, block: TypedBlock, type: TypedExpr["type"]): Hold {
  lowerBlock(fn, block, fn.program.blockType(type), () => {
    if (block.tail) pushExpr(fn, block.tail, "own");
    else fn.code.unreachable();
  });
  return layoutOf(type).counted ? "owned" : "plain";
}

/** A block for what it does. Blocks nest deeply: a scope without a function of its own takes less of the compiler's stack. */
export function blockEffect(fn: FunctionContext, block: TypedBlock): void {
  const depth = fn.cleanupDepth;
  evaluateBlock(fn, block);
  fn.popCleanups(depth);
}

function evaluateBlock(fn: FunctionContext, block: TypedBlock): void {
  lowerBlock(fn, block, "none", () => {
    if (block.tail) evaluate(fn, block.tail);
  });
}
