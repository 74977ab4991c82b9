// Asking the launcher's main thread: a message, then sleep until the answer lies in the mailbox.
import type { MessagePort } from "node:worker_threads";
import { type Argument, DATA_LENGTH, type Mailbox, type Request, STATE } from "../protocol.ts";

export class MainThread {
  readonly #port: MessagePort;
  readonly #mailbox: Mailbox;

  constructor(port: MessagePort, mailbox: Mailbox) {
    this.#port = port;
    this.#mailbox = mailbox;
  }

  /** Blocks until the call is answered and returns its result; the data that came with it is in `data`. */
  ask(call: string, ...args: Argument[]): number {
    const { words, result } = this.#mailbox;
    Atomics.store(words, STATE, 1);
    const request: Request = [call, ...args];
    this.#port.postMessage(request);
    while (Atomics.load(words, STATE) === 1) Atomics.wait(words, STATE, 1);
    return Number(result[0]);
  }

  /** Of the last answer. */
  get data(): Uint8Array {
    const { words, data } = this.#mailbox;
    return data.subarray(0, Atomics.load(words, DATA_LENGTH));
  }

  /** Ends the process; does not return. */
  exit(status: number): never {
    this.ask("exit", status & 0xff);
    // The main thread never answers.
    for (;;) Atomics.wait(this.#mailbox.words, STATE, 0);
  }
}
