// Calls, branches and the ends of blocks.
import { Op, SystemValue, TrapKind } from "../ir/operations.ts";
import { ArgumentPlaces } from "../regalloc/select.ts";
import { FixupKind } from "../x64/assembler.ts";
import { Condition, regRm, unary } from "../x64/encodings.ts";
import { Register as R, scratchInteger, syscallArguments } from "../x64/registers.ts";
import { imageBaseBit, SupportOffset } from "../plan.ts";
import { emitComparisonValue, emitCondition, emitSelect, floatEqual, floatNotEqual, negated } from "./comparisons.ts";
import type { Emitter } from "./emitter.ts";
import type { OperationEmitter } from "./emitters.ts";
import { incomingBase, type Location, outgoingBase } from "./locations.ts";

export const controlEmitters = new Map<Op, OperationEmitter>([
  [Op.Compare, emitComparisonValue],
  [Op.FloatCompare, emitComparisonValue],
  [Op.Select, emitSelect],
  [
    Op.Call,
    (e, value, position) => emitCall(e, value, position, () => e.asm.call(FixupKind.function, e.ir.immOf(value))),
  ],
  [
    Op.CallStub,
    (e, value, position) => emitCall(e, value, position, () => e.asm.call(FixupKind.stub, e.ir.immOf(value))),
  ],
  [Op.CallIndirect, (e, value, position) => emitCall(e, value, position, () => emitIndirectTarget(e, value))],
  [Op.Syscall, emitSyscall],
  [Op.Jump, (e, value) => emitJump(e, e.ir.aOf(value))],
  [Op.Branch, emitBranch],
  [Op.Switch, emitSwitch],
  [Op.Return, emitReturn],
  [Op.Trap, (e, value) => e.trap(e.ir.immOf(value))],
  [Op.SystemValue, emitSystemValue],
]);

const places = new ArgumentPlaces();

function emitCall(e: Emitter, value: number, position: number, call: () => void): void {
  const { ir, moves } = e;
  const start = ir.aOf(value);
  places.reset();
  for (let index = start; index < start + ir.bOf(value); index++) {
    const operand = ir.extraAt(index);
    const register = places.next(ir.isFloat(operand));
    moves.add(e.where(operand, position), register >= 0 ? register : outgoingBase + places.words - 1, operand);
  }
  if (ir.op[value] === Op.CallIndirect) moves.add(e.where(ir.cOf(value), position), R.rcx, ir.cOf(value));
  e.resolution.addMovesInside(e, position);
  moves.emit(e);
  call();
  emitResults(e, value);
}

function emitResults(e: Emitter, call: number): void {
  const { ir, moves, selection } = e;
  places.reset();
  const first = call + 1;
  let last = first;
  for (; last < ir.count && ir.op[last] === Op.Result && ir.a[last] === call; last++) {
    const register = places.next(ir.isFloat(last));
    if (selection.counts[last] === 0) continue;
    moves.add(register >= 0 ? register : outgoingBase + places.words - 1, e.whereDefined(last), last);
  }
  moves.emit(e);
  for (let result = first; result < last; result++) if (selection.counts[result] !== 0) e.storeAtDefinition(result);
}

/** rcx: the index. Entries are 8 bytes: low half of the code address, type id. */
function emitIndirectTarget(e: Emitter, value: number): void {
  const { asm, plan } = e;
  const table = plan.tables[e.ir.imm2Of(value)];
  if (table === undefined) throw new Error("indirect call without a table");
  if (table.fixedSize !== undefined) asm.immReg("cmp", 0, R.rcx, table.fixedSize);
  else {
    asm.setImageAddress(FixupKind.data, table.sizeOffset);
    asm.regMem(regRm.cmp, 0, R.rcx);
  }
  asm.jumpIf(Condition.aboveEqual, FixupKind.block, e.trapLabel(TrapKind.undefinedElement));
  asm.setImageAddress(FixupKind.data, table.offset);
  asm.regMem(regRm.lea, 1, scratchInteger);
  asm.setAddress(scratchInteger, R.rcx, 3, 4, false);
  asm.immMem("cmp", 0, plan.typeIds[e.ir.immOf(value)] ?? 0);
  const mismatch = e.coldPath(() => {
    asm.setAddress(scratchInteger, R.rcx, 3, 4, false);
    asm.immMem("cmp", 0, 0);
    asm.jumpIf(Condition.equal, FixupKind.block, e.trapLabel(TrapKind.uninitializedElement));
    e.trap(TrapKind.typeMismatch);
  });
  asm.jumpIf(Condition.notEqual, FixupKind.block, mismatch);
  asm.setAddress(scratchInteger, R.rcx, 3, 0, false);
  asm.regMem(regRm.mov, 0, R.rcx);
  // bts rcx, imm8: the image's base is one bit.
  asm.regReg(0x1ba, 1, 5, R.rcx);
  asm.raw(imageBaseBit);
  asm.unaryReg(unary.call, 0, R.rcx);
}

