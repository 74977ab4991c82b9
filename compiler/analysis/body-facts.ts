// What happens in one body, in source order: calls, sends, prints, loci built, allocation sites (11.6), each with the loops and conditions around it.
// One walk over the typed tree; every analysis reads its result.
import type {
  BinaryOperation,
  Local,
  OrDisposition,
  Place,
  TypedBlock,
  TypedCall,
  TypedExpr,
  TypedFunction,
  TypedStmt,
} from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import { isBoundedLoop } from "./bounded-loops.ts";
import { isGenerated, isWithin } from "./names.ts";

/** A loop around an event; element chains are loops, too. */
export interface Loop {
  readonly isBounded: boolean;
  /** `while true`, literally. */
  readonly isEndless: boolean;
  readonly outer: Loop | undefined;
}

/** What becomes of an allocated value (11.6, "Escape"). */
export type Fate = "local" | "sent" | "returned" | "stored";

interface Around {
  readonly span: Span;
  readonly loop: Loop | undefined;
  /** Inside `if`, `match`, a loop, or the right side of `or`, `&&`, `||`. */
  readonly isConditional: boolean;
}

export type SendStmt = TypedStmt & { readonly kind: "send" };
type LocusLiteral = TypedExpr & { readonly kind: "locus" };

export interface CallEvent extends Around {
  readonly kind: "call";
  readonly call: TypedCall;
  /** The `let` whose whole value it is. */
  readonly boundBy: Span | undefined;
}

export interface SendEvent extends Around {
  readonly kind: "send";
  readonly send: SendStmt;
}

export interface LiteralEvent extends Around {
  readonly kind: "literal";
  readonly literal: LocusLiteral;
  /** A statement of its own: the instance is bound to nothing. */
  readonly isBare: boolean;
}

export interface SiteEvent extends Around {
  readonly kind: "site";
  /** `struct T`, `array-literal`, `string-concat` ... */
  readonly label: string;
  readonly fate: Fate;
  /** What a `struct` site builds. */
  readonly literal: TypedExpr | undefined;
  /** The whole right side of `self.f = ..`. */
  readonly replacesField: boolean;
}

export interface PrintEvent extends Around {
  readonly kind: "print";
  readonly name: string;
}

/** A constant is evaluated at each read. */
export interface ConstEvent extends Around {
  readonly kind: "const";
  readonly function: TypedFunction;
}

export type Event = CallEvent | SendEvent | LiteralEvent | SiteEvent | PrintEvent | ConstEvent;

export interface BodyFacts {
  readonly fn: TypedFunction;
  readonly events: readonly Event[];
  /** What each `let` is initialised with. */
  readonly lets: ReadonlyMap<Local, TypedExpr>;
  /** Locals that are assigned after their `let`. */
  readonly assigned: ReadonlySet<Local>;
  /** Binders of `match` patterns and of tuple `let`s: nothing says their types. */
  readonly unwritten: ReadonlySet<Local>;
  /** The target of some assignment, or the buffer of a `push`, starts with `self`. */
  readonly assignsSelf: boolean;
  /** A `while true` stands in it. */
  readonly hasEndlessLoop: boolean;
  /** `let`s of the body, tuple members counted each. */
  readonly slots: readonly TypedExpr["type"][];
}

/** Built-in calls that change their first argument (07 10). */
const CHANGES_BUFFER: ReadonlySet<string> = new Set([
  "bounded-push",
  "bounded-set",
  "bounded-clear",
  "bounded-truncate",
]);

const known = new WeakMap<TypedFunction, BodyFacts>();

/** The facts of a function's body, read once. */
export function factsOf(fn: TypedFunction): BodyFacts {
  const earlier = known.get(fn);
  if (earlier) return earlier;
  const facts = new Reader(fn).read();
  known.set(fn, facts);
  return facts;
}

/** Whether a place or expression starts with `self`. */
export function startsWithSelf(expr: TypedExpr | Place): boolean {
  switch (expr.kind) {
    case "self":
      return true;
    case "field":
      return startsWithSelf("receiver" in expr ? expr.receiver : expr.base);
    case "index":
    case "element":
      return startsWithSelf("receiver" in expr ? expr.receiver : expr.base);
    case "convert":
      return startsWithSelf(expr.operand);
    default:
      return false;
  }
}

