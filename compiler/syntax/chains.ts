// Element chains (01 section 10): which method chains are one loop over their source.
import type { Span } from "../source/index.ts";
import type { Block, ChainExpr, Expr } from "./ast.ts";

type Terminal = ChainExpr["terminal"]["kind"];
type Stage = ChainExpr["stages"][number];

/** Least and greatest number of arguments. */
// biome-ignore format: a table reads best in rows
const TERMINALS: ReadonlyMap<string, { readonly kind: Terminal; readonly least: number; readonly most: number }> = new Map(
  (
    [
      ["count", 0, 0], ["first", 0, 0], ["sum", 0, 1], ["into", 1, 1], ["reverse_into", 1, 1], ["any", 0, 1], ["find", 0, 1],
      ["min", 0, 1], ["max", 0, 1], ["all", 1, 1], ["sort_into", 1, 2], ["group_count_into", 1, 2],
    ] as const
  ).map(([kind, least, most]) => [kind, { kind, least, most }]),
);

// biome-ignore format: a table reads best in rows
const STAGES: ReadonlyMap<string, { readonly kind: Stage["kind"]; readonly args: 0 | 1 }> = new Map(
  ([["filter", 1], ["map", 1], ["take", 1], ["skip", 1], ["enumerate", 0]] as const).map(([kind, args]) => [kind, { kind, args }]),
);

/** The names that the call's arguments use. */
export interface UsedNames {
  readonly it: boolean;
  readonly idx: boolean;
}

/** The chain that the call `callee(args)` ends, or undefined when it is an ordinary call. */
export function chainOf(callee: Expr, args: readonly Expr[], used: UsedNames, span: Span): ChainExpr | undefined {
  if (callee.kind !== "member") return undefined;
  const terminal = TERMINALS.get(callee.name.text);
  if (!terminal || args.length < terminal.least || args.length > terminal.most) return undefined;
  const { source, stages } = stagesOf(callee.receiver);
  if (!isRecognised(terminal.kind, stages, used)) return undefined;
  return { kind: "chain", source, stages, terminal: { kind: terminal.kind, args, span: callee.name.span }, span };
}

/** `receiver.each { body }`; `each` is the place of that word. */
export function eachChain(receiver: Expr, body: Block, each: Span, span: Span): ChainExpr {
  return { kind: "chain", ...stagesOf(receiver), terminal: { kind: "each", args: [], body, span: each }, span };
}

function stagesOf(receiver: Expr): { source: Expr; stages: readonly Stage[] } {
  const stages: Stage[] = [];
  let source = receiver;
  while (source.kind === "call" && source.callee.kind === "member") {
    const { name, receiver: before } = source.callee;
    const stage = STAGES.get(name.text);
    if (!stage || source.args.length !== stage.args) break;
    const [argument] = source.args;
    stages.push({ kind: stage.kind, ...(argument && { argument }), span: name.span });
    source = before;
  }
  return { source, stages: stages.reverse() };
}

function isRecognised(terminal: Terminal, stages: readonly Stage[], used: UsedNames): boolean {
  const has = (kind: Stage["kind"]) => stages.some((stage) => stage.kind === kind);
  switch (terminal) {
    case "find":
    case "min":
    case "max":
      if (has("map") || (terminal !== "find" && used.idx && has("enumerate"))) return false;
      return stages.length > 0 || used.it;
    case "first":
      return stages.length > 0 && !has("map");
    case "any":
    case "all":
      return stages.length > 0 || used.it;
    case "count":
    case "sum":
    case "into":
      return stages.length > 0;
    case "sort_into":
    case "reverse_into":
    case "group_count_into":
    case "each":
      return true;
    default:
      return terminal satisfies never;
  }
}
