// Answering a thread of the program: at once, or after some change, or when its time is up.
import { errno } from "../errno.ts";
import { DATA_CAPACITY, DATA_LENGTH, type Mailbox, STATE } from "../protocol.ts";
import { WOULD_BLOCK, type WouldBlock } from "./descriptor.ts";

export interface Answer {
  readonly result: number;
  readonly data?: Uint8Array;
}

/** Tries to answer; `WOULD_BLOCK` when something must happen first. */
export type Attempt = () => Answer | number | WouldBlock;

interface Waiting {
  readonly mailbox: Mailbox;
  readonly attempt: Attempt;
  /** A signal that the program watches for ends the wait. */
  readonly interruptible: boolean;
  timer: NodeJS.Timeout | undefined;
}

export class Requests {
  readonly #waiting = new Set<Waiting>();

  reply(mailbox: Mailbox, answer: Answer | number): void {
    const { result, data } = typeof answer === "number" ? { result: answer, data: undefined } : answer;
    const length = Math.min(data?.length ?? 0, DATA_CAPACITY);
    if (data !== undefined) mailbox.data.set(data.subarray(0, length));
    Atomics.store(mailbox.words, DATA_LENGTH, length);
    mailbox.result[0] = BigInt(result);
    Atomics.store(mailbox.words, STATE, 0);
    Atomics.notify(mailbox.words, STATE);
  }

  /**
   * Answers when `attempt` can, and with `expired` when that takes more than `limit` milliseconds (negative: no limit; 0: what is here now). What lies in the
   * kernel's buffers when the time is up counts: a timer comes before it, after a pause of this thread.
   */
  when(mailbox: Mailbox, attempt: Attempt, limit = -1, expired: Answer | number = 0, interruptible = false): void {
    const answer = attempt();
    if (answer !== WOULD_BLOCK) {
      this.reply(mailbox, answer);
      return;
    }
    const waiting: Waiting = { mailbox, attempt, interruptible, timer: undefined };
    this.#waiting.add(waiting);
    if (limit >= 0) this.#expire(waiting, performance.now() + limit, expired);
  }

  /** Something changed: every waiting request is tried again. */
  retry(): void {
    for (const waiting of this.#waiting) {
      const answer = waiting.attempt();
      if (answer !== WOULD_BLOCK) this.#finish(waiting, answer);
    }
  }

  /** A signal came. */
  interrupt(): void {
    for (const waiting of this.#waiting) if (waiting.interruptible) this.#finish(waiting, errno("EINTR"));
  }

  /** Node's timers count whole milliseconds and may be early by one: the program's clock would tell. */
  #expire(waiting: Waiting, end: number, expired: Answer | number): void {
    const left = end - performance.now();
    if (left <= 0) afterATurn(() => this.#giveUp(waiting, expired));
    else waiting.timer = setTimeout(() => this.#expire(waiting, end, expired), Math.ceil(left));
  }

  #giveUp(waiting: Waiting, expired: Answer | number): void {
    if (!this.#waiting.has(waiting)) return;
    const answer = waiting.attempt();
    this.#finish(waiting, answer === WOULD_BLOCK ? expired : answer);
  }

  #finish(waiting: Waiting, answer: Answer | number): void {
    if (!this.#waiting.delete(waiting)) return;
    clearTimeout(waiting.timer);
    this.reply(waiting.mailbox, answer);
  }
}

/** Goes on when the event loop has looked at every descriptor once. */
export function afterATurn(then: () => void): void {
  setImmediate(() => setImmediate(then));
}
