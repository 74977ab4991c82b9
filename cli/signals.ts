import { constants } from "node:os";

/** What asks a command to end: the terminal, the system, the terminal going away. */
const TERMINATION = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

export interface Termination {
  /** The exit status that the first signal asks for, if one came. */
  status(): number | undefined;
  /** Gives the signals their default action again. */
  release(): void;
}

/** Calls `listener` at every signal that asks the process to end, instead of ending it. */
export function onTermination(listener: (signal: NodeJS.Signals) => void): Termination {
  let first: NodeJS.Signals | undefined;
  const handle = (signal: NodeJS.Signals): void => {
    first ??= signal;
    listener(signal);
  };
  for (const signal of TERMINATION) process.on(signal, handle);
  return {
    status: () => (first === undefined ? undefined : statusOfSignal(first)),
    release: () => {
      for (const signal of TERMINATION) process.off(signal, handle);
    },
  };
}

/**
 * Ends the process at the first such signal, in the way that clears up after it. Not for work that keeps the thread busy for long: it would not be
 * interrupted before it is done.
 */
export function exitOnTermination(): Termination {
  return onTermination((signal) => process.exit(statusOfSignal(signal)));
}

/** The exit status by which shells tell of a death by signal: 128 and its number. */
export function statusOfSignal(signal: NodeJS.Signals): number {
  return 128 + signalNumber(signal);
}

export function signalNumber(signal: NodeJS.Signals): number {
  return constants.signals[signal];
}