function emitSyscall(e: Emitter, value: number, position: number): void {
  const { ir, moves } = e;
  for (let index = 0; index < ir.bOf(value); index++) {
    const operand = ir.extraAt(ir.aOf(value) + index);
    moves.add(e.where(operand, position), syscallArguments[index] ?? 0, operand);
  }
  e.resolution.addMovesInside(e, position);
  moves.emit(e);
  e.asm.raw(0x0f, 0x05);
  if (e.selection.counts[value] !== 0) e.move(e.whereDefined(value), R.rax, value);
}

function emitReturn(e: Emitter, value: number, position: number): void {
  const { ir, moves } = e;
  const start = ir.aOf(value);
  places.reset();
  for (let index = start; index < start + ir.bOf(value); index++) {
    const operand = ir.extraAt(index);
    const register = places.next(ir.isFloat(operand));
    const target: Location = register >= 0 ? register : incomingBase + places.words - 1;
    moves.add(e.where(operand, position), target, operand);
  }
  moves.emit(e);
  e.frame.epilogue(e);
}

function emitSystemValue(e: Emitter, value: number): void {
  const { asm } = e;
  const target = e.result(value);
  switch (e.ir.immOf(value)) {
    case SystemValue.stackPointer:
      asm.regReg(regRm.mov, 1, target, R.rsp);
      return;
    case SystemValue.codeAddress:
      // lea target, [rip + 0]
      asm.raw(0x48 | ((target & 8) >>> 1), 0x8d, ((target & 7) << 3) | 5, 0, 0, 0, 0);
      return;
    case SystemValue.initialStack:
      asm.setImageAddress(FixupKind.data, e.plan.supportOffset + SupportOffset.initialStack);
      asm.regMem(regRm.mov, 1, target);
      return;
    default:
      asm.setImageAddress(FixupKind.tables, 0);
      asm.regMem(regRm.lea, 1, target);
  }
}

// -- edges

/** Emits an edge's moves here; the block must end in it. */
function emitJump(e: Emitter, edge: number): void {
  e.resolution.addEdgeMoves(e, edge);
  e.moves.emit(e);
  const target = e.ir.edgeTo[edge] ?? 0;
  if (target !== e.nextBlock) e.asm.jump(FixupKind.block, target);
}

function hasMoves(e: Emitter, edge: number): boolean {
  e.resolution.addEdgeMoves(e, edge);
  const some = !e.moves.isEmpty;
  e.moves.clear();
  return some;
}

/** The label to jump to for an edge: its block, or a piece of code that moves first. */
function edgeLabel(e: Emitter, edge: number): number {
  if (!hasMoves(e, edge)) return e.ir.edgeTo[edge] ?? 0;
  return e.coldPath(() => {
    e.resolution.addEdgeMoves(e, edge);
    e.moves.emit(e);
    e.asm.jump(FixupKind.block, e.ir.edgeTo[edge] ?? 0);
  });
}

/** An `and` or `or` whose sides are evaluated by jumps of their own (see selectTree). */
function isJunction(e: Emitter, value: number): boolean {
  const { ir, selection } = e;
  if (selection.folded[value] !== 1 || (ir.op[value] !== Op.And && ir.op[value] !== Op.Or)) return false;
  return (
    selection.folded[ir.aOf(value)] === 1 &&
    isTruth(e, ir.aOf(value)) &&
    selection.folded[ir.bOf(value)] === 1 &&
    isTruth(e, ir.bOf(value))
  );
}

function isTruth(e: Emitter, value: number): boolean {
  const op = e.ir.op[value];
  return op === Op.Compare || op === Op.FloatCompare || isJunction(e, value);
}

