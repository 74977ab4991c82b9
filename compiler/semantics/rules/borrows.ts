// Borrows must outlive their holder: a handle given by name to a field, or to a method that keeps it, is judged where it is written (05 5.10).
import type { Span } from "../../source/index.ts";
import type { Context } from "../context.ts";
import type { Local, TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "../typed.ts";
import type { LocusField } from "../types.ts";
import { walkBlock, walkExpr } from "../walk.ts";

type LocusLiteral = TypedExpr & { readonly kind: "locus" };
type Call = TypedExpr & { readonly kind: "call" };

/** Who ends a handle's instance. `param`: whoever the caller says. */
type Handle =
  | { readonly kind: "frame"; readonly local: Local | undefined }
  | { readonly kind: "self" }
  | { readonly kind: "param"; readonly index: number };
/** Who ends a holder. `frame` with the local it is bound to, if any. */
type Holder =
  | { readonly kind: "frame"; readonly local: Local | undefined }
  | { readonly kind: "self" }
  | { readonly kind: "returned" };

/** What a function does with the handles it is given. */
interface Keeps {
  readonly self: ReadonlySet<number>;
  readonly returned: ReadonlySet<number>;
}

export function checkBorrows(cx: Context): void {
  const judge = new BorrowJudge(cx);
  for (const fn of cx.functions) if (!fn.span.file.isStd) judge.check(fn);
}

/** What is known about one body: where locals come from, which loops they stand in, where each value goes. */
interface Frame {
  readonly fn: TypedFunction;
  readonly values: ReadonlyMap<Local, TypedExpr>;
  /** The loop that a local is declared in, innermost. */
  readonly loops: ReadonlyMap<Local, TypedStmt | undefined>;
  readonly returnedLocals: ReadonlySet<Local>;
  /** Every literal and call with its holder's position. */
  readonly sites: readonly {
    readonly expr: LocusLiteral | Call;
    readonly holder: Holder;
    readonly loop: TypedStmt | undefined;
  }[];
}

const CONTAINER_STORES: ReadonlySet<string> = new Set(["push", "set", "insert", "put", "append"]);

class BorrowJudge {
  readonly #cx: Context;
  readonly #frames = new Map<TypedFunction, Frame>();
  readonly #keeps = new Map<TypedFunction, Keeps>();
  readonly #readers: ReadonlyMap<LocusField, ReadonlySet<TypedFunction>>;

  constructor(cx: Context) {
    this.#cx = cx;
    this.#readers = readersOf(cx);
  }

  check(fn: TypedFunction): void {
    const frame = this.#frame(fn);
    for (const { expr, holder, loop } of frame.sites) {
      if (expr.kind === "locus") this.#checkLiteral(frame, expr, holder);
      else this.#checkCall(frame, expr, holder, loop);
    }
  }

  #checkLiteral(frame: Frame, literal: LocusLiteral, holder: Holder): void {
    for (const field of literal.locus.fields) {
      const handle = this.#handle(frame, literal.fields[field.index]);
      if (!handle || this.#isReadOnlyInBirth(field)) continue;
      if (outlives(holder, handle))
        this.#report(literal.fields[field.index]?.span ?? literal.span, handle, "the holder outlives it");
    }
  }

  #checkCall(frame: Frame, call: Call, position: Holder, loop: TypedStmt | undefined): void {
    const { callee } = call;
    if (callee.kind !== "method" && callee.kind !== "function") return;
    const keeps = this.#keepsOf(callee.function);
    call.args.forEach((arg, i) => {
      const handle = this.#handle(frame, arg, true);
      if (!handle || handle.kind === "param") return;
      if (keeps.returned.has(i) && outlives(position, handle))
        this.#report(arg.span, handle, "the result that holds it outlives it");
      if (!keeps.self.has(i) || callee.kind !== "method") return;
      const receiver = this.#receiver(frame, callee.receiver);
      if (!receiver) return;
      if (outlives(receiver, handle)) this.#report(arg.span, handle, "the receiver that keeps it outlives it");
      else if (
        receiver.kind === "frame" &&
        receiver.local &&
        handle.kind === "frame" &&
        this.#endsWithRound(frame, handle, receiver.local, loop)
      ) {
        this.#report(arg.span, handle, "the receiver outside the loop keeps it", "the next round of the loop");
      }
    });
  }

  /** Whether a handle's instance is built in a loop that the receiver stands outside of. */
  #endsWithRound(
    frame: Frame,
    handle: Handle & { readonly kind: "frame" },
    receiver: Local,
    loop: TypedStmt | undefined,
  ): boolean {
    const own = handle.local ? frame.loops.get(handle.local) : loop;
    return own !== undefined && own !== frame.loops.get(receiver);
  }

  #report(span: Span, handle: Handle, why: string, end = "this function"): void {
    const what = handle.kind === "frame" && handle.local ? `\`${handle.local.name}\`` : "this handle";
    const ends = handle.kind === "self" ? `${what} ends with this locus` : `${what} ends with ${end}`;
    this.#cx.error("E0526", span, `${ends} but ${why}; build it in the field, or copy its data in birth()`);
  }

  // ------------------------------------------------------------ summaries

  #keepsOf(fn: TypedFunction): Keeps {
    const known = this.#keeps.get(fn);
    if (known) return known;
    const self = new Set<number>();
    const returned = new Set<number>();
    const keeps: Keeps = { self, returned };
    // Entered first: a recursive function adds nothing new through itself.
    this.#keeps.set(fn, keeps);
    if (fn.body && fn.params.some((param) => isCarried(param.type.kind))) this.#collectKeeps(fn, self, returned);
    return keeps;
  }

  #collectKeeps(fn: TypedFunction, self: Set<number>, returned: Set<number>): void {
    const frame = this.#frame(fn);
    const keep = (value: TypedExpr | undefined, holder: Holder): void => {
      for (const part of partsOf(value)) keep(part, holder);
      const handle = this.#handle(frame, value);
      if (handle?.kind !== "param") return;
      if (holder.kind === "self") self.add(handle.index);
      if (holder.kind === "returned") returned.add(handle.index);
    };
    for (const { expr, holder } of frame.sites) {
      if (expr.kind === "locus") {
        for (const field of expr.locus.fields)
          if (!this.#isReadOnlyInBirth(field)) keep(expr.fields[field.index], holder);
        continue;
      }
      const { callee } = expr;
      if (callee.kind === "form" && CONTAINER_STORES.has(callee.operation) && rootedInSelf(callee.receiver))
        for (const arg of expr.args) keep(arg, { kind: "self" });
      if (callee.kind !== "method" && callee.kind !== "function") continue;
      const inner = this.#keepsOf(callee.function);
      expr.args.forEach((arg, i) => {
        if (inner.returned.has(i)) keep(arg, holder);
        if (inner.self.has(i) && callee.kind === "method" && rootedInSelf(callee.receiver)) keep(arg, { kind: "self" });
      });
    }
    walkBlock(fn.body, {
      statement: (statement) => {
        if (statement.kind === "assign" && statement.place.kind === "field" && rootedInSelf(statement.place.base))
          keep(statement.value, { kind: "self" });
        return undefined;
      },
    });
  }

  /** A holder that reads the borrow only in its birth may outlive it (05 5.10, rule 1). */
  #isReadOnlyInBirth(field: LocusField): boolean {
    const readers = this.#readers.get(field);
    return [...(readers ?? [])].every((fn) => fn.role === "hook" && fn.self?.hooks.birth === fn);
  }

  // ------------------------------------------------------------ frames

  #frame(fn: TypedFunction): Frame {
    const known = this.#frames.get(fn);
    if (known) return known;
    const frame = readFrame(fn);
    this.#frames.set(fn, frame);
    return frame;
  }

  /** Whose instance a handle names; undefined: it is no handle given by name, or nothing is known about it. `asArgument`: a literal counts, as the frame's. */
  #handle(frame: Frame, value: TypedExpr | undefined, asArgument = false): Handle | undefined {
    if (!value) return undefined;
    if (value.kind === "convert") return this.#handle(frame, value.operand, asArgument);
    if (!isCarried(value.type.kind)) return undefined;
    if (value.kind === "locus")
      return asArgument && !isAcceptedBySelf(frame.fn, value) ? { kind: "frame", local: undefined } : undefined;
    if (value.kind === "field" && rootedInSelf(value)) return { kind: "self" };
    if (value.kind !== "local") return undefined;
    const { local } = value;
    const param = frame.fn.params.indexOf(local);
    if (param >= 0) return { kind: "param", index: param };
    const source = frame.values.get(local);
    if (!source) return undefined;
    if (source.kind === "locus")
      return isAcceptedBySelf(frame.fn, source) ? { kind: "self" } : { kind: "frame", local };
    if (source.kind === "call" && source.callee.kind === "function")
      return builds(source.callee.function) ? { kind: "frame", local } : undefined;
    return this.#handle(frame, source);
  }

  /** Who ends the receiver of a keeping method. */
  #receiver(frame: Frame, receiver: TypedExpr): Holder | undefined {
    if (rootedInSelf(receiver)) return { kind: "self" };
    if (receiver.kind !== "local") return undefined;
    if (frame.returnedLocals.has(receiver.local)) return { kind: "returned" };
    const source = frame.values.get(receiver.local);
    return source?.kind === "locus" ? { kind: "frame", local: receiver.local } : undefined;
  }
}

