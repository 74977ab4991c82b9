import { nearestName, type Span } from "../source/index.ts";
import type { AccumulatorInfo, Context, Env } from "./context.ts";
import type { Local, TypedExpr, TypedFunction } from "./typed.ts";
import { POISON } from "./type-table.ts";
import type { LocusField, LocusType, Type } from "./types.ts";

interface BodyOptions {
  readonly initialises?: LocusField | undefined;
  readonly accumulators?: AccumulatorInfo[] | undefined;
}

/** The state of checking one function's body. */
export class Body {
  readonly cx: Context;
  /** Where bare names are looked up; another one while a default of a declaration elsewhere is checked. */
  env: Env;
  readonly fn: TypedFunction;
  readonly self: LocusType | undefined;
  /** What `return` must give. Undefined while it is not known (an untyped param's default). */
  readonly result: Type;
  readonly fallible: Type | undefined;
  /** Loops around the current statement. */
  loops = 0;
  /** The field whose default this is. */
  readonly initialises: LocusField | undefined;
  /** Inside the assertion of a closure: what accumulates in it. */
  readonly accumulators: AccumulatorInfo[] | undefined;
  readonly #scopes: Map<string, Local>[] = [new Map()];
  /** Names of blocks that have ended. */
  readonly #ended = new Set<string>();

  constructor(cx: Context, env: Env, fn: TypedFunction, options: BodyOptions = {}) {
    this.cx = cx;
    this.env = env;
    this.fn = fn;
    this.self = fn.self;
    this.result = fn.result;
    this.fallible = fn.fallible;
    this.initialises = options.initialises;
    this.accumulators = options.accumulators;
  }

  /** Runs `check` with a new innermost scope. */
  scoped<T>(check: () => T): T {
    this.#scopes.push(new Map());
    try {
      return check();
    } finally {
      for (const name of this.#scopes.pop()?.keys() ?? []) this.#ended.add(name);
    }
  }

  /** Runs `check` with bare names looked up elsewhere; locals stay visible (03 12.1.4, 04 2.4). */
  within<T>(env: Env, check: () => T): T {
    const outer = this.env;
    this.env = env;
    try {
      return check();
    } finally {
      this.env = outer;
    }
  }

  declare(local: Local): Local {
    if (local.name !== "_") this.#scopes.at(-1)?.set(local.name, local);
    return local;
  }

  lookup(name: string): Local | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const local = this.#scopes[i]?.get(name);
      if (local) return local;
    }
    return undefined;
  }

  /** Whether the name was bound in a block that has ended. */
  hadName(name: string): boolean {
    return this.#ended.has(name);
  }

  nearestLocal(name: string): string | undefined {
    return nearestName(
      name,
      this.#scopes.flatMap((scope) => [...scope.keys()]),
    );
  }

  *localNames(): Iterable<string> {
    for (const scope of this.#scopes) yield* scope.keys();
  }
}

/** Stands for an expression that was reported. */
export function poison(span: Span): TypedExpr {
  return { kind: "unit", type: POISON, span };
}

/** The payload type of an expression that can fail. */
export function fallibleOf(expr: TypedExpr): Type | undefined {
  switch (expr.kind) {
    case "call":
    case "builtin":
    case "chain":
    case "narrow":
      return expr.fallible;
    default:
      return undefined;
  }
}
