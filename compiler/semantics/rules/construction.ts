// What a construction may not do: contain itself through defaults, hold a child that keeps the holder from running, build a subscriber that dies at once
// (05 5.2, 5.3).
import type { Context } from "../context.ts";
import { ownLoci } from "./program-loci.ts";
import { typeText } from "../type-text.ts";
import type { TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "../typed.ts";
import type { LocusField, LocusType } from "../types.ts";
import { walkBlock } from "../walk.ts";

export function checkConstruction(cx: Context): void {
  const loci = ownLoci(cx);
  checkRings(cx, loci);
  for (const locus of loci) {
    checkNestedRun(cx, locus);
    warnBirthOrder(cx, locus);
    warnPilingChildren(cx, locus);
  }
  for (const fn of cx.functions) if (fn.isHandler && !fn.span.file.isStd) checkHandlerBuilds(cx, fn);
}

// ---------------------------------------------------------------- rings of defaults

interface DefaultNode {
  readonly locus: LocusType;
  readonly field: LocusField;
}

/** Evaluating a default may not need the same default again. */
function checkRings(cx: Context, loci: readonly LocusType[]): void {
  const done = new Set<LocusField>();
  const reported = new Set<LocusField>();
  const path: DefaultNode[] = [];
  const visit = (node: DefaultNode): void => {
    const at = path.findIndex((earlier) => earlier.field === node.field);
    if (at >= 0) {
      const ring = path.slice(at);
      const [first] = ring;
      if (!first || reported.has(first.field)) return;
      for (const { field } of ring) reported.add(field);
      const steps = ring.map(({ locus, field }) => `${typeText(locus)}.${field.name}`).join(" -> ");
      cx.error(
        "E0508",
        first.field.span,
        `\`${typeText(first.locus)}\` contains itself: ${steps} -> ${typeText(first.locus)}`,
      );
      return;
    }
    if (done.has(node.field)) return;
    path.push(node);
    for (const built of alwaysBuilt(node.field.defaultValue?.body)) for (const next of defaultsOf(built)) visit(next);
    path.pop();
    done.add(node.field);
  };
  for (const locus of loci) for (const field of locus.fields) visit({ locus, field });
}

function defaultsOf(literal: TypedExpr & { readonly kind: "locus" }): DefaultNode[] {
  return literal.locus.fields.flatMap((field) =>
    literal.fields[field.index] === undefined && field.defaultValue ? [{ locus: literal.locus, field }] : [],
  );
}

/** The literals that a block builds whatever its conditions say, the functions it calls included. */
function alwaysBuilt(
  block: TypedBlock | undefined,
  seen = new Set<TypedFunction>(),
): (TypedExpr & { readonly kind: "locus" })[] {
  const found: (TypedExpr & { readonly kind: "locus" })[] = [];
  walkBlock(block, {
    expr: (expr) => {
      if (expr.kind === "locus") found.push(expr);
      if (expr.kind === "call" && expr.callee.kind === "function" && !seen.has(expr.callee.function)) {
        seen.add(expr.callee.function);
        found.push(...alwaysBuilt(expr.callee.function.body, seen));
      }
      return (
        expr.kind !== "if" &&
        expr.kind !== "match" &&
        expr.kind !== "or" &&
        expr.kind !== "and" &&
        expr.kind !== "or-else"
      );
    },
  });
  return found;
}

// ---------------------------------------------------------------- runs

function hasRun(locus: LocusType): boolean {
  const body = locus.hooks.run?.body;
  return body !== undefined && (body.statements.length > 0 || body.tail !== undefined);
}

/** A locus with a run of its own waits for the runs of its fields first (05 5.3). */
function checkNestedRun(cx: Context, locus: LocusType): void {
  if (isDeclaredMain(cx, locus) || !hasRun(locus)) return;
  for (const field of locus.fields) {
    const { type } = field;
    if (type.kind !== "locus" || isDeclaredMain(cx, type) || !(type.isStd ? isServer(type) : hasRun(type))) continue;
    cx.error(
      "E0522",
      field.span,
      `nested long-running child: \`${typeText(locus)}\` has a run of its own and holds \`${field.name}: ${typeText(type)}\`, whose run comes first`,
      {
        help: "place the child in the main locus, or move its loop",
      },
    );
  }
}

/** Also the main locus of an imported seed, which is an ordinary one otherwise. */
function isDeclaredMain(cx: Context, type: LocusType): boolean {
  return cx.locusOrigins.get(type)?.symbol.decl.isMain === true;
}

function isServer(type: LocusType): boolean {
  return type.displayName === "std::http::Server";
}

/** A field of the main locus whose inline run cannot return keeps every later field from being born (05 5.3, 11.5). */
function warnBirthOrder(cx: Context, locus: LocusType): void {
  if (!locus.isMain) return;
  const placed = new Set(
    locus.placements
      .filter((placement) => placement.place === "pinned" || (placement.pool ?? "main") !== "main")
      .map(({ field }) => field),
  );
  const last = locus.fields.at(-1);
  for (const field of locus.fields) {
    const { type } = field;
    if (field === last || placed.has(field) || type.kind !== "locus" || !neverReturns(type)) continue;
    cx.warn(
      "W0501",
      field.span,
      `\`${field.name}\` runs inline and its run never returns: the fields after it are never born`,
      {
        help: "put it last, or place it off the main pool",
      },
    );
    return;
  }
}

/** The last statement of the run is an endless loop without a way out. */
export function neverReturns(type: LocusType): boolean {
  const last = type.hooks.run?.body?.statements.at(-1);
  return last?.kind === "while" && isEndless(type, last.condition) && !hasExit(last.body);
}

function isEndless(type: LocusType, condition: TypedExpr): boolean {
  if (condition.kind === "bool") return condition.value;
  const isNegated = condition.kind === "not";
  const watched = isNegated ? condition.operand : condition;
  if (watched.kind === "draining") return isNegated && watched.receiver.kind === "self";
  if (watched.kind !== "field" || watched.receiver.kind !== "self" || !("defaultValue" in watched.field)) return false;
  const preset = watched.field.defaultValue?.body?.tail;
  return preset?.kind === "bool" && preset.value !== isNegated && !isAssigned(type, watched.field.name);
}

function isAssigned(type: LocusType, field: string): boolean {
  let found = false;
  const statement = (candidate: TypedStmt) => {
    const isOwn =
      (candidate.kind === "assign" || candidate.kind === "update") &&
      candidate.place.kind === "field" &&
      candidate.place.field.name === field;
    found ||= isOwn;
    return undefined;
  };
  for (const fn of bodiesOf(type)) walkBlock(fn.body, { statement });
  return found;
}

/** Every body of a locus. */
export function bodiesOf(type: LocusType): TypedFunction[] {
  return [...type.methods.values(), ...Object.values(type.hooks), ...type.onFailure];
}

function hasExit(body: TypedBlock): boolean {
  let found = false;
  const exits: ReadonlySet<TypedStmt["kind"]> = new Set(["break", "return", "terminate", "fail", "violate"]);
  walkBlock(body, {
    statement: (statement) => {
      found ||= exits.has(statement.kind);
      return undefined;
    },
  });
  return found;
}

/** Accepted children that nothing releases pile up beside an endless run (05 5.6.4). */
function warnPilingChildren(cx: Context, locus: LocusType): void {
  const { accept, run } = locus.hooks;
  if (!locus.accepts || locus.releases || !accept || !run) return;
  let loops = false;
  walkBlock(run.body, {
    statement: (statement) => {
      loops ||= statement.kind === "while" && statement.condition.kind === "bool" && statement.condition.value;
      return undefined;
    },
  });
  if (loops)
    cx.warn(
      "W0502",
      accept.nameSpan,
      `\`${typeText(locus)}\` accepts \`${typeText(locus.accepts)}\` without releasing it and runs forever: such children pile up`,
      { help: `add \`release(c: ${typeText(locus.accepts)})\`` },
    );
}

// ---------------------------------------------------------------- subscribers built in handlers

/** A subscriber that nothing accepts dies with the handler that builds it, and never hears anything (06 6.8.8). */
function checkHandlerBuilds(cx: Context, fn: TypedFunction): void {
  if (cx.allowsUnownedSubscribers) return;
  const owner = fn.self;
  if (!owner) return;
  const judge = (value: TypedExpr) => {
    if (value.kind !== "locus" || value.locus.subscriptions.length === 0 || isAccepted(cx, owner, value.locus)) return;
    cx.error(
      "E0523",
      value.span,
      `\`${typeText(value.locus)}\` subscribes, but built in a handler it ends with the handler`,
      {
        help: `let \`${typeText(owner)}\` or a locus that holds it accept it, or hold it in a field`,
      },
    );
  };
  walkBlock(fn.body, {
    statement: (statement) => {
      if (statement.kind === "expr") judge(statement.expr);
      if (statement.kind === "let") judge(statement.value);
      return undefined;
    },
  });
}

/** Whether a locus or one that may hold it, at any distance, accepts children of a type. */
function isAccepted(cx: Context, owner: LocusType, child: LocusType): boolean {
  const seen = new Set<LocusType>();
  const queue = [owner];
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.accepts === child) return true;
    const held = next;
    queue.push(
      ...cx.loci.filter((locus) => locus.accepts === held || locus.fields.some((field) => field.type === held)),
    );
  }
  return false;
}
