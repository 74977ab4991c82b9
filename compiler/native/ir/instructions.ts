// What each WebAssembly instruction adds to the SSA form: one handler for each opcode.
import { type OpcodeName, opcodes } from "../../wasm/index.ts";
import { memoryBase, NativeUnsupportedError } from "../plan.ts";
import { Stub } from "../stubs/table.ts";
import { Condition } from "../x64/encodings.ts";
import type { FunctionBuilder } from "./builder.ts";
import { divide } from "./division.ts";
import { intrinsicCall } from "./intrinsics.ts";
import {
  AtomicOperation,
  ConvertFlags,
  FloatCondition,
  LoadKind,
  MachineType,
  Op,
  rawOffset,
  TrapKind,
  TruncateFlags,
} from "./operations.ts";
import { binary, compare, extendUnsigned, signExtend, wrap } from "./simplify.ts";

export type Handler = (builder: FunctionBuilder) => void;

/** Handlers by opcode byte. */
export const handlers: (Handler | undefined)[] = new Array<Handler | undefined>(256).fill(undefined);
const prefixed = new Map<number, Handler>();

/** The handler of an instruction with a prefix. */
export function prefixedHandler(prefix: number, number: number): Handler {
  const handler = prefixed.get((prefix << 8) | number);
  if (handler === undefined) {
    const what = prefix === 0xfd ? "SIMD" : `opcode 0x${prefix.toString(16)} 0x${number.toString(16)}`;
    throw new NativeUnsupportedError(`not supported yet: ${what}`);
  }
  return handler;
}

function on(name: OpcodeName, handler: Handler): void {
  const { code } = opcodes[name];
  if (code < 256) handlers[code] = handler;
  else prefixed.set(code, handler);
}

const { i32, i64, f32, f64, none } = MachineType;
const families = [
  ["i32", i32],
  ["i64", i64],
] as const;
const floatFamilies = [
  ["f32", f32],
  ["f64", f64],
] as const;

// -- control and variables

on("unreachable", (b) => b.trap(TrapKind.unreachable));
on("nop", () => {});
on("block", (b) => b.startBlock());
on("loop", (b) => b.startLoop());
on("if", (b) => b.startIf());
on("else", (b) => b.startElse());
on("end", (b) => b.end());
on("br", (b) => b.branch(b.reader.u32()));
on("br_if", (b) => b.branchIf(b.reader.u32()));
on("br_table", (b) => b.branchTable());
on("return", (b) => b.returnValues());
on("call", (b) => {
  const index = b.reader.u32();
  if (!intrinsicCall(b, index)) b.callFunction(index);
});
on("call_indirect", (b) => {
  const type = b.reader.u32();
  b.callIndirect(type, b.reader.u32());
});
on("drop", (b) => {
  b.pop();
});
on("select", (b) => select(b));
on("select t", (b) => {
  const count = b.reader.u32();
  b.reader.position += count;
  select(b);
});
on("local.get", (b) => b.push(b.getLocal(b.reader.u32())));
on("local.set", (b) => b.setLocal(b.reader.u32(), b.pop()));
on("local.tee", (b) => {
  const value = b.pop();
  b.setLocal(b.reader.u32(), value);
  b.push(value);
});
on("global.get", (b) => {
  const index = b.reader.u32();
  const global = b.plan.globals[index];
  if (global === undefined) throw new Error(`unknown global ${index}`);
  if (global.mutable) b.push(b.ir.add(Op.GlobalGet, global.type, 0, 0, 0, index));
  else if (global.functionReference !== undefined) b.push(b.ir.add(Op.RefFunc, i64, 0, 0, 0, global.functionReference));
  else b.push(b.ir.constant(global.type, global.low, global.high));
});
on("global.set", (b) => {
  const index = b.reader.u32();
  b.ir.add(Op.GlobalSet, none, b.pop(), 0, 0, index);
});

function select(b: FunctionBuilder): void {
  const condition = b.pop();
  const whenZero = b.pop();
  const whenNot = b.pop();
  if (b.ir.isConstant(condition)) b.push(b.ir.imm[condition] !== 0 ? whenNot : whenZero);
  else if (whenNot === whenZero) b.push(whenNot);
  else b.push(b.ir.add(Op.Select, widerType(b, whenNot, whenZero), whenNot, whenZero, condition));
}

/** An i32 may stand for an i64 (see extendUnsigned): then the other value tells the type. */
function widerType(b: FunctionBuilder, left: number, right: number): MachineType {
  return Math.max(b.ir.typeOf(left), b.ir.typeOf(right));
}

