// Use counts, counting only uses by live instructions: a value with count 0 and no effect is dead, loops of dead phis included.
import type { FunctionIr } from "./function-ir.ts";
import { Op, operationCount, operationTraits, Trait } from "./operations.ts";

/** Which fields hold values: 1 a, 2 b, 4 c, 8 a list at `extra[a]` of length b. */
export const operandShapes: Uint8Array = shapes();

function shapes(): Uint8Array {
  const table = new Uint8Array(operationCount);
  const set = (shape: number, ...ops: Op[]) => {
    for (const op of ops) table[op] = shape;
  };
  set(
    3,
    Op.Add,
    Op.Sub,
    Op.Mul,
    Op.And,
    Op.Or,
    Op.Xor,
    Op.Shl,
    Op.ShrS,
    Op.ShrU,
    Op.Rotl,
    Op.Rotr,
    Op.DivS,
    Op.DivU,
    Op.RemS,
    Op.RemU,
  );
  set(
    3,
    Op.MulHighS,
    Op.MulHighU,
    Op.Compare,
    Op.FloatCompare,
    Op.FAdd,
    Op.FSub,
    Op.FMul,
    Op.FDiv,
    Op.FMin,
    Op.FMax,
    Op.FCopysign,
  );
  set(3, Op.Store, Op.AtomicRmw, Op.AtomicStore, Op.TableSet);
  set(
    1,
    Op.Clz,
    Op.Ctz,
    Op.Popcnt,
    Op.SignExtend,
    Op.Wrap,
    Op.FAbs,
    Op.FNeg,
    Op.FSqrt,
    Op.FRound,
    Op.Truncate,
    Op.Convert,
    Op.Demote,
    Op.Promote,
  );
  set(1, Op.Reinterpret, Op.Load, Op.AtomicLoad, Op.GlobalSet, Op.TableGet, Op.Branch, Op.Switch);
  set(7, Op.Select, Op.AtomicCompareExchange);
  set(8, Op.Call, Op.CallStub, Op.Syscall, Op.Return);
  set(12, Op.CallIndirect);
  return table;
}

/** Counts uses in `counts` (at least as long as the function). */
export function countUses(ir: FunctionIr, counts: Int32Array): void {
  counts.fill(0, 0, ir.count);
  const late: number[] = [];
  for (let value = ir.count - 1; value >= 0; value--) {
    const op = ir.opOf(value);
    const traits = operationTraits[op] ?? 0;
    if ((traits & Trait.effect) === 0 && counts[value] === 0 && !trapsAlone(ir, op, value)) continue;
    countOperands(ir, value, value, counts, late);
    for (let next = late.pop(); next !== undefined; next = late.pop()) countOperands(ir, next, value, counts, late);
  }
}

/** Divisions and trapping conversions are kept for their traps. */
export function trapsAlone(ir: FunctionIr, op: Op, value: number): boolean {
  return (op >= Op.DivS && op <= Op.RemU) || (op === Op.Truncate && ((ir.imm[value] ?? 0) & 4) === 0);
}

/** Counts the operands of a live instruction; those behind `cursor` that were dead so far go to `late`. */
function countOperands(ir: FunctionIr, value: number, cursor: number, counts: Int32Array, late: number[]): void {
  const use = (operand: number) => {
    const before = counts[operand] ?? 0;
    counts[operand] = before + 1;
    if (before !== 0 || operand < cursor) return;
    const op = ir.opOf(operand);
    if (((operationTraits[op] ?? 0) & Trait.effect) === 0 && !trapsAlone(ir, op, operand)) late.push(operand);
  };
  const op = ir.opOf(value);
  if (op === Op.Phi) {
    const block = ir.blockOf(value);
    const position = value - ir.startOf(block);
    for (const edge of ir.blockEdges[block] ?? []) use(ir.extraAt((ir.edgeArguments[edge] ?? 0) + position));
    return;
  }
  const shape = operandShapes[op] ?? 0;
  if (shape & 1) use(ir.aOf(value));
  if (shape & 2) use(ir.bOf(value));
  if (shape & 4) use(ir.cOf(value));
  if (shape & 8) {
    const start = ir.aOf(value);
    const end = start + ir.bOf(value);
    for (let index = start; index < end; index++) use(ir.extraAt(index));
  }
}