/** Where a value goes. `local`: it initialises that `let`; its fate is known when the whole body is. */
interface Position {
  readonly fate: Fate;
  readonly local: Local | undefined;
  readonly replacesField?: boolean;
}

const PLAIN: Position = { fate: "local", local: undefined };
const RETURNED: Position = { fate: "returned", local: undefined };
const STORED: Position = { fate: "stored", local: undefined };
const SENT: Position = { fate: "sent", local: undefined };

/** Of two escapes of one value the one that lasts longer counts. */
const RANK: Readonly<Record<Fate, number>> = { local: 0, sent: 1, returned: 2, stored: 3 };

interface Scope {
  readonly loop: Loop | undefined;
  readonly isConditional: boolean;
}

type DraftSite = { -readonly [K in keyof SiteEvent]: SiteEvent[K] } & { readonly local: Local | undefined };

class Reader {
  readonly #fn: TypedFunction;
  readonly #events: Event[] = [];
  readonly #sites: DraftSite[] = [];
  readonly #lets = new Map<Local, TypedExpr>();
  readonly #assigned = new Set<Local>();
  readonly #unwritten = new Set<Local>();
  readonly #slots: TypedExpr["type"][] = [];
  readonly #escapes = new Map<Local, Fate>();
  #assignsSelf = false;
  #hasEndlessLoop = false;

  constructor(fn: TypedFunction) {
    this.#fn = fn;
  }

  read(): BodyFacts {
    const { body } = this.#fn;
    if (body) this.#block(body, { loop: undefined, isConditional: false }, RETURNED);
    for (const site of this.#sites) {
      const fate = site.local && this.#escapes.get(site.local);
      if (fate && RANK[fate] > RANK[site.fate]) site.fate = fate;
    }
    return {
      fn: this.#fn,
      events: this.#events,
      lets: this.#lets,
      assigned: this.#assigned,
      unwritten: this.#unwritten,
      assignsSelf: this.#assignsSelf,
      hasEndlessLoop: this.#hasEndlessLoop,
      slots: this.#slots,
    };
  }

  // ------------------------------------------------------------ statements

