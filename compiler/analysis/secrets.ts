// `@secret` parameters (11.13): where they may not be seen. The default lint is shallow; the strict walk follows every branch and fails closed.
import type {
  Local,
  OrDisposition,
  Place,
  TypedBlock,
  TypedExpr,
  TypedFunction,
  TypedStmt,
} from "../semantics/index.ts";
import { walkExpr } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import type { Findings } from "./findings.ts";
import { functionName } from "./names.ts";

export function findExposedSecrets(fn: TypedFunction, findings: Findings): void {
  const secrets = fn.params.filter((param) => param.isSecret);
  if (secrets.length === 0) return;
  lintBlock(fn.body, new Set(secrets), findings);
}

// ---------------------------------------------------------------- the default lint

/** Top-level statements, `then` blocks and loop bodies. */
function lintBlock(block: TypedBlock | undefined, secrets: ReadonlySet<Local>, findings: Findings): void {
  for (const statement of block?.statements ?? []) {
    if (statement.kind === "send") report(statement.span, mentioned(statement.payload, secrets), "is sent", findings);
    else if (statement.kind === "while" || statement.kind === "for-each" || statement.kind === "for-range")
      lintBlock(statement.body, secrets, findings);
    else if (statement.kind === "expr") {
      if (statement.expr.kind === "if") lintBlock(statement.expr.then, secrets, findings);
      else lintCall(statement.expr, statement.span, secrets, findings);
    }
  }
}

function lintCall(expr: TypedExpr, span: Span, secrets: ReadonlySet<Local>, findings: Findings): void {
  const call = expr.kind === "or" ? expr.operand : expr;
  const sink = sinkOf(call);
  if (!sink) return;
  for (const arg of argumentsOf(call)) {
    const secret = mentioned(arg, secrets);
    if (!secret) continue;
    report(span, secret, sink, findings);
    return;
  }
}

function report(span: Span, secret: Local | undefined, what: string, findings: Findings): void {
  if (secret) findings.warn("W1112", span, `the secret \`${secret.name}\` ${what} here`);
}

const WRITERS = /::(write_bytes|write_file|write_line)$/;

/** What a call does with its arguments that no secret should meet. */
function sinkOf(call: TypedExpr): string | undefined {
  if (call.kind === "print") return call.stream === "stdout" ? "is printed" : undefined;
  if (call.kind !== "call" || call.callee.kind !== "function") return undefined;
  const { function: callee } = call.callee;
  return callee.span.file.isStd && WRITERS.test(callee.name) ? "is written" : undefined;
}

function argumentsOf(call: TypedExpr): readonly TypedExpr[] {
  return call.kind === "print" || call.kind === "call" ? call.args : [];
}

/** The first of the secrets that an expression names, in f-strings and sums as well. */
function mentioned(expr: TypedExpr, secrets: ReadonlySet<Local>): Local | undefined {
  let found: Local | undefined;
  walkExpr(expr, {
    expr: (part) => {
      if (part.kind === "local" && secrets.has(part.local)) found ??= part.local;
      return undefined;
    },
  });
  return found;
}

// ---------------------------------------------------------------- the strict walk

/** `--strict-secret`: every branch, names bound from a secret are secrets, and what is not known to keep one is an error. */
export function checkSecrets(fn: TypedFunction, findings: Findings): void {
  const secrets = fn.params.filter((param) => param.isSecret);
  if (secrets.length > 0 && fn.body) new StrictWalk(fn, secrets, findings).block(fn.body, true);
}

class StrictWalk {
  readonly #fn: TypedFunction;
  readonly #secrets: Set<Local>;
  readonly #findings: Findings;

  constructor(fn: TypedFunction, secrets: readonly Local[], findings: Findings) {
    this.#fn = fn;
    this.#secrets = new Set(secrets);
    this.#findings = findings;
  }

  block(block: TypedBlock, isBody: boolean): void {
    for (const statement of block.statements) this.#statement(statement);
    if (!block.tail) return;
    if (isBody) this.#judge(block.tail, block.tail.span, "is given back");
    this.#expr(block.tail, block.tail.span);
  }

  #statement(statement: TypedStmt): void {
    const { span } = statement;
    switch (statement.kind) {
      case "let":
        this.#expr(statement.value, span);
        if (statement.local && this.#mention(statement.value)) this.#secrets.add(statement.local);
        return;
      case "let-tuple":
        this.#expr(statement.value, span);
        if (this.#mention(statement.value)) for (const local of statement.locals) if (local) this.#secrets.add(local);
        return;
      case "assign":
      case "update":
        this.#assign(statement.place, statement.value, span);
        return;
      case "expr":
        this.#expr(statement.expr, span);
        return;
      case "while":
        this.#expr(statement.condition, span);
        this.block(statement.body, false);
        return;
      case "for-range":
      case "for-each":
        if (statement.kind === "for-each") this.#bindItem(statement);
        this.block(statement.body, false);
        return;
      case "return":
        if (statement.value) this.#judge(statement.value, span, "is returned");
        if (statement.value) this.#expr(statement.value, span);
        return;
      case "fail":
        this.#judge(statement.value, span, "fails");
        this.#expr(statement.value, span);
        return;
      case "violate":
        if (statement.payload) this.#judge(statement.payload, span, "is a violation's payload");
        return;
      case "block":
        this.block(statement.block, false);
        return;
      case "send":
        this.#judge(statement.payload, span, "is sent");
        if (statement.or) this.#disposition(statement.or, span);
        return;
      default:
        return;
    }
  }

  #bindItem({ local, source }: TypedStmt & { readonly kind: "for-each" }): void {
    if (local && this.#mention(source)) this.#secrets.add(local);
  }

  #assign(place: Place, value: TypedExpr, span: Span): void {
    this.#expr(value, span);
    if (!this.#mention(value)) return;
    if (place.kind === "local") this.#secrets.add(place.local);
    else this.#judge(value, span, "is stored");
  }

  #disposition(disposition: OrDisposition, span: Span): void {
    if (disposition.kind === "fail") this.#judge(disposition.value, span, "fails");
    else if (disposition.kind === "value") this.#expr(disposition.value, span);
  }

  /** Calls anywhere in an expression, and the arms of a `match`. `at`: the statement. */
  #expr(expr: TypedExpr, at: Span): void {
    walkExpr(expr, {
      expr: (part) => {
        switch (part.kind) {
          case "print":
          case "call":
            for (const arg of argumentsOf(part)) this.#judge(arg, at, sinkOf(part) ?? "goes into a call");
            return undefined;
          case "builtin":
            return undefined;
          case "match":
            for (const { body } of part.arms) this.#judge(body, body.span, "is the value of an arm");
            return undefined;
          default:
            return undefined;
        }
      },
      statement: (statement) => {
        this.#statement(statement);
        return false;
      },
    });
  }

  #mention(expr: TypedExpr): Local | undefined {
    return mentioned(expr, this.#secrets);
  }

  #judge(expr: TypedExpr, span: Span, what: string): void {
    const secret = this.#mention(expr);
    if (secret)
      this.#findings.error(
        "E1112",
        span,
        `\`${functionName(this.#fn)}\`: the secret \`${secret.name}\` ${what} here, and nothing says that it stays secret`,
      );
  }
}
