// Element chains: one loop over a collection (07 12).
import type { ChainExpr, Expr } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { assign, convertTo } from "./conversions.ts";
import { checkCondition, droppedBlock } from "./control.ts";
import { checkExpr, checkValue, requireAddressed } from "./expressions.ts";
import { collectionSource, isBumpable } from "./forms.ts";
import { injectedError } from "./injected.ts";
import { loopBody } from "./statements.ts";
import { requirePrintable, toText } from "./texts.ts";
import { BOOL, FLOAT, INT, isNumeric, isPoison, STRING, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { Local, TypedChain, TypedExpr } from "./typed.ts";
import type { FormInfo, Type } from "./types.ts";

type Terminal = TypedChain["terminal"];
type Stage = TypedChain["stages"][number];

export function checkChain(body: Body, expr: ChainExpr): TypedExpr {
  const source = chainSource(body, expr);
  if (source === "call") return checkExpr(body, asCalls(expr));
  if (!source) return poison(expr.span);
  // Counts of `take` and `skip` are evaluated before the loop: `it` is not theirs.
  const counts = expr.stages.map((stage) =>
    stage.kind === "take" || stage.kind === "skip" ? count(body, stage.argument) : undefined,
  );
  return body.scoped(() => {
    const item = itemOf(source.element, expr.source.span);
    const walk: Walk = { item: body.declare(item), index: undefined };
    const stages = expr.stages.flatMap((stage, i) => checkStage(body, walk, stage, counts[i]) ?? []);
    const end = checkTerminal(body, walk, expr, stages);
    if (!end) return poison(expr.span);
    const chain: TypedChain = { source: source.value, item, index: walk.index, stages, terminal: end.terminal };
    return { kind: "chain", chain, fallible: end.fallible, type: end.type, span: expr.span };
  });
}

/** The names that stages and terminal see. */
interface Walk {
  item: Local;
  index: Local | undefined;
}

function itemOf(type: Type, span: Span): Local {
  return { name: "it", type, mutable: false, kind: "loop", span };
}

// ---------------------------------------------------------------- sources

/** The collection that a chain walks. "call": the receiver is no collection, the names are its own methods. */
function chainSource(
  body: Body,
  expr: ChainExpr,
): { readonly value: TypedExpr; readonly element: Type } | "call" | undefined {
  const collection = collectionSource(body, expr.source);
  if (collection === "reported") return undefined;
  if (collection) {
    if (collection.value.type.kind === "locus" && collection.value.type.form?.form === "set")
      return refuseSource(body, expr, collection.value.type);
    return collection;
  }
  const value = checkExpr(body, expr.source);
  if (requireAddressed(body, value) || isPoison(value.type)) return undefined;
  const { type } = value;
  if (type.kind === "array" || type.kind === "bounded") return { value, element: type.element };
  if (type.kind === "locus" && type.form?.form === "vec") return { value, element: type.form.element };
  if (
    (type.kind === "locus" && !type.form) ||
    type.kind === "interface" ||
    type.kind === "perspective" ||
    type.kind === "record"
  )
    return "call";
  return refuseSource(body, expr, type);
}

function refuseSource(body: Body, expr: ChainExpr, type: Type): undefined {
  const help = type.kind === "locus" && type.form?.form === "hashmap" ? "walk its `.entries`" : undefined;
  body.cx.error("E0806", expr.source.span, `\`${typeText(type)}\` is not a chain source`, { help });
  return undefined;
}

/** The same text as ordinary method calls. */
function asCalls(expr: ChainExpr): Expr {
  const call = (receiver: Expr, name: string, args: readonly Expr[], span: Span): Expr => ({
    kind: "call",
    callee: { kind: "member", receiver, name: { text: name, span }, span },
    args,
    span: expr.span,
  }); // prettier-ignore
  let receiver = expr.source;
  for (const stage of expr.stages)
    receiver = call(receiver, stage.kind, stage.argument ? [stage.argument] : [], stage.span);
  return call(receiver, expr.terminal.kind, expr.terminal.args, expr.terminal.span);
}

// ---------------------------------------------------------------- stages

function count(body: Body, expr: Expr | undefined): TypedExpr | undefined {
  if (!expr) return undefined;
  const value = checkValue(body, expr);
  return assign(body, value, INT, "argument");
}

function checkStage(
  body: Body,
  walk: Walk,
  stage: ChainExpr["stages"][number],
  counted: TypedExpr | undefined,
): Stage | undefined {
  switch (stage.kind) {
    case "filter":
      return stage.argument && { kind: "filter", condition: checkCondition(body, stage.argument) };
    case "map": {
      if (!stage.argument) return undefined;
      const value = checkValue(body, stage.argument);
      return mapTo(body, walk, value);
    }
    case "take":
    case "skip":
      return counted && { kind: stage.kind, count: counted };
    case "enumerate": {
      const index: Local = { name: "idx", type: INT, mutable: false, kind: "loop", span: stage.span };
      walk.index = body.declare(index);
      return { kind: "enumerate", index };
    }
  }
}

function mapTo(body: Body, walk: Walk, value: TypedExpr): Stage {
  const item = itemOf(value.type, value.span);
  walk.item = body.declare(item);
  return { kind: "map", value, item };
}

// ---------------------------------------------------------------- terminals

interface End {
  readonly terminal: Terminal;
  readonly type: Type;
  readonly fallible: Type | undefined;
}

function checkTerminal(body: Body, walk: Walk, { terminal, span }: ChainExpr, stages: Stage[]): End | undefined {
  const { kind } = terminal;
  const [first, second] = terminal.args;
  const end = (type: Type, parts: Partial<Terminal> = {}, fallible?: Type): End => ({
    terminal: { kind, args: [], body: undefined, target: undefined, ...parts },
    type,
    fallible,
  }); // prettier-ignore
  switch (kind) {
    case "count":
      return end(INT);
    case "any":
    case "all":
      return end(BOOL, { args: first ? [checkCondition(body, first)] : [] });
    case "first":
      return end(walk.item.type, {}, injectedError(body.cx, "IndexError"));
    case "find":
      return end(
        walk.item.type,
        { args: first ? [checkCondition(body, first)] : [] },
        injectedError(body.cx, "IndexError"),
      );
    case "min":
    case "max":
      return leastOrGreatest(body, walk, kind, first, span, end);
    case "sum":
      return sum(body, walk, first, span, stages, end);
    case "each":
      if (!terminal.body) return undefined;
      return end(UNIT, { body: eachBody(body, terminal.body) });
    case "into":
    case "reverse_into":
    case "sort_into":
      return first && intoVec(body, walk, kind, first, second, end);
    case "group_count_into":
      return first && intoCounts(body, walk, first, second, end);
  }
}

type MakeEnd = (type: Type, parts?: Partial<Terminal>, fallible?: Type) => End;

function eachBody(body: Body, block: NonNullable<ChainExpr["terminal"]["body"]>): NonNullable<Terminal["body"]> {
  return loopBody(body, () => droppedBlock(body, block));
}

function leastOrGreatest(
  body: Body,
  walk: Walk,
  kind: "min" | "max",
  key: Expr | undefined,
  span: Span,
  end: MakeEnd,
): End | undefined {
  const value = key && checkValue(body, key);
  const compared = value ? value.type : walk.item.type;
  const isOrdered =
    isNumeric(compared) ||
    compared === STRING ||
    (compared.kind === "primitive" && compared.name === "Time") ||
    compared.kind === "scalar";
  if (!isOrdered && !isPoison(compared)) {
    body.cx.error(
      "E0806",
      value?.span ?? span,
      `\`${kind}\` cannot order \`${typeText(compared)}\`; give a key: \`${kind}(it.field)\``,
    );
    return undefined;
  }
  return end(walk.item.type, { args: value ? [value] : [] }, injectedError(body.cx, "IndexError"));
}

/** `sum()` adds Ints from 0; `sum(seed)` starts at a value of the result's type. */
function sum(
  body: Body,
  walk: Walk,
  seed: Expr | undefined,
  span: Span,
  stages: Stage[],
  end: MakeEnd,
): End | undefined {
  const { type } = walk.item;
  const start = seed && checkValue(body, seed);
  const wanted = start ? start.type : INT;
  if (isPoison(type) || isPoison(wanted)) return undefined;
  const item: TypedExpr = { kind: "local", local: walk.item, type, span };
  // A String seed collects the elements' texts.
  if (wanted === STRING && requirePrintable(body, item)) {
    if (type !== STRING) stages.push(mapTo(body, walk, toText(body, item)));
    return end(STRING, { args: start ? [start] : [] });
  }
  if (!isNumeric(wanted)) {
    body.cx.error(
      "E0806",
      start?.span ?? span,
      `\`sum\` adds Int, Float, Decimal, Duration or String, not \`${typeText(wanted)}\``,
    );
    return undefined;
  }
  if (type !== wanted) {
    const converted =
      wanted === FLOAT || type.kind === "scalar" ? convertTo(body.cx, item, wanted, "argument") : undefined;
    if (!converted) {
      const help = start
        ? undefined
        : `start from a value of its type: \`sum(${typeText(type) === "Float" ? "0.0" : "seed"})\``;
      body.cx.error("E0806", span, `\`sum\` over \`${typeText(type)}\` cannot start from \`${typeText(wanted)}\``, {
        help,
      });
      return undefined;
    }
    stages.push(mapTo(body, walk, converted));
  }
  return end(wanted, { args: start ? [start] : [] });
}

/** A target of `into` and its kin: a form locus of the wanted kind. */
function target(
  body: Body,
  expr: Expr,
  wanted: FormInfo["form"],
): { readonly value: TypedExpr; readonly form: FormInfo } | undefined {
  const value = checkValue(body, expr);
  const { type } = value;
  if (type.kind === "locus" && type.form?.form === wanted) return { value, form: type.form };
  if (!isPoison(type))
    body.cx.error("E0806", value.span, `the target must be a @form(${wanted}) locus, not \`${typeText(type)}\``);
  return undefined;
}

function intoVec(
  body: Body,
  walk: Walk,
  kind: string,
  expr: Expr,
  comparison: Expr | undefined,
  end: MakeEnd,
): End | undefined {
  const vec = target(body, expr, "vec");
  const { element } = vec?.form ?? { element: undefined };
  const compare = comparison && checkValue(body, comparison);
  if (!vec || !element) return undefined;
  const item: TypedExpr = { kind: "local", local: walk.item, type: walk.item.type, span: expr.span };
  const pushed = convertTo(body.cx, item, element, "argument");
  if (!pushed) {
    body.cx.error(
      "E0806",
      vec.value.span,
      `\`${kind}\` pushes \`${typeText(item.type)}\` to a vec of \`${typeText(element)}\``,
    );
    return undefined;
  }
  const wanted = body.cx.types.function([element, element], BOOL);
  if (compare && compare.type !== wanted && !isPoison(compare.type)) {
    body.cx.error(
      "E0806",
      compare.span,
      `a comparison must be \`${typeText(wanted)}\`, not \`${typeText(compare.type)}\``,
    );
    return undefined;
  }
  if (kind === "sort_into" && !compare && ![INT, FLOAT, STRING].some((type) => type === element)) {
    body.cx.error(
      "E0806",
      vec.value.span,
      `cells of \`${typeText(element)}\` have no order; give \`sort_into\` a comparison`,
    );
    return undefined;
  }
  // The element as the vec takes it, then the comparison.
  return end(UNIT, { target: vec.value, args: compare ? [pushed, compare] : [pushed] });
}

function intoCounts(body: Body, walk: Walk, expr: Expr, key: Expr | undefined, end: MakeEnd): End | undefined {
  const map = target(body, expr, "hashmap");
  const value: TypedExpr = key
    ? checkValue(body, key, map?.form.key)
    : { kind: "local", local: walk.item, type: walk.item.type, span: expr.span };
  if (!map?.form.key) return undefined;
  if (!isBumpable(map.form)) {
    body.cx.error("E0806", map.value.span, "`group_count_into` needs a map whose cell is a key and one Int field");
    return undefined;
  }
  const converted = convertTo(body.cx, value, map.form.key, "argument");
  if (!converted) {
    body.cx.error(
      "E0806",
      value.span,
      `the key of the map is \`${typeText(map.form.key)}\`, this is \`${typeText(value.type)}\``,
    );
    return undefined;
  }
  return end(UNIT, { target: map.value, args: [converted] });
}