  #block(block: TypedBlock | undefined, scope: Scope, tail: Position = PLAIN): void {
    if (!block) return;
    for (const statement of block.statements) this.#statement(statement, scope);
    if (block.tail) this.#value(block.tail, scope, tail);
  }

  #statement(statement: TypedStmt, scope: Scope): void {
    switch (statement.kind) {
      case "let":
        this.#let(statement, scope);
        return;
      case "let-tuple":
        for (const local of statement.locals) {
          if (local) this.#unwritten.add(local);
          this.#slots.push(local?.type ?? statement.value.type);
        }
        this.#value(statement.value, scope, PLAIN);
        return;
      case "assign":
        this.#place(statement.place, scope);
        if (statement.place.kind === "local") this.#assigned.add(statement.place.local);
        this.#value(statement.value, scope, targetPosition(statement.place));
        return;
      case "update":
        this.#place(statement.place, scope);
        if (statement.place.kind === "local") this.#assigned.add(statement.place.local);
        this.#value(statement.value, scope, startsWithSelf(statement.place) ? STORED : PLAIN);
        return;
      case "expr":
        this.#dropped(statement.expr, scope);
        return;
      case "while": {
        const isEndless = isTrue(statement.condition);
        this.#hasEndlessLoop ||= isEndless;
        const inside = inLoop(scope, isBoundedLoop(statement, this.#fn), isEndless);
        this.#value(statement.condition, inside, PLAIN);
        this.#block(statement.body, inside);
        return;
      }
      case "for-range":
        this.#value(statement.low, scope, PLAIN);
        this.#value(statement.high, scope, PLAIN);
        this.#block(statement.body, inLoop(scope, isBoundedLoop(statement, this.#fn), false));
        return;
      case "for-each":
        this.#value(statement.source, scope, PLAIN);
        this.#block(statement.body, inLoop(scope, false, false));
        return;
      case "return":
        if (statement.value) this.#value(statement.value, scope, RETURNED);
        return;
      case "fail":
        this.#value(statement.value, scope, RETURNED);
        return;
      case "block":
        this.#block(statement.block, scope);
        return;
      case "send":
        this.#send(statement, scope);
        return;
      case "violate":
        if (statement.payload) this.#value(statement.payload, scope, PLAIN);
        return;
      case "recovery":
        this.#value(statement.argument, scope, PLAIN);
        if (statement.limit) this.#value(statement.limit, scope, PLAIN);
        return;
      default:
        return;
    }
  }

  #let({ local, value, span }: TypedStmt & { readonly kind: "let" }, scope: Scope): void {
    this.#slots.push(local?.type ?? value.type);
    if (local) this.#lets.set(local, value);
    const inner = value.kind === "or" ? value.operand : value;
    if (inner.kind === "call") this.#boundCalls.set(inner, span);
    this.#value(value, scope, { fate: "local", local });
  }

  /** Calls that are the whole value of a `let`. */
  readonly #boundCalls = new Map<TypedCall, Span>();

  #send(statement: SendStmt, scope: Scope): void {
    if (statement.subject.kind === "computed") this.#value(statement.subject.value, scope, PLAIN);
    this.#events.push({ kind: "send", send: statement, span: statement.span, ...scope });
    this.#value(statement.payload, scope, SENT);
    if (statement.or) this.#disposition(statement.or, scope, PLAIN);
  }

  /** A statement of its own. */
  #dropped(expr: TypedExpr, scope: Scope): void {
    if (expr.kind === "locus") this.#locus(expr, scope, PLAIN, true);
    else this.#value(expr, scope, PLAIN);
  }

  #place(place: Place, scope: Scope): void {
    this.#assignsSelf ||= startsWithSelf(place);
    if (place.kind === "local") return;
    this.#value(place.base, scope, PLAIN);
    if (place.kind === "element") this.#value(place.index, scope, PLAIN);
  }

  #disposition(disposition: OrDisposition, scope: Scope, position: Position): void {
    const inside = conditional(scope);
    if (disposition.kind === "fail") this.#value(disposition.value, inside, RETURNED);
    else if (disposition.kind === "value") this.#value(disposition.value, inside, position);
  }

  // ------------------------------------------------------------ expressions

  #all(parts: readonly (TypedExpr | undefined)[], scope: Scope, position: Position): void {
    for (const part of parts) if (part) this.#value(part, scope, position);
  }

  #value(expr: TypedExpr, scope: Scope, position: Position): void {
    switch (expr.kind) {
      case "local":
        if (position.fate !== "local") this.#keepFate(expr.local, position.fate);
        return;
      case "field":
      case "element":
      case "draining":
      case "children":
        this.#value(expr.receiver, scope, PLAIN);
        return;
      case "index":
        this.#all([expr.receiver, expr.index], scope, PLAIN);
        return;
      case "slice":
        this.#all([expr.receiver, expr.low, expr.high], scope, PLAIN);
        return;
      case "record":
        this.#site(expr, `struct ${expr.type.kind === "record" ? expr.type.displayName : "?"}`, scope, position);
        this.#all(expr.fields, scope, inner(position));
        return;
      case "locus":
        this.#locus(expr, scope, position, false);
        return;
      case "variant":
        this.#all(expr.payload, scope, inner(position));
        return;
      case "tuple":
        this.#all(expr.members, scope, inner(position));
        return;
      case "array":
        this.#site(expr, "array-literal", scope, position);
        this.#all(expr.elements, scope, inner(position));
        return;
      case "repeat":
        this.#site(expr, "array-repeat", scope, position);
        this.#value(expr.value, scope, inner(position));
        return;
      case "bytes":
        this.#site(expr, "bytes-literal", scope, position);
        return;
      case "concat":
        for (const span of expr.sums) this.#site({ ...expr, span }, "string-concat", scope, position);
        this.#all(expr.parts, scope, inner(position));
        return;
      case "negate":
      case "not":
      case "complement":
      case "convert":
      case "to-text":
        this.#value(expr.operand, scope, expr.kind === "convert" ? position : inner(position));
        return;
      case "binary":
        this.#all([expr.left, expr.right], scope, inner(position));
        return;
      case "and":
      case "or-else":
        this.#value(expr.left, scope, PLAIN);
        this.#value(expr.right, conditional(scope), PLAIN);
        return;
      case "if":
        this.#value(expr.condition, scope, PLAIN);
        this.#block(expr.then, conditional(scope), position);
        this.#block(expr.otherwise, conditional(scope), position);
        return;
      case "match":
        this.#value(expr.scrutinee, scope, PLAIN);
        for (const { pattern, guard, body } of expr.arms) {
          this.#bind(pattern);
          if (guard) this.#value(guard, conditional(scope), PLAIN);
          this.#value(body, conditional(scope), position);
        }
        return;
      case "block":
        this.#block(expr.block, scope, position);
        return;
      case "call":
        this.#call(expr, scope);
        return;
      case "or":
        this.#value(expr.operand, scope, position);
        this.#disposition(expr.disposition, scope, position);
        return;
      case "builtin":
        if (CHANGES_BUFFER.has(expr.name) && expr.args[0]) this.#assignsSelf ||= startsWithSelf(expr.args[0]);
        this.#all(expr.args, scope, PLAIN);
        return;
      case "print":
        this.#events.push({ kind: "print", name: printName(expr), span: expr.span, ...scope });
        this.#all(expr.args, scope, PLAIN);
        return;
      case "chain":
        this.#chain(expr, scope);
        return;
      case "const":
        this.#events.push({ kind: "const", function: expr.function, span: expr.span, ...scope });
        return;
      default:
        return;
    }
  }

  #bind(pattern: (TypedExpr & { readonly kind: "match" })["arms"][number]["pattern"]): void {
    if (pattern.kind === "bind") this.#unwritten.add(pattern.local);
    else if (pattern.kind === "variant") for (const part of pattern.payload) this.#bind(part);
    else if (pattern.kind === "tuple") for (const part of pattern.members) this.#bind(part);
  }

  #keepFate(local: Local, fate: Fate): void {
    const earlier = this.#escapes.get(local);
    if (!earlier || RANK[fate] > RANK[earlier]) this.#escapes.set(local, fate);
  }

  #call(call: TypedCall, scope: Scope): void {
    this.#events.push({ kind: "call", call, boundBy: this.#boundCalls.get(call), span: call.span, ...scope });
    const { callee } = call;
    if ("receiver" in callee) this.#value(callee.receiver, scope, PLAIN);
    else if (callee.kind === "indirect") this.#value(callee.value, scope, PLAIN);
    const label = callee.kind === "form" ? insertLabel(callee) : undefined;
    if (label && callee.kind === "form")
      this.#site(call, label, scope, startsWithSelf(callee.receiver) ? STORED : PLAIN);
    this.#all(call.args, scope, PLAIN);
  }

  #locus(literal: LocusLiteral, scope: Scope, position: Position, isBare: boolean): void {
    this.#events.push({ kind: "literal", literal, isBare, span: literal.span, ...scope });
    this.#site(literal, `struct ${literal.locus.displayName}`, scope, position);
    for (const field of literal.fields) {
      // A record field that was left out has the literal's own place (05 5.2.1): nothing is written there.
      const isImplicit =
        field?.kind === "record" && field.span.start === literal.span.start && field.span.end === literal.span.end;
      if (field && !isImplicit) this.#value(field, scope, inner(position));
    }
  }

  #chain({ chain }: TypedExpr & { readonly kind: "chain" }, scope: Scope): void {
    const inside = inLoop(scope, false, false);
    this.#value(chain.source, scope, PLAIN);
    for (const stage of chain.stages) {
      if (stage.kind === "filter") this.#value(stage.condition, inside, PLAIN);
      else if (stage.kind === "map") this.#value(stage.value, inside, PLAIN);
      else if (stage.kind !== "enumerate") this.#value(stage.count, scope, PLAIN);
    }
    if (chain.terminal.target) this.#value(chain.terminal.target, scope, PLAIN);
    this.#all(chain.terminal.args, chain.terminal.kind === "sum" ? scope : inside, PLAIN);
    this.#block(chain.terminal.body, inside);
  }

  // ------------------------------------------------------------ sites

  #site(expr: TypedExpr, label: string, scope: Scope, position: Position): void {
    // The default of a field stands where its type is declared; generated code allocates nothing that anybody wrote.
    if (!isWithin(expr.span, this.#fn.span) || isGenerated(this.#fn)) return;
    const replacesField = position.replacesField === true;
    if (replacesField && isMadeOfScalars(expr)) return;
    const fate = replacesField && expr.kind !== "record" && isScalarArray(expr) ? "local" : position.fate;
    const isLiteral = expr.kind === "record" || expr.kind === "locus";
    const site: DraftSite = {
      kind: "site",
      label,
      fate,
      local: position.local,
      literal: isLiteral ? expr : undefined,
      replacesField,
      span: expr.span,
      loop: fate === "returned" ? undefined : scope.loop,
      isConditional: scope.isConditional,
    };
    this.#sites.push(site);
    this.#events.push(site);
  }
}

