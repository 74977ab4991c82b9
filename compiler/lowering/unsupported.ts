// What the lowering cannot compile yet: never a silent wrong result.
import type { Span } from "../source/index.ts";

/** Thrown where such a construct is met; `lowerProgram` turns it into a diagnostic (E1001) at `span`. */
export class UnsupportedConstruct extends Error {
  readonly construct: string;
  readonly span: Span;

  constructor(construct: string, span: Span) {
    super(`not supported yet: ${construct}`);
    this.construct = construct;
    this.span = span;
  }
}

export function unsupported(construct: string, span: Span): never {
  throw new UnsupportedConstruct(construct, span);
}
