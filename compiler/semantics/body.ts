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
/** How deep defaults may lie in defaults, and how many one body may take. */
const MAX_DEFAULT_DEPTH = 64;
const MAX_DEFAULTS = 20_000;

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
  /** The literals and calls whose defaults are being expanded, outermost first. */
  readonly #defaultSites: Span[] = [];
  readonly #reportedDefaults = new Set<Span>();
  /** Defaults expanded so far. */
  #defaults = 0;

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

  /**
   * Checks a default for the literal or call at `site` that leaves it out: bare names are looked up in `env`, locals stay visible (03 12.1.4, 04 2.4).
   * Defaults that need themselves, and those that multiply beyond measure, are reported at the outermost site.
   */
  expandDefault(env: Env, site: Span, check: () => TypedExpr): TypedExpr {
    const outermost = this.#defaultSites[0] ?? site;
    if (this.#defaultSites.length >= MAX_DEFAULT_DEPTH || this.#defaults >= MAX_DEFAULTS) {
      if (!this.#reportedDefaults.has(outermost)) {
        const why = this.#defaults >= MAX_DEFAULTS ? `are more than ${MAX_DEFAULTS}` : "need each other without end";
        this.cx.error("E0319", outermost, `the defaults behind this ${why}`);
      }
      this.#reportedDefaults.add(outermost);
      return poison(site);
    }
    const outer = this.env;
    this.env = env;
    this.#defaultSites.push(site);
    this.#defaults++;
    this.cx.leftOut = outermost;
    try {
      return check();
    } finally {
      this.env = outer;
      this.#defaultSites.pop();
      this.cx.leftOut = this.#defaultSites[0];
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
      return expr.fallible;
    default:
      return undefined;
  }
}
