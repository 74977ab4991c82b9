// Typed code that the checker writes itself: conversions between scalars and the like.
import type { Span } from "../source/index.ts";
import type { Context } from "./context.ts";
import { BOOL, INT, UNIT } from "./type-table.ts";
import type { BinaryOperation, Local, TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "./typed.ts";
import type { Type } from "./types.ts";

export interface Synthesis {
  readonly name: string;
  readonly params: readonly (readonly [string, Type])[];
  readonly result: Type;
  readonly fallible?: Type | undefined;
  readonly span: Span;
  readonly body: (params: readonly TypedExpr[]) => {
    readonly statements: readonly TypedStmt[];
    readonly tail?: TypedExpr;
  };
}

/** The function of this name, made at its first use. */
export function synthesise(cx: Context, { name, params, result, fallible, span, body }: Synthesis): TypedFunction {
  const known = cx.synthesised.get(name);
  if (known) return known;
  const locals = params.map(([param, type]): Local => ({ name: param, type, mutable: false, kind: "param", span }));
  const made = body(locals.map((local) => ({ kind: "local", local, type: local.type, span })));
  const block: TypedBlock = { statements: made.statements, tail: made.tail, span };
  const fn: TypedFunction = {
    name,
    role: "free",
    self: undefined,
    params: locals,
    result,
    declaresResult: true,
    fallible,
    body: block,
    foreign: undefined,
    span,
    nameSpan: span,
    isHandler: false,
    decorators: [],
  }; // prettier-ignore
  cx.synthesised.set(name, fn);
  cx.functions.push(fn);
  return fn;
}

/** Short forms of typed nodes at one place. */
export class Writer {
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
  }

  int(value: bigint): TypedExpr {
    return { kind: "int", value: BigInt.asIntN(64, value), type: INT, span: this.span };
  }

  binary(operation: BinaryOperation, left: TypedExpr, right: TypedExpr, type: Type = left.type): TypedExpr {
    return { kind: "binary", operation, left, right, type, span: this.span };
  }

  compare(
    operation: "equal" | "not-equal" | "less" | "less-equal" | "greater" | "greater-equal",
    left: TypedExpr,
    right: TypedExpr,
  ): TypedExpr {
    return { kind: "binary", operation, left, right, type: BOOL, span: this.span };
  }

  either(left: TypedExpr, right: TypedExpr): TypedExpr {
    return { kind: "or-else", left, right, type: BOOL, span: this.span };
  }

  both(left: TypedExpr, right: TypedExpr): TypedExpr {
    return { kind: "and", left, right, type: BOOL, span: this.span };
  }

  local(name: string, type: Type): Local {
    return { name, type, mutable: true, kind: "let", span: this.span };
  }

  read(local: Local): TypedExpr {
    return { kind: "local", local, type: local.type, span: this.span };
  }

  let(local: Local, value: TypedExpr): TypedStmt {
    return { kind: "let", local, value, span: this.span };
  }

  set(local: Local, value: TypedExpr): TypedStmt {
    return {
      kind: "assign",
      place: { kind: "local", local, type: local.type, span: this.span },
      value,
      span: this.span,
    };
  }

  when(condition: TypedExpr, ...statements: readonly TypedStmt[]): TypedStmt {
    const { span } = this;
    const expr: TypedExpr = {
      kind: "if",
      condition,
      then: this.block(statements),
      otherwise: undefined,
      type: UNIT,
      span,
    };
    return { kind: "expr", expr, span };
  }

  loop(condition: TypedExpr, ...statements: readonly TypedStmt[]): TypedStmt {
    return { kind: "while", condition, body: this.block(statements), span: this.span };
  }

  block(statements: readonly TypedStmt[]): TypedBlock {
    return { statements, tail: undefined, span: this.span };
  }

  fail(value: TypedExpr): TypedStmt {
    return { kind: "fail", value, span: this.span };
  }

  give(value: TypedExpr): TypedStmt {
    return { kind: "return", value, span: this.span };
  }

  /** The same value as another scalar over Int. */
  as(value: TypedExpr, type: Type): TypedExpr {
    return value.type === type
      ? value
      : { kind: "convert", conversion: "scalar", operand: value, type, span: this.span };
  }

  call(fn: TypedFunction, args: readonly TypedExpr[]): TypedExpr {
    return {
      kind: "call",
      callee: { kind: "function", function: fn },
      args,
      fallible: fn.fallible,
      type: fn.result,
      span: this.span,
    };
  }
}
