// The position table: which place in the Hale sources the code of a module comes from. It is the custom section `hale.positions`; its format is in
// docs/runtime-abi.md ("Position table").
import { Cursor, codeStarts, customSection, functionImportCount } from "./sections.ts";

const SECTION_NAME = "hale.positions";
const VERSION = 1;

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Looks up places by what a stack trace of the engine tells: a function's index and an offset in the module's bytes. */
export type PlaceLookup = (functionIndex: number, moduleOffset: number) => Place | undefined;

interface Entry extends Place {
  /** In the function's instructions. */
  readonly offset: number;
}

/** Prepares the lookup for a module. Without a table, or with one of another version, nothing has a place. */
export function placesOf(bytes: Uint8Array): PlaceLookup {
  const section = customSection(bytes, SECTION_NAME);
  if (section === undefined) return () => undefined;
  const table = decodePositions(section);
  const imports = functionImportCount(bytes);
  const starts = codeStarts(bytes);
  return (functionIndex, moduleOffset) => {
    const start = starts[functionIndex - imports];
    const entries = table.get(functionIndex);
    if (start === undefined || entries === undefined) return undefined;
    const place = entries.findLast((entry) => entry.offset <= moduleOffset - start);
    // Line 0: code that stands for nothing in the source.
    return place !== undefined && place.line > 0 ? place : undefined;
  };
}

/** The entries of each function that has any, by function index, ascending by offset. */
export function decodePositions(section: Uint8Array): Map<number, Entry[]> {
  const cursor = new Cursor(section);
  const functions = new Map<number, Entry[]>();
  if (cursor.unsigned() !== VERSION) return functions;
  const files = Array.from({ length: cursor.unsigned() }, () => cursor.name());
  let index = -1;
  for (let left = cursor.unsigned(); left > 0; left--) {
    index += 1 + cursor.unsigned();
    functions.set(index, decodeFunction(cursor, files));
  }
  return functions;
}

function decodeFunction(cursor: Cursor, files: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  let offset = 0;
  let file = 0;
  let line = 0;
  for (let left = cursor.unsigned(); left > 0; left--) {
    offset += cursor.unsigned();
    file += cursor.signed();
    line += cursor.signed();
    entries.push({ offset, file: files[file] ?? "?", line, column: cursor.unsigned() });
  }
  return entries;
}
