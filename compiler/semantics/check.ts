import type { LoadedProgram } from "../program/index.ts";
import type { Expr, Stmt } from "../syntax/index.ts";
import type { Diagnostic } from "../source/index.ts";
import { Body } from "./body.ts";
import { checkConstCycles, checkDeclarations } from "./declarations.ts";
import { type CheckerOptions, Context, type FunctionSource } from "./context.ts";
import { droppedContents, finishValueBlock } from "./control.ts";
import { assign, type Mismatch } from "./conversions.ts";
import { declareSeed, makeScopes } from "./declare.ts";
import { entryOf } from "./entry.ts";
import { checkValue } from "./expressions.ts";
import { alwaysLeaves } from "./flow.ts";
import { checkWholeProgram } from "./rules/whole-program.ts";
import { typedSeeds } from "./seeds.ts";
import { checkStatements, returned } from "./statements.ts";
import { isPoison, NEVER, UNIT } from "./type-table.ts";
import { refuseLongChains } from "./type-nesting.ts";
import { withArticle } from "./type-text.ts";
import type { TypedBlock, TypedFunction, TypedProgram } from "./typed.ts";
import type { LocusField } from "./types.ts";

export interface CheckResult {
  readonly diagnostics: readonly Diagnostic[];
  /** Missing when there are errors, or names that may live in a sibling file were left alone. */
  readonly program: TypedProgram | undefined;
  /** What could be typed when `program` is missing: reported expressions are poison, calls in them are lost. Missing after syntax errors. */
  readonly sketch: TypedProgram | undefined;
  /** Names were left alone because they may live in a sibling file: calls of them are lost. */
  readonly leftNamesAlone: boolean;
}

const NOTHING_TYPED = { program: undefined, sketch: undefined, leftNamesAlone: false };

/** Checks a loaded program. `ignoresUnbound`: one file of a larger seed (08 1.9). `needsEntry`: it is to be built or run. */
export function checkProgram(
  loaded: LoadedProgram,
  options: CheckerOptions & { readonly needsEntry: boolean },
): CheckResult {
  const scopes = makeScopes(loaded);
  const root = scopes.get(loaded.root);
  if (!root) throw new Error("unreachable: the root seed has a scope");
  const cx = new Context(root, [...scopes.values()], loaded.library, options);
  cx.bag.addAll(loaded.diagnostics);
  if (cx.bag.hasErrors) return { diagnostics: cx.bag.items, ...NOTHING_TYPED };
  for (const [seed, scope] of scopes) declareSeed(cx, seed, scope);
  if (refuseLongChains(cx)) return { diagnostics: cx.bag.items, ...NOTHING_TYPED };
  checkDeclarations(cx);
  const entry = entryOf(cx, loaded, options.needsEntry);
  drain(cx);
  checkConstCycles(cx);
  checkWholeProgram(cx);
  cx.bag.addAll(cx.library.diagnostics);
  const diagnostics = cx.bag.items;
  const files = loaded.seeds.flatMap((seed) => seed.files.map((file) => file.source));
  const program: TypedProgram = {
    files,
    entry,
    functions: cx.functions,
    loci: cx.loci,
    topics: cx.topics,
    boundTopics: cx.boundTopics,
    seeds: typedSeeds(scopes),
  }; // prettier-ignore
  const isSound = !cx.bag.hasErrors && !cx.leftNamesAlone;
  return {
    diagnostics,
    program: isSound ? program : undefined,
    sketch: isSound ? undefined : program,
    leftNamesAlone: cx.leftNamesAlone,
  };
}

/** Checks bodies until nothing more is reached. */
function drain(cx: Context): void {
  let deferred: TypedFunction[] = [];
  for (;;) {
    const fn = cx.queue.pop();
    if (fn) {
      if (!checkBody(cx, fn)) deferred.push(fn);
      continue;
    }
    if (deferred.length === 0) return;
    // What was put off goes again, in the light of the literals seen since; a field that none of them gave has no type.
    for (const field of deferred.length === cx.lastDeferred ? cx.untypedFields.keys() : []) giveUpField(cx, field);
    cx.lastDeferred = deferred.length;
    cx.queue.push(...deferred);
    deferred = [];
  }
}

function giveUpField(cx: Context, field: LocusField): void {
  cx.error("E0527", field.span, `no literal gives \`${field.name}\`, so its type cannot be told; write it`);
  cx.untypedFields.delete(field);
}

/** False: the body reads a param whose type is not known yet, and is to be checked again. */
function checkBody(cx: Context, fn: TypedFunction): boolean {
  const source = cx.sources.get(fn);
  if (!source) return true;
  cx.metUntyped = false;
  const findingsBefore = cx.bag.size;
  if (fn.role !== "foreign") checkSource(cx, fn, source);
  if (cx.metUntyped) {
    cx.bag.truncate(findingsBefore);
    return false;
  }
  cx.functions.push(fn);
  return true;
}

function checkSource(cx: Context, fn: TypedFunction, source: FunctionSource): void {
  cx.site = cx.callSites.get(fn);
  const body = new Body(cx, source.env, fn, { initialises: source.initialises, accumulators: source.accumulators });
  for (const param of fn.params) body.declare(param);
  fn.body =
    source.body.kind === "value"
      ? valueBody(body, source.body.expr, source.mismatch)
      : body.scoped(() => functionBody(body, source.body));
  cx.site = undefined;
}

/** A constant or an initialiser: one expression. */
function valueBody(body: Body, expr: Expr, mismatch: Mismatch = {}): TypedBlock {
  const wanted = body.result;
  const value = checkValue(body, expr, wanted);
  const tail = isPoison(wanted)
    ? value
    : assign(body, value, wanted, body.fn.role === "const" ? "value" : "default", mismatch);
  return { statements: [], tail, span: expr.span };
}

function functionBody(body: Body, block: NonNullable<ReturnType<Context["sources"]["get"]>>["body"]): TypedBlock {
  if (block.kind === "value") throw new Error("unreachable: a value is no block");
  const { fn } = body;
  const isMain = fn.role === "free" && fn.name === "main";
  if (fn.result === UNIT || isMain) return droppedContents(body, block);
  const statements = checkStatements(body, block.statements);
  if (block.tail) {
    const tail = returned(body, checkValue(body, block.tail, fn.result));
    return tail.type === NEVER
      ? finishValueBlock(statements, tail, block.span).block
      : { statements, tail, span: block.span };
  }
  if (!alwaysLeaves(statements) && !isPoison(fn.result)) {
    const name = fn.name.slice(fn.name.lastIndexOf(".") + 1);
    body.cx.error("E0405", fn.nameSpan, `\`${name}\` can end without returning ${withArticle(fn.result)}`, {
      help: missingReturnHelp(block.statements.at(-1)),
    });
  }
  return { statements, tail: undefined, span: block.span };
}

/** What a body's last statement shows that its writer forgot (04 6.5, 6.6). */
function missingReturnHelp(last: Stmt | undefined): string | undefined {
  switch (last?.kind) {
    case "match":
      return "a `match` at the end is a statement: write `return match .. { .. };`";
    case "if":
      return "the `if` at the end is no value: `else` is missing, or a branch does not end in a value";
    case "expr":
      return "leave out the last `;` to give the value, or write `return ..;`";
    default:
      return undefined;
  }
}