/** Jumps to `target` when the value is as wanted, else goes on. */
function emitTree(e: Emitter, value: number, position: number, wanted: boolean, target: number): void {
  const { asm, ir } = e;
  if (isJunction(e, value)) {
    const decides = (ir.op[value] === Op.Or) === wanted;
    if (decides) {
      emitTree(e, ir.aOf(value), position, wanted, target);
      emitTree(e, ir.bOf(value), position, wanted, target);
      return;
    }
    // The first side alone can rule the jump out.
    const past = e.newLabel();
    emitTree(e, ir.aOf(value), position, !wanted, past);
    emitTree(e, ir.bOf(value), position, wanted, target);
    e.bind(past);
    return;
  }
  const condition = emitCondition(e, value, position);
  if (condition < floatEqual) {
    asm.jumpIf(wanted ? condition : negated(condition), FixupKind.block, target);
    return;
  }
  if ((condition === floatNotEqual) === wanted) {
    asm.jumpIf(Condition.notEqual, FixupKind.block, target);
    asm.jumpIf(Condition.parity, FixupKind.block, target);
    return;
  }
  const past = e.newLabel();
  asm.jumpIf(Condition.notEqual, FixupKind.block, past);
  asm.jumpIf(Condition.noParity, FixupKind.block, target);
  e.bind(past);
}

function emitBranch(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  let whenTrue = ir.bOf(value);
  let whenFalse = ir.cOf(value);
  if (isJunction(e, ir.aOf(value))) {
    const jumpsWhenTrue = ir.edgeTo[whenFalse] === e.nextBlock;
    emitTree(e, ir.aOf(value), position, jumpsWhenTrue, edgeLabel(e, jumpsWhenTrue ? whenTrue : whenFalse));
    emitJump(e, jumpsWhenTrue ? whenFalse : whenTrue);
    return;
  }
  let condition = emitCondition(e, ir.aOf(value), position);
  if (condition === floatNotEqual) {
    [whenTrue, whenFalse] = [whenFalse, whenTrue];
    condition = floatEqual;
  }
  if (condition === floatEqual) {
    const label = edgeLabel(e, whenFalse);
    asm.jumpIf(Condition.notEqual, FixupKind.block, label);
    asm.jumpIf(Condition.parity, FixupKind.block, label);
    emitJump(e, whenTrue);
    return;
  }
  // What follows in the code, or has moves of its own, is reached by not jumping.
  const trueNext = ir.edgeTo[whenTrue] === e.nextBlock;
  const falseNext = ir.edgeTo[whenFalse] === e.nextBlock;
  if (
    trueNext ||
    (!falseNext && hasMoves(e, whenTrue)) ||
    (falseNext && hasMoves(e, whenTrue) && !hasMoves(e, whenFalse))
  ) {
    asm.jumpIf(negated(condition), FixupKind.block, edgeLabel(e, whenFalse));
    emitJump(e, whenTrue);
    return;
  }
  asm.jumpIf(condition, FixupKind.block, edgeLabel(e, whenTrue));
  emitJump(e, whenFalse);
}

/** A jump through a table of distances, or a few comparisons. */
function emitSwitch(e: Emitter, value: number, position: number): void {
  const { asm, ir } = e;
  const start = ir.bOf(value);
  const count = ir.cOf(value) - 1;
  const index = R.rcx;
  e.move(index, e.where(ir.aOf(value), position), ir.aOf(value));
  const labels: number[] = [];
  const known = new Map<number, number>();
  for (let at = 0; at <= count; at++) {
    const edge = ir.extraAt(start + at);
    let label = known.get(edge);
    if (label === undefined) {
      label = edgeLabel(e, edge);
      known.set(edge, label);
    }
    labels.push(label);
  }
  const fallback = labels.pop() ?? 0;
  if (count <= 3) {
    labels.forEach((label, at) => {
      if (at === 0) asm.regReg(0x85, 0, index, index);
      else asm.immReg("cmp", 0, index, at);
      asm.jumpIf(Condition.equal, FixupKind.block, label);
    });
    if (fallback !== e.nextBlock) asm.jump(FixupKind.block, fallback);
    return;
  }
  asm.immReg("cmp", 0, index, count);
  asm.jumpIf(Condition.aboveEqual, FixupKind.block, fallback);
  const offset = e.pool.jumpTable(count);
  e.tables.push({ offset, labels });
  // Entries are distances from the table.
  asm.setImageAddress(FixupKind.readOnly, offset);
  asm.regMem(regRm.lea, 1, scratchInteger);
  // A move of 32 bits: the index may be an i64 of which only the low half counts.
  asm.regReg(regRm.mov, 0, index, index);
  asm.setAddress(scratchInteger, index, 2, 0, false);
  asm.regMem(regRm.movsxd, 1, index);
  asm.regReg(regRm.add, 1, index, scratchInteger);
  asm.unaryReg(unary.jmp, 0, index);
}
