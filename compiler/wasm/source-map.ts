// Positions as a source map (version 3), the form in which Binaryen takes them in and gives them back: the "column" of the one generated line is the offset
// in the module's bytes.
import { decodeModule } from "./decoder.ts";
import type { WasmModule } from "./module.ts";

/** A place is `line * columnBase + column` in `WasmFunction.positions`. */
const columnBase = 4096;

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Of a module and its encoding. */
export function sourceMapOf({ functions, files }: WasmModule, bytes: Uint8Array): string {
  // Decoded code is a view into the bytes.
  const places = decodeModule(bytes).functions.map(({ code }) => code.byteOffset - bytes.byteOffset);
  const segments: string[] = [];
  let offset = 0;
  let file = 0;
  let line = 0;
  let column = 0;
  const add = (at: number, place: readonly [file: number, packed: number] | undefined) => {
    let segment = encoded(at - offset);
    offset = at;
    if (place !== undefined && place[1] > 0) {
      const nextLine = Math.floor(place[1] / columnBase);
      const nextColumn = place[1] % columnBase;
      segment += encoded(place[0] - file) + encoded(nextLine - 1 - line) + encoded(nextColumn - column);
      [file, line, column] = [place[0], nextLine - 1, nextColumn];
    }
    segments.push(segment);
  };
  functions.forEach(({ positions }, index) => {
    const start = places[index] ?? 0;
    // What stands before belongs to another function.
    if (positions?.[0] !== 0) add(start, undefined);
    for (let at = 0; positions !== undefined && at < positions.length; at += 3)
      add(start + (positions[at] ?? 0), [positions[at + 1] ?? 0, positions[at + 2] ?? 0]);
  });
  return JSON.stringify({ version: 3, sources: files, names: [], mappings: segments.join(",") });
}

/** The module that the bytes encode, with the positions of a source map. */
export function decodeWithSourceMap(bytes: Uint8Array, sourceMap: string): WasmModule {
  const module = decodeModule(bytes);
  // The tool that wrote it is the only source.
  const { sources, mappings } = JSON.parse(sourceMap) as { sources: string[]; mappings: string };
  const entries = decoded(mappings);
  module.files = sources;
  let next = 0;
  for (const entry of module.functions) {
    const start = entry.code.byteOffset - bytes.byteOffset;
    const end = start + entry.code.length;
    const positions: number[] = [];
    for (; next < entries.length && (entries[next]?.offset ?? end) < end; next++) {
      const { offset, file, packed } = entries[next] ?? { offset: 0, file: 0, packed: 0 };
      // A place that begins ahead of the code (with the locals) holds from its start.
      if (positions.length === 3 && offset <= start) positions.length = 0;
      positions.push(Math.max(0, offset - start), file, packed);
    }
    if (positions.some((value, index) => index % 3 === 2 && value > 0)) entry.positions = Int32Array.from(positions);
  }
  return module;
}

interface Entry {
  readonly offset: number;
  readonly file: number;
  /** Zero: comes from nowhere. */
  readonly packed: number;
}

function decoded(mappings: string): Entry[] {
  let [offset, file, line, column] = [0, 0, 0, 0];
  const entries: Entry[] = [];
  if (mappings === "") return entries;
  for (const segment of mappings.split(",")) {
    const [toOffset = 0, toFile, toLine = 0, toColumn = 0] = decodedSegment(segment);
    offset += toOffset;
    if (toFile === undefined) {
      entries.push({ offset, file, packed: 0 });
      continue;
    }
    file += toFile;
    line += toLine;
    column += toColumn;
    entries.push({ offset, file, packed: (line + 1) * columnBase + Math.min(column, columnBase - 1) });
  }
  return entries;
}

/** Base 64 digits of five bits each, the lowest first, the sign in the lowest bit. */
function encoded(value: number): string {
  let rest = value < 0 ? 2 * -value + 1 : 2 * value;
  let text = "";
  do {
    const low = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? low | 32 : low];
  } while (rest > 0);
  return text;
}

function decodedSegment(segment: string): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = digits.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    values.push((value & 1) !== 0 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return values;
}
