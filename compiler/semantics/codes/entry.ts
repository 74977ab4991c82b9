/** What a diagnostic's code stands for: an entry of docs/diagnostics.md. */
export interface CodeInfo {
  readonly title: string;
  /** Why it is refused, and what to write instead. */
  readonly explanation: string;
  /** A program that gets it. */
  readonly example: string;
}
