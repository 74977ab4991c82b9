// Texts: printing, `to_string`, f-strings and `+` (03 19, 03 20). The pieces are evaluated first, then put behind each other in the
// runtime's text buffer; nothing else runs in between.
import type { TextFormat, Type, TypedExpr } from "../semantics/index.ts";
import { pushExpr } from "./expressions.ts";
import type { FunctionContext } from "./function-context.ts";
import type { Hold } from "./holds.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { encodeText } from "./bytes.ts";
import { factsBehind, guardBorrowed } from "./operands.ts";
import { Fact, factsOf } from "./facts.ts";
import type { LocalsStorage, Storage } from "./storage.ts";
import { writeText } from "./text-of-values.ts";
import { popInto, popToTemps, pushStored, releaseStored } from "./values.ts";
import { type BlockType, ValueType } from "../wasm/index.ts";

const STRING: Type = { kind: "primitive", name: "String" };

type Expr<Kind extends TypedExpr["kind"]> = TypedExpr & { readonly kind: Kind };

/** A piece whose value has been evaluated. */
type Piece =
  | { readonly kind: "literal"; readonly bytes: Uint8Array }
  | { readonly kind: "value"; readonly type: Type; readonly storage: Storage; readonly format: TextFormat | undefined };

/** The pieces of a text expression: nested concatenations are taken apart. */
export function textParts(expr: TypedExpr): readonly TypedExpr[] {
  const parts: TypedExpr[] = [];
  collectParts(expr, parts);
  return parts;
}

function collectParts(expr: TypedExpr, parts: TypedExpr[]): void {
  if (expr.kind === "concat") for (const part of expr.parts) collectParts(part, parts);
  else if (expr.kind === "binary" && expr.operation === "concat") {
    collectParts(expr.left, parts);
    collectParts(expr.right, parts);
  } else if (expr.kind === "to-text" && !expr.format && isString(expr.operand.type)) collectParts(expr.operand, parts);
  else parts.push(expr);
}

/** Pushes the (owned) String that a `to-text` or a concatenation makes. */
export function pushText(fn: FunctionContext, expr: TypedExpr): Hold {
  const parts = textParts(expr);
  const [first, second] = parts;
  if (first && !second && isString(first.type) && first.kind !== "to-text") return pushExpr(fn, first, "any");
  if (first && second && parts.length === 2 && isPlainString(first) && isPlainString(second))
    return concatTwo(fn, expr, first, second);
  const pieces = evaluatePieces(fn, parts, ValueType.i32);
  fn.at(expr.span);
  writePieces(fn, pieces.pieces);
  fn.code.call(fn.program.runtimeFunction("text_finish"));
  pieces.release();
  return "owned";
}

function concatTwo(fn: FunctionContext, expr: TypedExpr, first: TypedExpr, second: TypedExpr): Hold {
  const left = pushExpr(fn, first, "any");
  const releaseFirst = guardBorrowed(fn, first, left, factsOf(second));
  const right = pushExpr(fn, second, "any");
  const releaseSecond = guardBorrowed(fn, second, right, 0);
  fn.at(expr.span);
  fn.code.call(fn.program.runtimeFunction("string_concat"));
  releaseSecond?.();
  releaseFirst?.();
  return "owned";
}

/** `print` and its relatives: all arguments, then the text at once (03 20.1). */
export function printTexts(fn: FunctionContext, expr: Expr<"print">): void {
  const parts: TypedExpr[] = [];
  for (const arg of expr.args) collectParts(arg, parts);
  const pieces = evaluatePieces(fn, parts, "none");
  fn.at(expr.span);
  writePieces(fn, expr.newline ? [...pieces.pieces, { kind: "literal", bytes: encodeText("\n") }] : pieces.pieces);
  fn.code.i32(expr.stream === "stdout" ? 1 : 2);
  fn.code.call(fn.program.runtimeFunction("text_print"));
  pieces.release();
}

/**
 * Pushes the String that `pushOld` gives with the texts of `parts` behind it; the old String is used up. The parts are evaluated before `pushOld` is called.
 * @param arePlain the parts are Strings, and none of them is the old String itself
 */
export function appendTexts(
  fn: FunctionContext,
  parts: readonly TypedExpr[],
  arePlain: boolean,
  pushOld: () => void,
): void {
  const { code, program } = fn;
  const pieces = evaluatePieces(fn, parts, ValueType.i32);
  if (arePlain && pieces.pieces.length <= 3) {
    pushOld();
    for (const piece of pieces.pieces) {
      if (piece.kind === "literal") code.i32(program.data.text(piece.bytes));
      else pushStored(fn, piece.storage, layoutOf(piece.type), "any", false);
      code.call(program.runtimeFunction("string_append"));
    }
    pieces.release();
    return;
  }
  writePieces(fn, pieces.pieces);
  pushOld();
  code.call(program.runtimeFunction("string_append_text"));
  pieces.release();
}

