// Termination signals of a program that watches for them (05b 5b.15).
import { constants } from "node:os";
import { type Control, SIGNAL_COUNT, SIGNAL_FLAG, SIGNAL_NUMBER } from "../protocol.ts";

const WATCHED = ["SIGINT", "SIGTERM"] as const;

export class Signals {
  readonly #control: Control;
  readonly #program: { readonly memory: WebAssembly.Memory | undefined };
  readonly #arrived: () => void;
  #watching = false;
  readonly #handle = (signal: NodeJS.Signals) => this.#note(signal);

  /** `arrived` is called after the flag was set. */
  constructor(control: Control, program: { readonly memory: WebAssembly.Memory | undefined }, arrived: () => void) {
    this.#control = control;
    this.#program = program;
    this.#arrived = arrived;
  }

  watch(flag: number): number {
    Atomics.store(this.#control.words, SIGNAL_FLAG, flag);
    if (!this.#watching) {
      Atomics.store(this.#control.words, SIGNAL_NUMBER, 0);
      for (const signal of WATCHED) process.on(signal, this.#handle);
    }
    this.#watching = true;
    return 0;
  }

  unwatch(): number {
    for (const signal of WATCHED) process.off(signal, this.#handle);
    this.#watching = false;
    Atomics.store(this.#control.words, SIGNAL_FLAG, 0);
    return 0;
  }

  #note(signal: NodeJS.Signals): void {
    const { words } = this.#control;
    if (Atomics.load(words, SIGNAL_NUMBER) !== 0) {
      // The second one ends the process as if nobody watched.
      this.unwatch();
      process.kill(process.pid, signal);
      return;
    }
    const number = constants.signals[signal];
    Atomics.store(words, SIGNAL_NUMBER, number);
    const { memory } = this.#program;
    const flag = Atomics.load(words, SIGNAL_FLAG) >>> 0;
    if (memory !== undefined && flag !== 0) Atomics.store(new Int32Array(memory.buffer), flag >>> 2, number);
    Atomics.add(words, SIGNAL_COUNT, 1);
    Atomics.notify(words, SIGNAL_COUNT);
    this.#arrived();
  }
}