// ---------------------------------------------------------------- positions

function targetPosition(place: Place): Position {
  if (!startsWithSelf(place)) return PLAIN;
  return { fate: "stored", local: undefined, replacesField: place.kind === "field" };
}

/** A part of a value goes where the value goes; it replaces nothing by itself. */
function inner(position: Position): Position {
  return position.replacesField ? { fate: position.fate, local: position.local } : position;
}

function inLoop(scope: Scope, isBounded: boolean, isEndless: boolean): Scope {
  return { loop: { isBounded, isEndless, outer: scope.loop }, isConditional: true };
}

function conditional(scope: Scope): Scope {
  return scope.isConditional ? scope : { ...scope, isConditional: true };
}

function isTrue(condition: TypedExpr): boolean {
  return condition.kind === "bool" && condition.value;
}

function printName({ stream, newline }: TypedExpr & { readonly kind: "print" }): string {
  return `${stream === "stderr" ? "e" : ""}print${newline ? "ln" : ""}`;
}

// ---------------------------------------------------------------- what is a site

/** `r.push(..)` and the like, by the form of the receiver's declared type (11.6). */
function insertLabel({
  operation,
  receiver,
}: {
  readonly operation: string;
  readonly receiver: TypedExpr;
}): string | undefined {
  if (!["push", "set", "insert", "add"].includes(operation) || receiver.type.kind !== "locus") return undefined;
  const form = receiver.type.form?.form;
  if (form === "hashmap") return "hashmap-insert";
  return form === "vec" && operation !== "set" ? "vec-insert" : undefined;
}

