// What the lowering cannot compile yet: never a silent wrong result.
import type { Diagnostic, Span } from "../source/index.ts";

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

/** Runs `write`; a construct that cannot be compiled yet is added to `found` instead of thrown. Answers whether all went well. */
export function collectUnsupported(found: Diagnostic[], write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (!(error instanceof UnsupportedConstruct)) throw error;
    found.push({ kind: "type error", severity: "error", code: "E1001", message: error.message, span: error.span });
    return false;
  }
}