// -- tables and references

on("table.get", (b) => {
  const table = b.reader.u32();
  b.push(b.ir.add(Op.TableGet, i64, b.pop(), 0, 0, table));
});
on("table.set", (b) => {
  const table = b.reader.u32();
  const value = b.pop();
  b.ir.add(Op.TableSet, none, b.pop(), value, 0, table);
});
on("table.size", (b) => b.push(b.ir.add(Op.TableSize, i32, 0, 0, 0, b.reader.u32())));
on("table.grow", (b) => b.callStub(Stub.tableGrow, 2, [b.reader.u32()], i32));
on("table.fill", (b) => b.callStub(Stub.tableFill, 3, [b.reader.u32()], none));
on("table.copy", (b) => {
  const destination = b.reader.u32();
  b.callStub(Stub.tableCopy, 3, [destination, b.reader.u32()], none);
});
on("table.init", (b) => {
  const segment = b.reader.u32();
  b.callStub(Stub.tableInit, 3, [segment, b.reader.u32()], none);
});
on("elem.drop", (b) => b.callStub(Stub.elementDrop, 0, [b.reader.u32()], none));
on("ref.null", (b) => {
  b.reader.skipLeb();
  b.push(b.ir.constant(i64, 0, 0));
});
on("ref.is_null", (b) => {
  const value = b.pop();
  b.push(compare(b.ir, Condition.equal, 1, value, b.ir.constant(i64, 0, 0)));
});
on("ref.func", (b) => b.push(b.ir.add(Op.RefFunc, i64, 0, 0, 0, b.reader.u32())));

// -- memory

/** Address and offset of an access, set by `readAddress`. */
let accessAddress = 0;
let accessOffset = 0;

/**
 * Turns the immediates and the address operand into an address and an offset that together fit an x86 displacement. Far offsets and far constant addresses
 * become a sum in 64 bits, which may not wrap: the result is an address of the process.
 */
function readAddress(b: FunctionBuilder, offset: number, address: number): void {
  const { ir } = b;
  const far = ir.isConstant(address) ? (ir.imm[address] ?? 0) >>> 0 : 0;
  if (offset + far + memoryBase <= 0x7fff_ffff) {
    accessAddress = address;
    accessOffset = offset;
    return;
  }
  const total = offset + memoryBase;
  // Added as it is: two constants must not fold into a constant again.
  accessAddress = ir.add(
    Op.Add,
    i64,
    extendUnsigned(ir, address),
    ir.constant(i64, total | 0, Math.floor(total / 2 ** 32)),
  );
  accessOffset = rawOffset;
}

function load(name: OpcodeName, type: MachineType, op: Op = Op.Load): void {
  const bytes = opcodes[name].accessBytes;
  const kind = bytes | (name.endsWith("_s") ? LoadKind.signed : 0);
  on(name, (b) => {
    b.reader.skipLeb();
    readAddress(b, b.reader.u32(), b.pop());
    b.push(b.ir.add(op, type, accessAddress, 0, 0, kind, accessOffset));
  });
}

function store(name: OpcodeName, op: Op = Op.Store): void {
  const bytes = opcodes[name].accessBytes;
  on(name, (b) => {
    b.reader.skipLeb();
    const offset = b.reader.u32();
    const value = b.pop();
    readAddress(b, offset, b.pop());
    b.ir.add(op, none, accessAddress, value, 0, bytes, accessOffset);
  });
}

for (const name of ["i32.load", "i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u"] as const) load(name, i32);
for (const name of [
  "i64.load",
  "i64.load8_s",
  "i64.load8_u",
  "i64.load16_s",
  "i64.load16_u",
  "i64.load32_s",
  "i64.load32_u",
] as const)
  load(name, i64);
load("f32.load", f32);
load("f64.load", f64);
for (const name of [
  "i32.store",
  "i64.store",
  "f32.store",
  "f64.store",
  "i32.store8",
  "i32.store16",
  "i64.store8",
  "i64.store16",
  "i64.store32",
] as const) {
  store(name);
}
on("memory.size", (b) => {
  b.reader.skipLeb();
  b.push(b.ir.add(Op.MemorySize, i32));
});
on("memory.grow", (b) => {
  b.reader.skipLeb();
  b.callStub(Stub.memoryGrow, 1, [], i32);
});
on("memory.init", (b) => {
  const segment = b.reader.u32();
  b.reader.skipLeb();
  b.callStub(Stub.memoryInit, 3, [segment], none);
});
on("data.drop", (b) => b.callStub(Stub.dataDrop, 0, [b.reader.u32()], none));
on("memory.copy", (b) => {
  b.reader.skipLeb();
  b.reader.skipLeb();
  b.callStub(Stub.memoryCopy, 3, [], none);
});
on("memory.fill", (b) => {
  b.reader.skipLeb();
  b.callStub(Stub.memoryFill, 3, [], none);
});

