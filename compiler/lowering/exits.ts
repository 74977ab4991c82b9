// Ways out that share their cleanups. An exit that releases every living value itself is as long as there are values: many exits of many values grew with the square.
import { type BlockType, type Label, ValueType } from "../wasm/index.ts";
import type { FunctionContext, LoopFrame, VariableCleanup } from "./function-context.ts";

/** How control leaves: the function, with its results in the locals for them, or a round of the innermost loop. */
type Exit = "leave" | "break" | "continue";

/** What the local that says where to go on holds. */
const courses = { leave: 0, break: 1, continue: 2 } as const satisfies Record<Exit, number>;

/**
 * So many values may live before the exits behind them share their releases. Up to here an exit releases them itself, which takes no jump and leaves most functions as they
 * are.
 */
const ROW = 32;

/** Where the exits of a run of statements meet, behind it, to release what was alive before it. */
interface Landing {
  /** Ends behind the landing: where the statements go on when nothing leaves. */
  readonly after: Label;
  /** Ends before the landing: a branch to it lands. */
  readonly here: Label;
  /** How many cleanups were in force when it opened: those it writes. */
  readonly cleanups: number;
  /** The innermost loop then. */
  readonly loop: LoopFrame | undefined;
  readonly exits: Set<Exit>;
}

/** The open landings of a function, the outermost first. */
export class SharedExits {
  readonly #fn: FunctionContext;
  readonly #landings: Landing[] = [];
  #resultLocals: readonly number[] | undefined;
  #courseLocal: number | undefined;

  constructor(fn: FunctionContext) {
    this.#fn = fn;
  }

  get count(): number {
    return this.#landings.length;
  }

  /** So many values have come alive since the last landing that what follows should have one of its own. */
  get isDue(): boolean {
    return this.#fn.fn !== undefined && this.#fn.cleanupDepth - (this.#landings.at(-1)?.cleanups ?? 0) >= ROW;
  }

  /** Opens a landing for what is written until it is closed and leaves a value of `type` then. */
  open(type: BlockType): void {
    const { code, cleanupDepth, loop } = this.#fn;
    const after = code.block(type);
    this.#landings.push({ after, here: code.block(), cleanups: cleanupDepth, loop, exits: new Set() });
  }

  /** Ends the landings above `count`. The cleanups that have come since stay in force. */
  close(count: number): void {
    const { code } = this.#fn;
    while (this.#landings.length > count) {
      const landing = this.#landings.pop();
      if (!landing) return;
      code.br(landing.after);
      code.end();
      this.#land(landing);
      code.end();
    }
  }

  /** Leaves the function by a landing, with the results on the stack; false when none is open. `kept`: what the results take along. */
  leave(kept?: VariableCleanup): boolean {
    if (this.#landings.length === 0) return false;
    for (const local of this.#results().toReversed()) this.#fn.code.set(local);
    kept?.disarm();
    this.#exit("leave", kept);
    return true;
  }

  /** Leaves a round of `loop` by a landing; false when none is open in it. */
  jump(where: "break" | "continue", loop: LoopFrame): boolean {
    if (this.#landings.at(-1)?.loop !== loop) return false;
    this.#exit(where);
    return true;
  }

  #exit(exit: Exit, kept?: VariableCleanup): void {
    const landing = this.#landings.at(-1);
    if (!landing) throw new Error("no landing is open");
    const { code } = this.#fn;
    this.#fn.emitCleanups(landing.cleanups, kept);
    if (landing.loop) {
      this.#courseLocal ??= code.local(ValueType.i32);
      code.i32(courses[exit]);
      code.set(this.#courseLocal);
    }
    landing.exits.add(exit);
    code.br(landing.here);
  }

  /** What the exits of a landing have in common, up to the next one, the loop or the end of the function. */
  #land({ cleanups, loop, exits }: Landing): void {
    const fn = this.#fn;
    if (exits.size === 0) return;
    const outer = this.#landings.at(-1);
    let depth = cleanups;
    if (loop && outer?.loop !== loop) {
      depth = loop.cleanups;
      fn.emitCleanups(depth, undefined, cleanups);
      this.#goOn("break", exits, loop.exit);
      this.#goOn("continue", exits, loop.next);
      if (!exits.has("leave")) return;
    }
    fn.emitCleanups(outer?.cleanups ?? 0, undefined, depth);
    if (outer) {
      for (const exit of exits) outer.exits.add(exit);
      fn.code.br(outer.here);
      return;
    }
    for (const local of this.#results()) fn.code.get(local);
    fn.code.return();
  }

  /** Takes an exit out of those that have landed, and branches to `target` when it was taken. */
  #goOn(exit: "break" | "continue", exits: Set<Exit>, target: Label): void {
    const { code } = this.#fn;
    if (!exits.delete(exit)) return;
    if (exits.size === 0 || this.#courseLocal === undefined) {
      code.br(target);
      return;
    }
    code.get(this.#courseLocal);
    code.i32(courses[exit]);
    code.op("i32.eq");
    code.brIf(target);
  }

  /** The locals in which the function's results wait, the status last. */
  #results(): readonly number[] {
    const { fn, program, code } = this.#fn;
    if (!fn) throw new Error("a helper shares no exits");
    this.#resultLocals ??= program.signatureOf(fn).results.map((type) => code.local(type));
    return this.#resultLocals;
  }
}
