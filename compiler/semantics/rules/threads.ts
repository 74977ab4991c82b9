// Which instance lives on which thread, as far as `placement` and the literals say, and what may not cross (05 5.7.9, 5.11.4, 06 6.11, 07 9).
import type { Span } from "../../source/index.ts";
import type { Context } from "../context.ts";
import { typeText } from "../type-text.ts";
import type { Local, TypedBlock, TypedExpr, TypedFunction, TypedStmt } from "../typed.ts";
import type { LocusField, LocusType, PlacementInfo } from "../types.ts";
import { walkBlock } from "../walk.ts";
import { bodiesOf } from "./construction.ts";

/** An instance that some literal of the deployment builds. */
interface Instance {
  readonly type: LocusType;
  /** `main`, `pool io`, `pinned db`. */
  readonly thread: string;
  readonly holder: Instance | undefined;
  readonly placement: PlacementInfo | undefined;
  /** What its locus-typed fields hold. */
  readonly fields: Map<LocusField, Instance>;
}

export function checkThreads(cx: Context): void {
  for (const main of cx.loci) {
    if (!main.isMain) continue;
    checkPlacedDefaults(cx, main);
    const literals = literalsOf(cx, main);
    const built = literals.length > 0 ? literals : [undefined];
    for (const literal of built) {
      const app = deploy(main, literal?.expr);
      if (literal) judgeLiteral(cx, main, literal);
      for (const instance of instancesOf(app)) judgeInstance(cx, instance);
    }
  }
}

type LocusLiteral = TypedExpr & { readonly kind: "locus" };

interface LiteralSite {
  readonly expr: LocusLiteral;
  readonly fn: TypedFunction;
  readonly inLoop: boolean;
  readonly local: Local | undefined;
}

/** The literals of a main locus, with what they are bound to. */
function literalsOf(cx: Context, main: LocusType): LiteralSite[] {
  const sites: LiteralSite[] = [];
  for (const fn of cx.functions) if (!fn.span.file.isStd) collectLiterals(fn, fn.body, main, false, sites);
  return sites;
}

function collectLiterals(
  fn: TypedFunction,
  block: TypedBlock | undefined,
  main: LocusType,
  inLoop: boolean,
  sites: LiteralSite[],
): void {
  const locals = new Map<TypedExpr, Local>();
  walkBlock(block, {
    statement: (statement) => {
      if (statement.kind === "let" && statement.local) locals.set(statement.value, statement.local);
      if (statement.kind !== "while" && statement.kind !== "for-each" && statement.kind !== "for-range")
        return undefined;
      collectLiterals(fn, statement.body, main, true, sites);
      return false;
    },
    expr: (expr) => {
      if (expr.kind === "locus" && expr.locus === main) sites.push({ expr, fn, inLoop, local: locals.get(expr) });
      return undefined;
    },
  });
}

// ---------------------------------------------------------------- deployment

function deploy(main: LocusType, literal: LocusLiteral | undefined): Instance {
  const app: Instance = { type: main, thread: "main", holder: undefined, placement: undefined, fields: new Map() };
  for (const field of main.fields) {
    const placement = main.placements.find((candidate) => candidate.field === field);
    hold(
      app,
      field,
      literal?.fields[field.index] ?? defaultOf(field),
      placement ? threadOf(placement) : "main",
      placement,
    );
  }
  return app;
}

function threadOf(placement: PlacementInfo): string {
  if (placement.place === "pinned") return `pinned ${placement.field.name}`;
  const pool = placement.pool ?? "main";
  return pool === "main" ? "main" : `pool ${pool}`;
}

function defaultOf(field: LocusField): TypedExpr | undefined {
  return field.defaultValue?.body?.tail;
}

/** The instance that a field's literal builds, and those nested in it. */
function hold(
  holder: Instance,
  field: LocusField,
  value: TypedExpr | undefined,
  thread: string,
  placement: PlacementInfo | undefined,
): void {
  const inner = value?.kind === "convert" ? value.operand : value;
  // A ring of defaults builds no instance; it is refused elsewhere.
  if (inner?.kind === "locus" && !(value === defaultOf(field) && isWithin(holder, inner.locus))) {
    const child: Instance = { type: inner.locus, thread, holder, placement, fields: new Map() };
    holder.fields.set(field, child);
    for (const part of inner.locus.fields)
      hold(child, part, inner.fields[part.index] ?? defaultOf(part), thread, placement);
  }
}

function isWithin(instance: Instance, type: LocusType): boolean {
  for (let at: Instance | undefined = instance; at; at = at.holder) if (at.type === type) return true;
  return false;
}