// -- constants

on("i32.const", (b) => b.push(b.ir.constant(i32, b.reader.s32(), 0)));
on("i64.const", (b) => {
  b.reader.s64();
  b.push(b.ir.constant(i64, b.reader.low, b.reader.high));
});
on("f32.const", (b) => b.push(b.ir.constant(f32, b.reader.bits32(), 0)));
on("f64.const", (b) => {
  const low = b.reader.bits32();
  b.push(b.ir.constant(f64, low, b.reader.bits32()));
});

// -- integers

const integerComparisons = [
  ["eq", Condition.equal],
  ["ne", Condition.notEqual],
  ["lt_s", Condition.less],
  ["lt_u", Condition.below],
  ["gt_s", Condition.greater],
  ["gt_u", Condition.above],
  ["le_s", Condition.lessEqual],
  ["le_u", Condition.belowEqual],
  ["ge_s", Condition.greaterEqual],
  ["ge_u", Condition.aboveEqual],
] as const;
const integerOperations = [
  ["add", Op.Add],
  ["sub", Op.Sub],
  ["mul", Op.Mul],
  ["and", Op.And],
  ["or", Op.Or],
  ["xor", Op.Xor],
  ["shl", Op.Shl],
  ["shr_s", Op.ShrS],
  ["shr_u", Op.ShrU],
  ["rotl", Op.Rotl],
  ["rotr", Op.Rotr],
] as const;
const divisions = [
  ["div_s", Op.DivS],
  ["div_u", Op.DivU],
  ["rem_s", Op.RemS],
  ["rem_u", Op.RemU],
] as const;

for (const [family, type] of families) {
  const wide = type === i64 ? 1 : 0;
  on(`${family}.eqz`, (b) => {
    const value = b.pop();
    b.push(compare(b.ir, Condition.equal, wide, value, b.ir.constant(type, 0, 0)));
  });
  for (const [name, condition] of integerComparisons) {
    on(`${family}.${name}`, (b) => {
      const right = b.pop();
      b.push(compare(b.ir, condition, wide, b.pop(), right));
    });
  }
  for (const [name, op] of integerOperations) {
    on(`${family}.${name}`, (b) => {
      const right = b.pop();
      b.push(binary(b.ir, op, type, b.pop(), right));
    });
  }
  for (const [name, op] of divisions) {
    on(`${family}.${name}`, (b) => {
      const right = b.pop();
      b.push(divide(b.ir, op, type, b.pop(), right));
    });
  }
  unary(`${family}.clz`, Op.Clz, type);
  unary(`${family}.ctz`, Op.Ctz, type);
  unary(`${family}.popcnt`, Op.Popcnt, type);
  on(`${family}.extend8_s`, (b) => b.push(signExtend(b.ir, type, b.pop(), 8)));
  on(`${family}.extend16_s`, (b) => b.push(signExtend(b.ir, type, b.pop(), 16)));
}
on("i64.extend32_s", (b) => b.push(signExtend(b.ir, i64, b.pop(), 32)));
on("i64.extend_i32_s", (b) => b.push(signExtend(b.ir, i64, b.pop(), 32)));
on("i64.extend_i32_u", (b) => b.push(extendUnsigned(b.ir, b.pop())));
on("i32.wrap_i64", (b) => b.push(wrap(b.ir, b.pop())));

function unary(name: OpcodeName, op: Op, type: MachineType, imm = 0): void {
  on(name, (b) => b.push(b.ir.add(op, type, b.pop(), 0, 0, imm)));
}

// -- floats

const floatOperations = [
  ["add", Op.FAdd],
  ["sub", Op.FSub],
  ["mul", Op.FMul],
  ["div", Op.FDiv],
  ["min", Op.FMin],
  ["max", Op.FMax],
  ["copysign", Op.FCopysign],
] as const;

