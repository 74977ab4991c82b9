// The state of writing one function: its code, where its variables are, what must be released on the way out.
import type { Span } from "../source/index.ts";
import type { Local, Type, TypedFunction } from "../semantics/index.ts";
import { CodeBuilder, type Label, ValueType } from "../wasm/index.ts";
import { SharedExits } from "./exits.ts";
import { type Layout, type Leaf, layoutOf } from "./layout.ts";
import type { ProgramContext } from "./program-context.ts";
import type { LocalsStorage, MemoryStorage, Storage } from "./storage.ts";

/** Something to do on every path out of a scope, last added first. */
export interface Cleanup {
  /** Writes the code. It may run with values on the wasm stack and leaves them there. */
  readonly emit: () => void;
}

/** Releases a variable. */
export interface VariableCleanup extends Cleanup {
  /** Writes code after which the cleanup does nothing: the value has been handed on. */
  readonly disarm: () => void;
}

/** An open loop: where `break` and `continue` go, and which cleanups stay when they do. */
export interface LoopFrame {
  readonly exit: Label;
  readonly next: Label;
  readonly cleanups: number;
}

const unit: Type = { kind: "primitive", name: "()" };

export class FunctionContext {
  readonly program: ProgramContext;
  /** Missing in generated helpers. */
  readonly fn: TypedFunction | undefined;
  readonly code: CodeBuilder;
  /** The ways out that share their cleanups. */
  readonly exits: SharedExits;
  /** The wasm local with the handle of `self`; 0 when the function has one. */
  readonly self: number = 0;
  readonly #bindings = new Map<Local, Storage>();
  readonly #limits = new Map<Local, { readonly low: bigint; readonly high: bigint }>();
  readonly #ownVariables = new Map<Local, VariableCleanup>();
  readonly #cleanups: Cleanup[] = [];
  readonly #loops: LoopFrame[] = [];
  readonly #freeTemps = new Map<ValueType, number[]>();
  /** The wasm local that holds the address of the frame's memory, when it has some. */
  #frameBase: number | undefined;
  #frameSize = 0;

  constructor(program: ProgramContext, fn: TypedFunction | undefined, parameters: readonly ValueType[]) {
    this.program = program;
    this.fn = fn;
    this.code = new CodeBuilder(parameters);
    this.exits = new SharedExits(this);
  }

  // -- variables

  /** Where a variable lives. */
  storageOf(local: Local): Storage {
    const storage = this.#bindings.get(local);
    if (!storage) throw new Error(`no storage for ${local.name}`);
    return storage;
  }

  bind(local: Local, storage: Storage): void {
    this.#bindings.set(local, storage);
  }

  /** Fresh storage for a variable: wasm locals, or the frame's memory when its address is passed on. */
  variableStorage(local: Local): Storage {
    return this.program.references.livesInMemory(local)
      ? this.frameSlot(local.type)
      : this.newLocals(layoutOf(local.type));
  }

  /** The variable's value is never outside `low` to `high`. */
  limit(local: Local, low: bigint, high: bigint): void {
    this.#limits.set(local, { low, high });
  }

  limitsOf(local: Local): { readonly low: bigint; readonly high: bigint } | undefined {
    return this.#limits.get(local);
  }

  /** Adds the cleanup that releases a variable, and remembers it so that a `return` of the variable can take the value along. */
  ownVariable(local: Local, cleanup: VariableCleanup): void {
    this.#cleanups.push(cleanup);
    this.#ownVariables.set(local, cleanup);
  }

  /** The cleanup of a variable that owns its value; undefined for borrowed ones (parameters, references). */
  cleanupOf(local: Local): VariableCleanup | undefined {
    return this.#ownVariables.get(local);
  }

  /** The type that the function returns; unit in generated helpers, Int for the entry. */
  get resultType(): Type {
    return this.fn ? this.program.resultOf(this.fn) : unit;
  }

  /** The function is the program's entry. */
  get isEntry(): boolean {
    return this.fn !== undefined && this.fn === this.program.program.entry;
  }

  /** New wasm locals for a value, one per leaf. */
  newLocals(layout: Layout): LocalsStorage {
    return { kind: "locals", locals: layout.leaves.map((leaf) => this.code.local(leaf.wasm)) };
  }

  /** A wasm local for a short time; give it back with `freeTemp`. */
  temp(type: ValueType): number {
    return this.#freeTemps.get(type)?.pop() ?? this.code.local(type);
  }

