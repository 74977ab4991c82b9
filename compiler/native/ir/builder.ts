// WebAssembly code -> SSA. Structured control makes it one pass: at a forward label every incoming edge is known when the label is reached,
// and a loop header gets phis for the locals that loop-scan found assigned in the loop (cf. Braun et al. 2013, sealed blocks).
import type { FuncType, WasmFunction } from "../../wasm/index.ts";
import { functionTypeOf, machineTypeOf, type ModulePlan, typeAt } from "../plan.ts";
import { CodeReader } from "./code-reader.ts";
import { FunctionIr } from "./function-ir.ts";
import { handlers, prefixedHandler } from "./instructions.ts";
import { scanLoops } from "./loop-scan.ts";
import { MachineType, Op, type TrapKind } from "./operations.ts";
import { truthOf } from "./simplify.ts";

type FrameKind = "function" | "block" | "loop" | "if" | "else";

interface Frame {
  readonly kind: FrameKind;
  readonly type: FuncType;
  /** Height of the value stack below the parameters. */
  readonly height: number;
  /** Length of the undo log at the start. */
  readonly logStart: number;
  /** Edges to the label at the end, each with the place of its values in `snapshots`. */
  readonly edges: number[];
  readonly snapshots: number[];
  /** For `if`: the edge for the other arm and the parameters it starts with. */
  elseEdge: number;
  readonly parameters: readonly number[];
  /** For `loop`. */
  readonly header: number;
  readonly loop: number;
  readonly loopLocals: Int32Array;
}

const noLocals = new Int32Array(0);
const noValues: readonly number[] = [];

/** Builds one function after the other into the same `ir`. */
export class FunctionBuilder {
  readonly plan: ModulePlan;
  readonly ir = new FunctionIr();
  readonly reader = new CodeReader();
  readonly stack: number[] = [];

  private frames: Frame[] = [];
  private locals: Int32Array = new Int32Array(64);
  private localCount = 0;
  /** The undo log: local, value before, log index of that local's previous entry. */
  private logLocal: number[] = [];
  private logOld: number[] = [];
  private logPrevious: number[] = [];
  private loggedAt = new Int32Array(64);
  private stamp = new Int32Array(64);
  private stampCount = 0;
  /** Snapshots: values of the label, then a count and pairs (local, value) of the locals changed since the frame's start. */
  private snapshotPool: number[] = [];
  private loopAssignments: readonly Int32Array[] = [];
  private loopsSeen = 0;
  private localTypes: MachineType[] = [];
  private depth = 0;
  private currentLoop = -1;
  private reachable = true;

  constructor(plan: ModulePlan) {
    this.plan = plan;
  }

  build(entry: WasmFunction): FunctionIr {
    const { ir, reader } = this;
    const type = typeAt(this.plan.module, entry.type);
    this.start(entry, type);
    const code = entry.code;
    while (this.frames.length > 0) {
      ir.currentOrigin = reader.position;
      const opcode = reader.byte();
      if (!this.reachable && !this.skipDead(opcode)) continue;
      const handler = handlers[opcode];
      if (handler !== undefined) handler(this);
      else prefixedHandler(opcode, reader.u32())(this);
      if (reader.position > code.length) throw new Error(`code of ${entry.name} ends too early`);
    }
    return ir;
  }

  private start(entry: WasmFunction, type: FuncType): void {
    const { ir } = this;
    ir.reset();
    this.stack.length = 0;
    this.frames.length = 0;
    this.logLocal.length = 0;
    this.logOld.length = 0;
    this.logPrevious.length = 0;
    this.snapshotPool.length = 0;
    this.localCount = type.params.length + entry.locals.length;
    this.depth = 0;
    this.currentLoop = -1;
    this.loopsSeen = 0;
    this.reachable = true;
    if (this.locals.length < this.localCount) {
      this.locals = new Int32Array(this.localCount * 2);
      this.loggedAt = new Int32Array(this.localCount * 2);
      this.stamp = new Int32Array(this.localCount * 2);
      this.stampCount = 0;
    }
    this.loopAssignments = scanLoops(this.reader, entry.code, this.localCount);
    this.reader.open(entry.code);
    ir.startBlock(0);
    this.pushFrame("function", { params: [], results: type.results });
    this.localTypes = [...type.params.map(machineTypeOf), ...entry.locals.map(machineTypeOf)];
    let local = 0;
    for (const param of type.params) {
      this.locals[local] = ir.add(Op.Param, machineTypeOf(param), 0, 0, 0, local);
      local++;
    }
    this.startLocals(entry, local);
    this.loggedAt.fill(-1, 0, this.localCount);
  }