for (const [family, type] of floatFamilies) {
  for (const name of ["eq", "ne", "lt", "gt", "le", "ge"] as const) {
    on(`${family}.${name}`, (b) => {
      const right = b.pop();
      b.push(b.ir.add(Op.FloatCompare, i32, b.pop(), right, 0, FloatCondition[name], type === f64 ? 1 : 0));
    });
  }
  for (const [name, op] of floatOperations) {
    on(`${family}.${name}`, (b) => {
      const right = b.pop();
      b.push(b.ir.add(op, type, b.pop(), right));
    });
  }
  unary(`${family}.abs`, Op.FAbs, type);
  unary(`${family}.neg`, Op.FNeg, type);
  unary(`${family}.sqrt`, Op.FSqrt, type);
  unary(`${family}.nearest`, Op.FRound, type, 0);
  unary(`${family}.floor`, Op.FRound, type, 1);
  unary(`${family}.ceil`, Op.FRound, type, 2);
  unary(`${family}.trunc`, Op.FRound, type, 3);
}
unary("f32.demote_f64", Op.Demote, f32);
unary("f64.promote_f32", Op.Promote, f64);
unary("i32.reinterpret_f32", Op.Reinterpret, i32);
unary("i64.reinterpret_f64", Op.Reinterpret, i64);
unary("f32.reinterpret_i32", Op.Reinterpret, f32);
unary("f64.reinterpret_i64", Op.Reinterpret, f64);

for (const [integer, type] of families) {
  for (const [float, floatType] of floatFamilies) {
    for (const [sign, signed] of [
      ["s", TruncateFlags.signed],
      ["u", 0],
    ] as const) {
      const flags = signed | (floatType === f64 ? TruncateFlags.fromDouble : 0);
      unary(`${integer}.trunc_${float}_${sign}`, Op.Truncate, type, flags);
      unary(`${integer}.trunc_sat_${float}_${sign}`, Op.Truncate, type, flags | TruncateFlags.saturating);
      unary(
        `${float}.convert_${integer}_${sign}`,
        Op.Convert,
        floatType,
        signed | (type === i64 ? ConvertFlags.fromWide : 0),
      );
    }
  }
}

// -- threads

const atomicWidths = [
  ["i32", "", ""],
  ["i64", "", ""],
  ["i32", "8", "_u"],
  ["i32", "16", "_u"],
  ["i64", "8", "_u"],
  ["i64", "16", "_u"],
  ["i64", "32", "_u"],
] as const;

for (const [family, width, suffix] of atomicWidths) {
  const type = family === "i64" ? i64 : i32;
  // The combinations of the table above are exactly the names in the table of instructions.
  load(`${family}.atomic.load${width}${suffix}` as OpcodeName, type, Op.AtomicLoad);
  store(`${family}.atomic.store${width}` as OpcodeName, Op.AtomicStore);
  for (const [operation, number] of Object.entries(AtomicOperation)) {
    const name = `${family}.atomic.rmw${width}.${operation}${suffix}` as OpcodeName;
    const bytes = opcodes[name].accessBytes;
    on(name, (b) => {
      b.reader.skipLeb();
      const offset = b.reader.u32();
      const value = b.pop();
      readAddress(b, offset, b.pop());
      b.push(b.ir.add(Op.AtomicRmw, type, accessAddress, value, 0, bytes | (number << 8), accessOffset));
    });
  }
  const exchange = `${family}.atomic.rmw${width}.cmpxchg${suffix}` as OpcodeName;
  const bytes = opcodes[exchange].accessBytes;
  on(exchange, (b) => {
    b.reader.skipLeb();
    const offset = b.reader.u32();
    const replacement = b.pop();
    const expected = b.pop();
    readAddress(b, offset, b.pop());
    b.push(b.ir.add(Op.AtomicCompareExchange, type, accessAddress, expected, replacement, bytes, accessOffset));
  });
}
on("atomic.fence", (b) => {
  b.reader.position++;
  b.ir.add(Op.Fence, none);
});
on("memory.atomic.wait32", (b) => atomicStub(b, Stub.atomicWait32, 3));
on("memory.atomic.wait64", (b) => atomicStub(b, Stub.atomicWait64, 3));
on("memory.atomic.notify", (b) => atomicStub(b, Stub.atomicNotify, 2));

/** The stub gets the whole address, offset included, as an i64 in place of the address. */
function atomicStub(b: FunctionBuilder, stub: number, count: number): void {
  b.reader.skipLeb();
  const offset = b.reader.u32();
  const at = b.stack.length - count;
  const address = b.stack[at] ?? 0;
  b.stack[at] = binary(b.ir, Op.Add, i64, extendUnsigned(b.ir, address), b.ir.constant(i64, offset | 0, 0));
  b.callStub(stub, count, [], i32);
}