  freeTemp(local: number): void {
    const type = this.code.typeOfLocal(local);
    const free = this.#freeTemps.get(type);
    if (free) free.push(local);
    else this.#freeTemps.set(type, [local]);
  }

  /** Short-lived locals for a value, one per leaf. */
  temps(leaves: readonly Leaf[]): LocalsStorage {
    return { kind: "locals", locals: leaves.map((leaf) => this.temp(leaf.wasm)) };
  }

  freeTemps(storage: LocalsStorage): void {
    for (const local of storage.locals) this.freeTemp(local);
  }

  /** Memory of this frame for a value of `type` (decision 4: records whose address is taken). */
  frameSlot(type: Type): MemoryStorage {
    if (this.#frameBase === undefined) throw new Error("the function has no frame memory");
    const { size, alignment } = layoutOf(type);
    const offset = Math.ceil(this.#frameSize / alignment) * alignment;
    this.#frameSize = offset + size;
    return { kind: "memory", base: this.#frameBase, offset };
  }

  /** Prepares frame memory; the answered local holds its address from the prologue on. */
  openFrame(): number {
    this.#frameBase = this.code.local(ValueType.i32);
    return this.#frameBase;
  }

  /** Code to put before the body: takes the frame's memory, or ends the process when there is no more. */
  framePrologue(): Uint8Array | undefined {
    const base = this.#frameBase;
    if (base === undefined) return undefined;
    const { program } = this;
    const prologue = new CodeBuilder([]);
    const top = program.runtimeGlobal("frame_pointer");
    prologue.globalGet(top);
    prologue.tee(base);
    prologue.i32((this.#frameSize + 7) & -8);
    prologue.op("i32.add");
    prologue.globalSet(top);
    prologue.globalGet(top);
    prologue.globalGet(program.runtimeGlobal("frame_limit"));
    prologue.op("i32.gt_u");
    prologue.if();
    prologue.call(program.runtimeFunction("panic_stack"));
    prologue.unreachable();
    prologue.end();
    return prologue.written();
  }

  // -- scopes

  addCleanup(emit: () => void): Cleanup {
    const cleanup = { emit };
    this.#cleanups.push(cleanup);
    return cleanup;
  }

  /** The value has been handed on: nothing is to be done for it any more. */
  removeCleanup(cleanup: Cleanup): void {
    const at = this.#cleanups.lastIndexOf(cleanup);
    if (at >= 0) this.#cleanups.splice(at, 1);
  }

  get cleanupDepth(): number {
    return this.#cleanups.length;
  }

  /** Writes the cleanups above `depth` (and below `end`), for a jump out; they stay in force for the other paths. `except`: what the jump takes along. */
  emitCleanups(depth: number, except?: Cleanup, end = this.#cleanups.length): void {
    if (this.code.isDead) return;
    for (let at = end - 1; at >= depth; at--) {
      const cleanup = this.#cleanups[at];
      if (cleanup && cleanup !== except) cleanup.emit();
    }
  }

  /** Ends a scope: writes the cleanups above `depth` and forgets them. */
  popCleanups(depth: number): void {
    this.emitCleanups(depth);
    this.#cleanups.length = depth;
  }

  /** Runs `body` as a scope of its own. */
  scope<T>(body: () => T): T {
    const depth = this.#cleanups.length;
    const result = body();
    this.popCleanups(depth);
    return result;
  }

  // -- loops

  /** The innermost loop. */
  get loop(): LoopFrame | undefined {
    return this.#loops.at(-1);
  }

  enterLoop(exit: Label, next: Label): void {
    this.#loops.push({ exit, next, cleanups: this.#cleanups.length });
  }

  leaveLoop(): void {
    this.#loops.pop();
  }

  /** `break` or `continue` of the innermost loop. */
  jump(where: "break" | "continue"): void {
    const { loop } = this;
    if (!loop) throw new Error("not in a loop");
    if (this.code.isDead || this.exits.jump(where, loop)) return;
    this.emitCleanups(loop.cleanups);
    this.code.br(where === "break" ? loop.exit : loop.next);
  }

  // -- places in the source

  /**
   * What follows comes from `span`; written before calls and instructions that may trap. Frames of the library have no positions, so that backtraces begin in the user's code
   * (12 12.2.4).
   */
  at(span: Span): void {
    if (this.code.isDead || span.file.isStd) return;
    const { line, column } = span.file.positionAt(span.start);
    this.code.position(this.program.fileIndex(span.file), line * 4096 + Math.min(column, 4095));
  }
}