  /** Locals start as zero: one constant for each type. */
  private startLocals(entry: WasmFunction, first: number): void {
    const zeros = [-1, -1, -1, -1];
    let local = first;
    for (const declared of entry.locals) {
      const type = machineTypeOf(declared);
      const zero = zeros[type] ?? -1;
      if (zero < 0) zeros[type] = this.ir.constant(type, 0, 0);
      this.locals[local++] = zeros[type] ?? 0;
    }
  }

  /** In dead code: skips one instruction; true for the ones that may end the dead stretch. */
  private skipDead(opcode: number): boolean {
    const { reader } = this;
    if (opcode === 0x0b || opcode === 0x05) return true;
    if (opcode < 0x02 || opcode > 0x04) {
      reader.skipImmediates(opcode);
      return false;
    }
    reader.skipLeb();
    if (opcode === 0x03) this.loopsSeen++;
    for (let nested = 1; nested > 0; ) {
      const inner = reader.byte();
      if (inner === 0x0b) nested--;
      else if (inner >= 0x02 && inner <= 0x04) {
        nested++;
        if (inner === 0x03) this.loopsSeen++;
        reader.skipLeb();
      } else reader.skipImmediates(inner);
    }
    return false;
  }

  // -- values

  push(value: number): void {
    this.stack.push(value);
  }

  pop(): number {
    const value = this.stack.pop();
    if (value === undefined) throw new Error("value stack underflow");
    return value;
  }

  getLocal(local: number): number {
    return this.locals[local] ?? 0;
  }

  setLocal(local: number, value: number): void {
    const old = this.locals[local] ?? 0;
    if (old === value) return;
    const logged = this.loggedAt[local] ?? -1;
    if (logged < (this.frames[this.frames.length - 1]?.logStart ?? 0)) {
      this.loggedAt[local] = this.logLocal.length;
      this.logLocal.push(local);
      this.logOld.push(old);
      this.logPrevious.push(logged);
    }
    this.locals[local] = value;
  }

  private undoTo(length: number): void {
    while (this.logLocal.length > length) {
      const local = this.logLocal.pop() ?? 0;
      this.locals[local] = this.logOld.pop() ?? 0;
      this.loggedAt[local] = this.logPrevious.pop() ?? -1;
    }
  }

  private typeOfLocal(local: number): MachineType {
    return this.localTypes[local] ?? MachineType.i64;
  }

  // -- control

  blockType(): FuncType {
    const code = this.reader.s32();
    if (code >= 0) return typeAt(this.plan.module, code);
    if (code === -64) return { params: [], results: [] };
    // One value type, as a negative s33: its byte is the low seven bits.
    return { params: [], results: [(code & 0x7f) as FuncType["results"][number]] };
  }

  private pushFrame(kind: FrameKind, type: FuncType, parameters: readonly number[] = noValues, elseEdge = -1): void {
    this.frames.push({
      kind,
      type,
      height: this.stack.length - parameters.length,
      logStart: this.logLocal.length,
      edges: [],
      snapshots: [],
      elseEdge,
      parameters,
      header: -1,
      loop: -1,
      loopLocals: noLocals,
    });
  }

  private parametersOf(type: FuncType): readonly number[] {
    return type.params.length === 0 ? noValues : this.stack.slice(this.stack.length - type.params.length);
  }

  startBlock(): void {
    const type = this.blockType();
    this.pushFrame("block", type, this.parametersOf(type));
  }