const ARITHMETIC: ReadonlySet<BinaryOperation> = new Set([
  "add",
  "subtract",
  "multiply",
  "divide",
  "remainder",
  "bit-and",
  "bit-or",
  "bit-xor",
  "shift-left",
  "shift-right",
]);

/** `T { .. }` of literals, arithmetic over such and reads of fields of `self`: stored over the old one in place. */
function isMadeOfScalars(expr: TypedExpr): boolean {
  const isPlain = (part: TypedExpr): boolean => {
    switch (part.kind) {
      case "int":
      case "float":
      case "bool":
      case "decimal":
      case "duration":
      case "time":
      case "string":
        return true;
      case "field":
        return startsWithSelf(part);
      case "negate":
      case "not":
      case "complement":
      case "convert":
        return isPlain(part.operand);
      case "binary":
        return ARITHMETIC.has(part.operation) && isPlain(part.left) && isPlain(part.right);
      default:
        return false;
    }
  };
  if (expr.kind !== "record" && expr.kind !== "locus") return false;
  return expr.fields.every((part) => part === undefined || !isWithin(part.span, expr.span) || isPlain(part));
}

const SCALAR_ELEMENTS: ReadonlySet<string> = new Set(["Int", "Float", "Bool", "Decimal", "Duration"]);

/** `self.f = [..]` where `f` is a fixed array of numbers. */
function isScalarArray({ kind, type }: TypedExpr): boolean {
  if ((kind !== "array" && kind !== "repeat") || type.kind !== "array") return false;
  return type.element.kind === "primitive" && SCALAR_ELEMENTS.has(type.element.name);
}
