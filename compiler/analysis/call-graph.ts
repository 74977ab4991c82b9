// Which functions a call can reach (11.9, "The call graph").
import type {
  FunctionType,
  InterfaceType,
  Local,
  LocusType,
  PerspectiveType,
  TypedCall,
  TypedExpr,
  TypedFunction,
  TypedProgram,
} from "../semantics/index.ts";
import { formMethodNames, walkBlock } from "../semantics/index.ts";
import type { BodyFacts } from "./body-facts.ts";

export interface Targets {
  readonly functions: readonly TypedFunction[];
  /** Something is called and nothing is known about it. */
  readonly isUnknown: boolean;
  /** The functions are alternatives: one of them runs. */
  readonly isChoice: boolean;
}

const NOTHING: Targets = { functions: [], isUnknown: false, isChoice: false };
const UNKNOWN_TARGET: Targets = { functions: [], isUnknown: true, isChoice: false };

export class CallGraph {
  readonly program: TypedProgram;
  readonly #implementers = new Map<InterfaceType | PerspectiveType, readonly LocusType[]>();
  #values: readonly (TypedExpr & { readonly kind: "function" })[] | undefined;

  constructor(program: TypedProgram) {
    this.program = program;
  }

  /** What a call in `facts`'s body runs. */
  targetsOf(call: TypedCall, facts: BodyFacts): Targets {
    const { callee } = call;
    switch (callee.kind) {
      case "function":
        return one(callee.function);
      case "method":
        return isTyped(callee.receiver, facts) ? one(callee.function) : UNKNOWN_TARGET;
      case "interface": {
        if (!isTyped(callee.receiver, facts)) return UNKNOWN_TARGET;
        return this.#membersOf(callee.interface, callee.interface.methods[callee.method]?.name ?? "");
      }
      case "perspective":
        return this.#membersOf(callee.perspective, callee.perspective.methods[callee.method]?.name ?? "");
      case "indirect":
        return this.#valueTargets(callee.value, callee.type, facts);
      case "form":
        return isTyped(callee.receiver, facts) ? this.#comparison(call, facts) : UNKNOWN_TARGET;
    }
  }

  /** Every locus with all of an interface's methods by name and arity, or that serves a perspective. */
  implementersOf(surface: InterfaceType | PerspectiveType): readonly LocusType[] {
    const known = this.#implementers.get(surface);
    if (known) return known;
    const fits = (locus: LocusType) => {
      if (surface.kind === "perspective") return locus.serves.includes(surface);
      const synthesised = locus.form ? formMethodNames(locus.form.form) : [];
      return surface.methods.every(({ name, params }) => {
        const own = locus.methods.get(name);
        return own ? own.params.length === params.length : synthesised.includes(name);
      });
    };
    const found = this.program.loci.filter(fits);
    this.#implementers.set(surface, found);
    return found;
  }

  /** Every locus with a method of that name behind an interface or perspective. */
  #membersOf(surface: InterfaceType | PerspectiveType, method: string): Targets {
    const functions = this.implementersOf(surface).flatMap((locus) => locus.methods.get(method) ?? []);
    return { functions, isUnknown: false, isChoice: true };
  }

  // ------------------------------------------------------------ function values

  #valueTargets(value: TypedExpr, type: FunctionType, facts: BodyFacts): Targets {
    const direct = functionBehind(value, facts);
    if (direct) return one(direct);
    const functions = [
      ...new Set(this.#readAsValue().flatMap((read) => (isSame(read.type, type) ? [read.function] : []))),
    ];
    return functions.length === 0 ? UNKNOWN_TARGET : { functions, isUnknown: false, isChoice: true };
  }

  /** `sort_by(f)` calls `f`, whatever value `f` is. */
  #comparison({ args }: TypedCall, facts: BodyFacts): Targets {
    const comparator = args.find(({ type }) => type.kind === "function");
    return comparator?.type.kind === "function" ? this.#valueTargets(comparator, comparator.type, facts) : NOTHING;
  }

  /** Every place of the program where a function's name is a value. */
  #readAsValue(): readonly (TypedExpr & { readonly kind: "function" })[] {
    if (this.#values) return this.#values;
    const found: (TypedExpr & { readonly kind: "function" })[] = [];
    for (const fn of this.program.functions) {
      walkBlock(fn.body, {
        expr: (expr) => {
          if (expr.kind === "function") found.push(expr);
          return undefined;
        },
      });
    }
    this.#values = found;
    return found;
  }
}

function one(fn: TypedFunction): Targets {
  return { functions: [fn], isUnknown: false, isChoice: false };
}

/** The function that a value certainly is: its name, or a `let` bound once to a name. */
function functionBehind(value: TypedExpr, facts: BodyFacts): TypedFunction | undefined {
  if (value.kind === "function") return value.function;
  if (value.kind !== "local" || facts.assigned.has(value.local)) return undefined;
  const source = facts.lets.get(value.local);
  return source && functionBehind(source, facts);
}

function isSame(type: TypedExpr["type"], callee: FunctionType): boolean {
  if (type === callee) return true;
  if (type.kind !== "function" || type.params.length !== callee.params.length) return false;
  return type.result === callee.result && type.params.every((param, i) => param === callee.params[i]);
}

// ---------------------------------------------------------------- receivers

/** Whether what is written says which type a receiver has; an index result or a `match` value does not. */
function isTyped(receiver: TypedExpr, facts: BodyFacts): boolean {
  switch (receiver.kind) {
    case "index":
    case "element":
    case "match":
    case "chain":
      return false;
    case "builtin":
      return receiver.name !== "array-get";
    case "local":
      return isTypedLocal(receiver.local, facts);
    case "field":
      return isTyped(receiver.receiver, facts);
    case "convert":
      return isTyped(receiver.operand, facts);
    case "or":
      return isTyped(receiver.operand, facts);
    case "block":
      return receiver.block.tail !== undefined && isTyped(receiver.block.tail, facts);
    case "if": {
      const tails = [receiver.then.tail, receiver.otherwise?.tail];
      return tails.every((tail) => tail !== undefined && isTyped(tail, facts));
    }
    case "call":
      return receiver.callee.kind !== "indirect";
    default:
      return true;
  }
}

function isTypedLocal(local: Local, facts: BodyFacts): boolean {
  if (facts.unwritten.has(local)) return false;
  if (local.kind !== "let" || local.isAnnotated) return true;
  const source = facts.lets.get(local);
  return source === undefined || isTyped(source, facts);
}