  startLoop(): void {
    const { ir } = this;
    const type = this.blockType();
    const loopLocals = this.loopAssignments[this.loopsSeen++] ?? noLocals;
    const height = this.stack.length - type.params.length;
    const edge = ir.addEdge();
    ir.edgeArguments[edge] = ir.extra.length;
    for (let index = height; index < this.stack.length; index++) ir.extra.push(this.stack[index] ?? 0);
    for (const local of loopLocals) ir.extra.push(this.getLocal(local));
    ir.add(Op.Jump, MachineType.none, edge);
    this.depth++;
    const header = ir.startBlock(this.depth);
    ir.aimEdge(edge, header);
    type.params.forEach((param, index) => {
      this.stack[height + index] = ir.add(Op.Phi, machineTypeOf(param));
    });
    for (const local of loopLocals) this.setLocal(local, ir.add(Op.Phi, this.typeOfLocal(local)));
    ir.phiCount[header] = type.params.length + loopLocals.length;
    const loop = ir.loopHeader.length;
    ir.loopHeader.push(header);
    ir.loopLast.push(-1);
    ir.loopParent.push(this.currentLoop);
    this.currentLoop = loop;
    this.frames.push({
      kind: "loop",
      type,
      height,
      logStart: this.logLocal.length,
      edges: [],
      snapshots: [],
      elseEdge: -1,
      parameters: noValues,
      header,
      loop,
      loopLocals,
    });
  }

  startIf(): void {
    const { ir } = this;
    const condition = truthOf(ir, this.pop());
    const type = this.blockType();
    const parameters = this.parametersOf(type);
    if (ir.isConstant(condition.value)) {
      this.startConstantIf((ir.imm[condition.value] !== 0) !== condition.negated, type, parameters);
      return;
    }
    const thenEdge = ir.addEdge();
    const elseEdge = ir.addEdge();
    this.addBranch(condition.value, condition.negated ? elseEdge : thenEdge, condition.negated ? thenEdge : elseEdge);
    ir.aimEdge(thenEdge, ir.startBlock(this.depth));
    this.pushFrame("if", type, parameters, elseEdge);
  }

  /** Only one arm can run. */
  private startConstantIf(taken: boolean, type: FuncType, parameters: readonly number[]): void {
    if (taken) {
      this.pushFrame("else", type, parameters);
      return;
    }
    const edge = this.ir.addEdge();
    this.ir.add(Op.Jump, MachineType.none, edge);
    this.pushFrame("if", type, parameters, edge);
    this.reachable = false;
  }

  private addBranch(condition: number, whenTrue: number, whenFalse: number): void {
    this.ir.add(Op.Branch, MachineType.none, condition, whenTrue, whenFalse);
  }

  startElse(): void {
    const frame = this.frames[this.frames.length - 1];
    if (frame === undefined) throw new Error("else without if");
    if (this.reachable) this.jumpTo(frame);
    this.undoTo(frame.logStart);
    this.stack.length = frame.height;
    if (frame.elseEdge < 0) {
      this.reachable = false;
      return;
    }
    for (const value of frame.parameters) this.stack.push(value);
    this.ir.aimEdge(frame.elseEdge, this.ir.startBlock(this.depth));
    frame.elseEdge = -1;
    this.reachable = true;
  }

  end(): void {
    const frame = this.frames.pop();
    if (frame === undefined) throw new Error("end without block");
    if (frame.kind === "loop") {
      this.endLoop(frame);
      return;
    }
    if (frame.elseEdge < 0 && frame.edges.length === 0) {
      // Only the way through, if any, leads here: the block goes on.
      if (!this.reachable) {
        this.undoTo(frame.logStart);
        this.stack.length = frame.height;
      }
    } else this.merge(frame);
    if (frame.kind === "function" && this.reachable) this.addReturn(frame.type.results.length);
  }

  private endLoop(frame: Frame): void {
    const { ir } = this;
    this.depth--;
    this.currentLoop = ir.loopParent[frame.loop] ?? -1;
    // Blocks behind the last jump back do not belong to the loop.
    for (let block = Math.max(ir.loopLast[frame.loop] ?? -1, frame.header - 1) + 1; block < ir.blockCount; block++) {
      ir.blockDepth[block] = (ir.blockDepth[block] ?? 1) - 1;
    }
    if (!this.reachable) {
      this.undoTo(frame.logStart);
      this.stack.length = frame.height;
    }
  }