/** What a composite carries: the fields of a record, the members of a tuple and the like. */
function partsOf(value: TypedExpr | undefined): readonly TypedExpr[] {
  switch (value?.kind) {
    case "record":
      return value.fields;
    case "tuple":
      return value.members;
    case "variant":
      return value.payload;
    case "array":
      return value.elements;
    default:
      return [];
  }
}

/** Whether a holder lives longer than a handle that it is given. */
function outlives(holder: Holder, handle: Handle): boolean {
  if (holder.kind === "returned") return handle.kind !== "param";
  return holder.kind === "self" && handle.kind === "frame";
}

function isCarried(kind: TypedExpr["type"]["kind"]): boolean {
  return kind === "locus" || kind === "interface" || kind === "perspective";
}

function rootedInSelf(expr: TypedExpr): boolean {
  if (expr.kind === "self") return true;
  return (
    (expr.kind === "field" || expr.kind === "convert") &&
    rootedInSelf(expr.kind === "field" ? expr.receiver : expr.operand)
  );
}

function isAcceptedBySelf(fn: TypedFunction, literal: LocusLiteral): boolean {
  return fn.self?.accepts === literal.locus;
}

/** Whether a free function returns an instance that it built itself. */
function builds(fn: TypedFunction): boolean {
  let found = false;
  const isBuilt = (value: TypedExpr | undefined) =>
    value?.kind === "locus" || (value?.kind === "convert" && value.operand.kind === "locus");
  const locals = new Set<Local>();
  walkBlock(fn.body, {
    statement: (statement) => {
      if (statement.kind === "let" && statement.local && isBuilt(statement.value)) locals.add(statement.local);
      if (statement.kind === "return")
        found ||= isBuilt(statement.value) || (statement.value?.kind === "local" && locals.has(statement.value.local));
      return undefined;
    },
  });
  return found || isBuilt(fn.body?.tail);
}