function* instancesOf(instance: Instance): Iterable<Instance> {
  yield instance;
  for (const child of instance.fields.values()) if (child.holder === instance) yield* instancesOf(child);
}

// ---------------------------------------------------------------- judgements

/** A placed field is built by a literal, where it stands or where it is given (05 5.18.4). */
function checkPlacedDefaults(cx: Context, main: LocusType): void {
  for (const { field } of main.placements) {
    const value = defaultOf(field);
    if (value) requireLiteral(cx, field, value);
  }
}

function requireLiteral(cx: Context, field: LocusField, value: TypedExpr): void {
  if (value.kind === "locus" || field.type.kind !== "locus") return;
  cx.error(
    "E0713",
    value.span,
    `\`${field.name}\` is placed: it needs a locus literal here, not a call, a name or a conditional`,
  );
}

function judgeLiteral(cx: Context, main: LocusType, { expr, inLoop }: LiteralSite): void {
  for (const { field } of main.placements) {
    const value = expr.fields[field.index];
    if (value) requireLiteral(cx, field, value);
  }
  const pinned = main.placements.find((placement) => placement.place === "pinned");
  if (inLoop && pinned)
    cx.error(
      "E0713",
      expr.span,
      `\`${typeText(main)}\` pins \`${pinned.field.name}\` and cannot be instantiated inside a loop`,
    );
}

function judgeInstance(cx: Context, instance: Instance): void {
  const { type, thread } = instance;
  if (thread !== "main") {
    for (const { bounded, span } of type.subscriptions) {
      if (bounded)
        cx.error(
          "E0713",
          span,
          `a bounded subscription needs a receiver on the main thread; \`${typeText(type)}\` runs on ${thread}`,
        );
    }
  }
  for (const fn of bodiesOf(type)) if (fn !== type.hooks.birth && fn !== type.hooks.accept) judgeBody(cx, instance, fn);
}

/** Calls and literals of one body, on the thread it runs on. */
function judgeBody(cx: Context, self: Instance, fn: TypedFunction): void {
  const statements = new Set<TypedExpr>();
  walkBlock(fn.body, {
    statement: (statement: TypedStmt) => {
      if (statement.kind === "expr") statements.add(statement.expr);
      return undefined;
    },
    expr: (expr) => {
      if (expr.kind === "call" && (expr.callee.kind === "method" || expr.callee.kind === "form"))
        judgeCall(cx, placedField(self, expr.callee.receiver), expr.span, self.thread);
      if (expr.kind === "locus" && !statements.has(expr)) judgeAccepted(cx, self, expr);
      return undefined;
    },
  });
}

/** `self.f` where this locus places `f`: only calls on such a field are judged, not those on what lies behind it. */
function placedField(self: Instance, receiver: TypedExpr): Instance | undefined {
  if (receiver.kind !== "field" || receiver.receiver.kind !== "self" || !("defaultValue" in receiver.field))
    return undefined;
  const { field } = receiver;
  return self.type.placements.some((placement) => placement.field === field) ? self.fields.get(field) : undefined;
}

function judgeCall(cx: Context, callee: Instance | undefined, span: Span, thread: string): void {
  if (!callee || callee.thread === thread) return;
  const { type } = callee;
  const { form } = type;
  if (!form) {
    cx.error(
      "E0715",
      span,
      `this \`${typeText(type)}\` runs on ${callee.thread}, the call on ${thread}; send a message over the bus`,
    );
    return;
  }
  const sync = form.options.get("sync");
  const isUnsynced = sync?.kind === "string" && new TextDecoder().decode(sync.value) === "none";
  if (form.form === "hashmap" || form.form === "set") {
    if (isUnsynced)
      cx.error(
        "E0715",
        span,
        `this \`${typeText(type)}\` is used from ${callee.thread} and ${thread}; declare \`sync = serialized\``,
      );
    return;
  }
  cx.error("E0715", span, `a @form(${form.form}) locus cannot be called across pools; send a message over the bus`);
}

/** A child that an acceptor on another thread collects is born later, over there: only a statement may build it (05 5.11.4). */
function judgeAccepted(cx: Context, self: Instance, literal: LocusLiteral): void {
  for (let at: Instance | undefined = self; at; at = at.holder) {
    if (at.type.accepts !== literal.locus) continue;
    if (at.thread !== self.thread) {
      cx.error(
        "E0525",
        literal.span,
        `\`${typeText(literal.locus)}\` is accepted by \`${typeText(at.type)}\` on ${at.thread}: here it can only be built by a statement of its own`,
      );
    }
    return;
  }
}