  /** Starts the block at a forward label. */
  private merge(frame: Frame): void {
    const { ir } = this;
    if (this.reachable) this.jumpTo(frame);
    if (frame.elseEdge >= 0) {
      frame.edges.push(frame.elseEdge);
      frame.snapshots.push(this.snapshotPool.length);
      this.snapshotPool.push(...frame.parameters, 0);
    }
    this.undoTo(frame.logStart);
    this.stack.length = frame.height;
    const block = ir.startBlock(this.depth);
    this.reachable = true;
    for (const edge of frame.edges) {
      ir.aimEdge(edge, block);
      ir.edgeArguments[edge] = -1;
    }
    /** For each phi: its argument on every edge. */
    const phiArguments: number[][] = [];
    frame.type.results.forEach((type, index) => {
      const values = frame.snapshots.map((snapshot) => this.snapshotPool[snapshot + index] ?? 0);
      this.stack.push(this.joined(values, machineTypeOf(type), phiArguments));
    });
    this.mergeLocals(frame, phiArguments);
    ir.phiCount[block] = phiArguments.length;
    frame.edges.forEach((edge, index) => {
      ir.edgeArguments[edge] = ir.extra.length;
      for (const values of phiArguments) ir.extra.push(values[index] ?? 0);
    });
  }

  /** The one value that all edges bring, or a new phi. */
  private joined(values: number[], type: MachineType, phiArguments: number[][]): number {
    const first = values[0] ?? 0;
    if (values.every((value) => value === first)) return first;
    phiArguments.push(values);
    return this.ir.add(Op.Phi, type);
  }

  private mergeLocals(frame: Frame, phiArguments: number[][]): void {
    const results = frame.type.results.length;
    const pool = this.snapshotPool;
    /** Values by edge of every local changed on some edge; missing entries stand for the value at the frame's start. */
    const changed = new Map<number, (number | undefined)[]>();
    frame.snapshots.forEach((snapshot, edge) => {
      const start = snapshot + results + 1;
      const end = start + 2 * (pool[snapshot + results] ?? 0);
      for (let at = start; at < end; at += 2) {
        const local = pool[at] ?? 0;
        let values = changed.get(local);
        if (values === undefined) {
          values = new Array<number | undefined>(frame.edges.length).fill(undefined);
          changed.set(local, values);
        }
        values[edge] = pool[at + 1];
      }
    });
    for (const [local, values] of changed) {
      const before = this.getLocal(local);
      this.setLocal(
        local,
        this.joined(
          values.map((value) => value ?? before),
          this.typeOfLocal(local),
          phiArguments,
        ),
      );
    }
  }

  /** Ends the block with a jump to a frame's label. */
  private jumpTo(frame: Frame): void {
    const edge = this.ir.addEdge();
    this.recordEdge(edge, frame);
    this.ir.add(Op.Jump, MachineType.none, edge);
  }

  /** Notes what an edge from the current state to a frame's label carries. */
  private recordEdge(edge: number, frame: Frame): void {
    const { ir } = this;
    if (frame.kind === "loop") {
      ir.edgeArguments[edge] = ir.extra.length;
      for (let index = this.stack.length - frame.type.params.length; index < this.stack.length; index++)
        ir.extra.push(this.stack[index] ?? 0);
      for (const local of frame.loopLocals) ir.extra.push(this.getLocal(local));
      ir.aimEdge(edge, frame.header);
      ir.loopLast[frame.loop] = ir.blockCount - 1;
      return;
    }
    frame.edges.push(edge);
    frame.snapshots.push(this.snapshotPool.length);
    for (let index = this.stack.length - frame.type.results.length; index < this.stack.length; index++)
      this.snapshotPool.push(this.stack[index] ?? 0);
    const countAt = this.snapshotPool.length;
    this.snapshotPool.push(0);
    if (frame.kind === "function") return;
    this.stampCount++;
    let count = 0;
    for (let at = frame.logStart; at < this.logLocal.length; at++) {
      const local = this.logLocal[at] ?? 0;
      if (this.stamp[local] === this.stampCount) continue;
      this.stamp[local] = this.stampCount;
      this.snapshotPool.push(local, this.getLocal(local));
      count++;
    }
    this.snapshotPool[countAt] = count;
  }