/** What stands on the stack when the pieces are released is of the block type `type`. */
function evaluatePieces(
  fn: FunctionContext,
  parts: readonly TypedExpr[],
  type: BlockType,
): { readonly pieces: readonly Piece[]; release(): void } {
  const pieces: Piece[] = [];
  const releases: (() => void)[] = [];
  const temps: LocalsStorage[] = [];
  const behind = factsBehind(parts);
  const outside = fn.exits.count;
  for (const [position, part] of parts.entries()) {
    const later = behind[position] ?? 0;
    if (fn.exits.isDue && (factsOf(part) | later) & Fact.leaves) fn.exits.open(type);
    if (part.kind === "string") {
      pieces.push({ kind: "literal", bytes: part.value });
      continue;
    }
    const operand = part.kind === "to-text" ? part.operand : part;
    const format = part.kind === "to-text" ? part.format : undefined;
    const direct = directStorage(fn, operand, later);
    if (direct) {
      pieces.push({ kind: "value", type: operand.type, storage: direct, format });
      continue;
    }
    const layout = layoutOf(operand.type);
    if (isChangeable(layout) && later & (Fact.writes | Fact.assigns)) {
      const text = keepText(fn, operand, format);
      releases.push(text.release);
      pieces.push(text.piece);
      continue;
    }
    const release = guardBorrowed(fn, operand, pushExpr(fn, operand, "any"), later);
    if (release) releases.push(release);
    const storage = fn.temps(layout.leaves);
    popInto(fn, storage, layout);
    temps.push(storage);
    pieces.push({ kind: "value", type: operand.type, storage, format });
  }
  return {
    pieces,
    release: () => {
      fn.exits.close(outside);
      for (let at = releases.length - 1; at >= 0; at--) releases[at]?.();
      for (const storage of temps) fn.freeTemps(storage);
    },
  };
}

/** Whether parts of an evaluated value lie in cells that code behind it may change. */
function isChangeable({ leaves }: Layout): boolean {
  return leaves.some(({ reference }) => reference?.kind === "cell");
}

/** A piece whose text is made at once, because its value would change before the others are there (04 9.1). */
function keepText(
  fn: FunctionContext,
  operand: TypedExpr,
  format: TextFormat | undefined,
): { readonly piece: Piece; release(): void } {
  const part: TypedExpr = format ? { kind: "to-text", operand, format, type: STRING, span: operand.span } : operand;
  const own = evaluatePieces(fn, [part], ValueType.i32);
  writePieces(fn, own.pieces);
  fn.code.call(fn.program.runtimeFunction("text_finish"));
  own.release();
  const layout = layoutOf(STRING);
  const storage = popToTemps(fn, layout);
  const cleanup = fn.addCleanup(() => releaseStored(fn, storage, layout));
  return {
    piece: { kind: "value", type: STRING, storage, format: undefined },
    release: () => {
      fn.removeCleanup(cleanup);
      releaseStored(fn, storage, layout);
      fn.freeTemps(storage);
    },
  };
}

/** The storage of a variable that nothing changes before it is printed. */
function directStorage(fn: FunctionContext, operand: TypedExpr, later: number): Storage | undefined {
  if (operand.kind !== "local") return undefined;
  const storage = fn.storageOf(operand.local);
  if (storage.kind !== "locals" || (operand.local.mutable && later & Fact.assigns) || later & Fact.writes)
    return undefined;
  return storage;
}

/** Starts the text buffer and writes the pieces into it; neighbouring literals are joined. */
function writePieces(fn: FunctionContext, pieces: readonly Piece[]): void {
  const { code, program } = fn;
  code.call(program.runtimeFunction("text_begin"));
  let literal: Uint8Array = new Uint8Array(0);
  for (const piece of pieces) {
    if (piece.kind === "literal") {
      literal = joined(literal, piece.bytes);
      continue;
    }
    writeLiteral(fn, literal);
    literal = new Uint8Array(0);
    writeFormatted(fn, piece.type, piece.storage, piece.format);
  }
  writeLiteral(fn, literal);
}

/** Writes constant bytes to the text buffer. */
export function writeLiteral(fn: FunctionContext, bytes: Uint8Array): void {
  const [only] = bytes;
  if (only === undefined) return;
  if (bytes.length === 1) {
    fn.code.i32(only);
    fn.code.call(fn.program.runtimeFunction("text_byte"));
  } else {
    fn.code.i32(fn.program.data.text(bytes));
    fn.code.call(fn.program.runtimeFunction("text_string"));
  }
}

const alignments = { "<": 0, "^": 1, ">": 2 } as const;

/** The text of a value with a format spec (03 19.4). */
function writeFormatted(fn: FunctionContext, type: Type, storage: Storage, format: TextFormat | undefined): void {
  const { code, program } = fn;
  if (!format) {
    writeText(fn, type, storage, false);
    return;
  }
  let mark: number | undefined;
  if (format.width > 0) {
    mark = fn.temp(ValueType.i32);
    code.call(program.runtimeFunction("text_mark"));
    code.set(mark);
  }
  writeText(fn, type, storage, false, format);
  if (mark === undefined) return;
  code.get(mark);
  code.i32(program.data.text(encodeText(format.fill)));
  code.i32(alignments[format.align]);
  code.i32(format.width);
  code.call(program.runtimeFunction("text_pad"));
  fn.freeTemp(mark);
}

function isString(type: Type): boolean {
  return type.kind === "primitive" && type.name === "String";
}

/** An expression whose text is the String that it gives. */
export function isPlainString(expr: TypedExpr): boolean {
  return isString(expr.type) && expr.kind !== "to-text";
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