/** For each locus-carrying field the functions that read it. */
function readersOf(cx: Context): Map<LocusField, Set<TypedFunction>> {
  const readers = new Map<LocusField, Set<TypedFunction>>();
  for (const fn of cx.functions) {
    walkBlock(fn.body, {
      expr: (expr) => {
        if (expr.kind !== "field" || !isCarried(expr.type.kind) || !("defaultValue" in expr.field)) return undefined;
        const known = readers.get(expr.field) ?? new Set();
        readers.set(expr.field, known.add(fn));
        return undefined;
      },
    });
  }
  return readers;
}

// ---------------------------------------------------------------- reading a body

function readFrame(fn: TypedFunction): Frame {
  const values = new Map<Local, TypedExpr>();
  const loops = new Map<Local, TypedStmt | undefined>();
  const returnedLocals = new Set<Local>();
  const sites: { expr: LocusLiteral | Call; holder: Holder; loop: TypedStmt | undefined }[] = [];
  walkBlock(fn.body, {
    statement: (statement) => {
      if (statement.kind === "return" && statement.value?.kind === "local") returnedLocals.add(statement.value.local);
      return undefined;
    },
  });
  if (fn.body?.tail?.kind === "local") returnedLocals.add(fn.body.tail.local);

  const visitValue = (value: TypedExpr, holder: Holder, loop: TypedStmt | undefined): void => {
    const inner = value.kind === "convert" ? value.operand : value;
    if (inner.kind === "locus") {
      const own: Holder = isAcceptedBySelf(fn, inner) ? { kind: "self" } : holder;
      sites.push({ expr: inner, holder: own, loop });
      for (const field of inner.fields) if (field) visitValue(field, own, loop);
      return;
    }
    if (inner.kind === "call") sites.push({ expr: inner, holder, loop });
    walkExpr(inner, {
      expr: (part) => {
        if (part === inner) return undefined;
        if (part.kind !== "locus" && part.kind !== "call") return undefined;
        visitValue(part, { kind: "frame", local: undefined }, loop);
        return false;
      },
      statement: (statement) => {
        visitStatement(statement, loop);
        return false;
      },
    });
  };

  const visitBlock = (block: TypedBlock, loop: TypedStmt | undefined): void => {
    for (const statement of block.statements) visitStatement(statement, loop);
    if (block.tail) visitValue(block.tail, { kind: "frame", local: undefined }, loop);
  };

  const visitStatement = (statement: TypedStmt, loop: TypedStmt | undefined): void => {
    switch (statement.kind) {
      case "let": {
        const { local } = statement;
        if (local) {
          values.set(local, statement.value);
          loops.set(local, loop);
        }
        const isReturned = local !== undefined && returnedLocals.has(local);
        visitValue(statement.value, isReturned ? { kind: "returned" } : { kind: "frame", local }, loop);
        return;
      }
      case "return":
        if (statement.value) visitValue(statement.value, { kind: "returned" }, loop);
        return;
      case "assign": {
        const intoSelf = statement.place.kind === "field" && rootedInSelf(statement.place.base);
        visitValue(statement.value, intoSelf ? { kind: "self" } : { kind: "frame", local: undefined }, loop);
        return;
      }
      case "expr":
        visitValue(statement.expr, { kind: "frame", local: undefined }, loop);
        return;
      case "while":
        visitValue(statement.condition, { kind: "frame", local: undefined }, statement);
        visitBlock(statement.body, statement);
        return;
      case "for-range":
      case "for-each":
        visitBlock(statement.body, statement);
        return;
      case "block":
        visitBlock(statement.block, loop);
        return;
      default:
        return;
    }
  };

  if (fn.body) {
    for (const statement of fn.body.statements) visitStatement(statement, undefined);
    const isInitialiser = fn.role === "initialiser";
    if (fn.body.tail) visitValue(fn.body.tail, isInitialiser ? { kind: "self" } : { kind: "returned" }, undefined);
  }
  return { fn, values, loops, returnedLocals, sites };
}