  private frameAt(label: number): Frame {
    const frame = this.frames[this.frames.length - 1 - label];
    if (frame === undefined) throw new Error(`unknown label ${label}`);
    return frame;
  }

  branch(label: number): void {
    const frame = this.frameAt(label);
    if (frame.kind === "function") this.addReturn(frame.type.results.length);
    else this.jumpTo(frame);
    this.reachable = false;
  }

  branchIf(label: number): void {
    const { ir } = this;
    const condition = truthOf(ir, this.pop());
    if (ir.isConstant(condition.value)) {
      if ((ir.imm[condition.value] !== 0) !== condition.negated) this.branch(label);
      return;
    }
    const taken = ir.addEdge();
    const next = ir.addEdge();
    this.recordEdge(taken, this.frameAt(label));
    this.addBranch(condition.value, condition.negated ? next : taken, condition.negated ? taken : next);
    ir.aimEdge(next, ir.startBlock(this.depth));
  }

  branchTable(): void {
    const { ir, reader } = this;
    const index = this.pop();
    const count = reader.u32() + 1;
    const labels: number[] = [];
    for (let at = 0; at < count; at++) labels.push(reader.u32());
    /** One edge for each distinct label. */
    const edges = new Map<number, number>();
    const list = labels.map((label) => {
      let edge = edges.get(label);
      if (edge === undefined) {
        edge = ir.addEdge();
        this.recordEdge(edge, this.frameAt(label));
        edges.set(label, edge);
      }
      return edge;
    });
    const start = ir.extra.length;
    for (const edge of list) ir.extra.push(edge);
    ir.add(Op.Switch, MachineType.none, index, start, count);
    this.reachable = false;
  }

  returnValues(): void {
    this.addReturn(this.frameAt(this.frames.length - 1).type.results.length);
    this.reachable = false;
  }

  private addReturn(count: number): void {
    this.ir.add(Op.Return, MachineType.none, this.takeArguments(count, false), count);
  }

  trap(kind: TrapKind): void {
    this.ir.add(Op.Trap, MachineType.none, 0, 0, 0, kind);
    this.reachable = false;
  }

  /** Copies the topmost values into `extra` and returns where; `remove` takes them off the stack. */
  private takeArguments(count: number, remove: boolean): number {
    const start = this.ir.extra.length;
    const height = this.stack.length - count;
    for (let index = height; index < this.stack.length; index++) this.ir.extra.push(this.stack[index] ?? 0);
    if (remove) this.stack.length = height;
    return start;
  }

  // -- calls

  callFunction(index: number): void {
    const type = functionTypeOf(this.plan, index);
    this.addCall(Op.Call, type, 0, index, 0);
  }

  callIndirect(type: number, table: number): void {
    const index = this.pop();
    this.addCall(Op.CallIndirect, typeAt(this.plan.module, type), index, type, table);
  }

  private addCall(op: Op, type: FuncType, target: number, imm: number, imm2: number): void {
    const { ir } = this;
    const count = type.params.length;
    const start = this.takeArguments(count, true);
    const call = ir.add(op, MachineType.none, start, count, target, imm, imm2);
    ir.hasCalls = true;
    type.results.forEach((result, index) => {
      this.stack.push(ir.add(Op.Result, machineTypeOf(result), call, 0, 0, index));
    });
  }

  /** Calls a stub with the topmost values and some constants; `result` none for none. */
  callStub(stub: number, count: number, constants: readonly number[], result: MachineType): void {
    const { ir } = this;
    for (const constant of constants) this.stack.push(ir.constant(MachineType.i32, constant, 0));
    const total = count + constants.length;
    const start = this.takeArguments(total, true);
    const call = ir.add(Op.CallStub, MachineType.none, start, total, 0, stub);
    ir.hasCalls = true;
    if (result !== MachineType.none) this.stack.push(ir.add(Op.Result, result, call, 0, 0, 0));
  }
}
