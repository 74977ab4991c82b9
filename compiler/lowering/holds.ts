// How the references among the leaves of a pushed value are held, and where a failing operand goes.

/**
 * `plain`: the type has no counted leaves.
 * `owned`: whoever takes the value must release it or store it.
 * `stable`: borrowed from something that lives and stays as it is until the end of the statement: a parameter, an immutable local, a literal.
 * `local`: borrowed from a local that an assignment could change.
 * `memory`: borrowed from memory (a field, an element): good until the next instruction that may write.
 */
export type Hold = "plain" | "owned" | "stable" | "local" | "memory";

/** What the taker of a value wants: any hold, or an own reference (a record read from a place is copied then, 03 15.2). */
export type Want = "any" | "own";

/** What to do when an operand fails. Both write code that does not fall through. */
export interface FailureTarget {
  /** The payload lies in the result area, owned. */
  fromResultArea(): void;
  /** The payload's leaves are on the stack, owned. */
  fromStack(): void;
}
