// Machine code of the runtime's functions, made when the package is built: a program that extends the runtime copies it instead of compiling again.
// What depends on the program (places in the image and in the data segment, constants) stands in it by what it means.
import type { WasmFunction, WasmModule } from "../wasm/index.ts";
import { FunctionCompiler } from "./compile-functions.ts";
import { type PoolContent, ReadOnlyPool } from "./emit/read-only-pool.ts";
import { CodeReader } from "./ir/code-reader.ts";
import { type ImportedGlobals, type ModulePlan, planModule } from "./plan.ts";
import { Text, type TextFunction } from "./text.ts";
import { FixupKind } from "./x64/assembler.ts";

/** What the target of a fix-up is; `a` and `b` tell which. */
const Meaning = {
  /** As it stands: a function, a stub, the tables for backtraces, a mask of the pool, a place at the start of the data segment. */
  plain: 0,
  /** a, b: halves of a constant. */
  constant: 1,
  /** a: function. */
  functionReference: 2,
  /** a: number of the jump table within the function. */
  jumpTable: 3,
  /** a: table, b: offset in its descriptor. */
  tableDescriptor: 4,
  /** a: table, b: offset in its entries. */
  tableEntries: 5,
} as const;

/** What has to be the same in the plan of the runtime and in that of a program, since code holds it as numbers. */
interface Shape {
  readonly globals: number;
  readonly dataSegmentsOffset: number;
  readonly types: number;
  readonly functions: number;
}

const noGlobals: ImportedGlobals = new Map();

/**
 * Compiles every function of a module that programs extend.
 * @param id of this compiler: another one's code is not used
 */
export function precompile(module: WasmModule, id: string): Uint8Array {
  const plan = independentPlan(module);
  const pool = new ReadOnlyPool();
  const text = new Text();
  const compiler = new FunctionCompiler(plan, pool);
  const records = module.functions.map((entry) => {
    const fixupsFrom = text.fixups.length;
    const jumpsFrom = text.jumpEntries.length;
    const code = compiler.compile(entry, text);
    return { entry, code, fixups: text.fixups.slice(fixupsFrom), jumps: text.jumpEntries.slice(jumpsFrom) };
  });
  const writer = new NumberWriter();
  const starts = records.map(({ entry, code, fixups, jumps }) => {
    const start = writer.length;
    writer.add(entry.code.length, code.start, code.end - code.start, code.frameBytes);
    writeTables(writer, code, jumps);
    writeFixups(writer, code, fixups, jumps, plan, pool);
    return start;
  });
  return assemble(id, shapeOf(plan), starts, writer.toBytes(), text.bytes.subarray(0, text.length));
}

/** Nothing that a program changes may become a number in the code: the values of exported globals and the sizes of tables are read at run time. */
function independentPlan(module: WasmModule): ModulePlan {
  const plan = planModule(module, noGlobals);
  const exported = new Set(module.exports.flatMap(({ kind, index }) => (kind === "global" ? [index] : [])));
  return {
    ...plan,
    globals: plan.globals.map((global, index) => (exported.has(index) ? { ...global, mutable: true } : global)),
    tables: plan.tables.map((table) => ({ ...table, fixedSize: undefined })),
  };
}

function shapeOf(plan: ModulePlan): Shape {
  return {
    globals: plan.globals.length,
    dataSegmentsOffset: plan.dataSegmentsOffset,
    types: plan.module.types.length,
    functions: plan.module.functions.length,
  };
}

/** For each jump table its pool offset and the places in the code that it leads to. */
function tablesOf(jumps: readonly number[]): Map<number, number[]> {
  const tables = new Map<number, number[]>();
  for (let index = 0; index < jumps.length; index += 3) {
    const offset = jumps[index] ?? 0;
    const places = tables.get(offset) ?? [];
    places[jumps[index + 1] ?? 0] = jumps[index + 2] ?? 0;
    tables.set(offset, places);
  }
  return tables;
}

function writeTables(writer: NumberWriter, code: TextFunction, jumps: readonly number[]): void {
  const tables = tablesOf(jumps);
  writer.add(tables.size);
  for (const places of tables.values()) writer.add(places.length, ...places.map((place) => place - code.start));
}

function writeFixups(
  writer: NumberWriter,
  code: TextFunction,
  fixups: readonly number[],
  jumps: readonly number[],
  plan: ModulePlan,
  pool: ReadOnlyPool,
): void {
  const tables = [...tablesOf(jumps).keys()];
  writer.add(fixups.length / 4);
  for (let index = 0; index < fixups.length; index += 4) {
    const kind = fixups[index + 1] ?? 0;
    const target = fixups[index + 2] ?? 0;
    const [meaning, a, b] = meaningOf(kind, target, tables, plan, pool);
    writer.add((fixups[index] ?? 0) - code.start, kind, meaning, a, b, fixups[index + 3] ?? 0);
  }
}

function meaningOf(
  kind: number,
  target: number,
  tables: readonly number[],
  plan: ModulePlan,
  pool: ReadOnlyPool,
): readonly [meaning: number, a: number, b: number] {
  if (kind === FixupKind.readOnly) {
    const table = tables.indexOf(target);
    return table >= 0 ? [Meaning.jumpTable, table, 0] : contentMeaning(pool.contentAt(target), target);
  }
  if (kind !== FixupKind.data || target < plan.dataSegmentsOffset) return [Meaning.plain, target, 0];
  const last = plan.tables.findLastIndex((table) => table.offset <= target);
  if (last >= 0) return [Meaning.tableEntries, last, target - (plan.tables[last]?.offset ?? 0)];
  const descriptor = target - plan.tableDescriptorsOffset;
  if (descriptor < 0) throw new Error("code refers to the descriptor of a segment");
  return [Meaning.tableDescriptor, descriptor >> 4, descriptor & 15];
}

function contentMeaning(content: PoolContent, target: number): readonly [meaning: number, a: number, b: number] {
  switch (content.kind) {
    case "mask":
      return [Meaning.plain, target, 0];
    case "constant":
      return [Meaning.constant, content.low, content.high];
    case "function":
      return [Meaning.functionReference, content.index, 0];
  }
}

/** Signed LEB128 numbers one after the other. */
class NumberWriter {
  private readonly bytes: number[] = [];

  get length(): number {
    return this.bytes.length;
  }

  add(...values: readonly number[]): void {
    for (const value of values) {
      let rest = value;
      for (;;) {
        const low = rest & 0x7f;
        rest >>= 7;
        const isLast = (rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40);
        this.bytes.push(isLast ? low : low | 0x80);
        if (isLast) break;
      }
    }
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

/** Words before the id: its length, those of the shape, of the records, of the code. */
const headWords = 7;

/** Head, id, starts of the records (one word for each function), records, code. */
function assemble(
  id: string,
  shape: Shape,
  starts: readonly number[],
  records: Uint8Array,
  code: Uint8Array,
): Uint8Array {
  const name = Buffer.from(id);
  const startsAt = 4 * headWords + name.length;
  const recordsAt = startsAt + 4 * starts.length;
  const bytes = new Uint8Array(recordsAt + records.length + code.length);
  const view = new DataView(bytes.buffer);
  const head = [
    name.length,
    shape.globals,
    shape.dataSegmentsOffset,
    shape.types,
    shape.functions,
    records.length,
    code.length,
  ];
  for (const [index, word] of head.entries()) view.setInt32(4 * index, word, true);
  bytes.set(name, 4 * headWords);
  for (const [index, start] of starts.entries()) view.setInt32(startsAt + 4 * index, start, true);
  bytes.set(records, recordsAt);
  bytes.set(code, recordsAt + records.length);
  return bytes;
}

/** Machine code that `precompile` made. */
export class PrecompiledCode {
  private readonly view: DataView;
  private readonly starts: number;
  private readonly records: Uint8Array;
  private readonly code: Uint8Array;
  private readonly shape: Shape;
  private readonly reader = new CodeReader();

  private constructor(bytes: Uint8Array, startsAt: number) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = (index: number) => view.getInt32(4 * index, true);
    this.view = view;
    this.starts = startsAt;
    this.shape = { globals: word(1), dataSegmentsOffset: word(2), types: word(3), functions: word(4) };
    const recordsAt = startsAt + 4 * this.shape.functions;
    this.records = bytes.subarray(recordsAt, recordsAt + word(5));
    this.code = bytes.subarray(recordsAt + word(5), recordsAt + word(5) + word(6));
  }

  /** Undefined when another compiler made it. */
  static read(bytes: Uint8Array, id: string): PrecompiledCode | undefined {
    const start = 4 * headWords;
    if (bytes.length < start) return undefined;
    const end = start + new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
    if (Buffer.from(bytes.subarray(start, end)).toString() !== id) return undefined;
    return new PrecompiledCode(bytes, end);
  }

  /** Whether a program with this plan extends the module that the code was made from. */
  fits(plan: ModulePlan): boolean {
    const shape = shapeOf(plan);
    return (
      shape.globals === this.shape.globals &&
      shape.dataSegmentsOffset === this.shape.dataSegmentsOffset &&
      shape.types >= this.shape.types &&
      shape.functions >= this.shape.functions
    );
  }

  /** Appends the code of the module's defined function `position`; undefined when it is not among the functions, or has other code. */
  append(
    position: number,
    entry: WasmFunction,
    text: Text,
    pool: ReadOnlyPool,
    plan: ModulePlan,
  ): TextFunction | undefined {
    if (position >= this.shape.functions) return undefined;
    const { reader } = this;
    reader.open(this.records);
    reader.position = this.view.getInt32(this.starts + 4 * position, true);
    if (reader.s32() !== entry.code.length) return undefined;
    const start = reader.s32();
    const length = reader.s32();
    const frameBytes = reader.s32();
    const code = text.appendCode(this.code.subarray(start, start + length), frameBytes);
    const tables = this.readTables(code, text, pool);
    for (let count = reader.s32(); count > 0; count--) {
      const field = code.start + reader.s32();
      const kind = reader.s32();
      const meaning = reader.s32();
      const target = resolve(meaning, reader.s32(), reader.s32(), tables, pool, plan);
      text.fixups.push(field, kind, target, reader.s32());
    }
    return code;
  }

  private readTables(code: TextFunction, text: Text, pool: ReadOnlyPool): number[] {
    const { reader } = this;
    const offsets: number[] = [];
    for (let count = reader.s32(); count > 0; count--) {
      const entries = reader.s32();
      const offset = pool.jumpTable(entries);
      offsets.push(offset);
      for (let entry = 0; entry < entries; entry++) text.jumpEntries.push(offset, entry, code.start + reader.s32());
    }
    return offsets;
  }
}

function resolve(
  meaning: number,
  a: number,
  b: number,
  tables: readonly number[],
  pool: ReadOnlyPool,
  plan: ModulePlan,
): number {
  switch (meaning) {
    case Meaning.constant:
      return pool.bits64(a, b);
    case Meaning.functionReference:
      return pool.functionReference(a);
    case Meaning.jumpTable:
      return tables[a] ?? 0;
    case Meaning.tableDescriptor:
      return plan.tableDescriptorsOffset + 16 * a + b;
    case Meaning.tableEntries:
      return (plan.tables[a]?.offset ?? 0) + b;
    default:
      return a;
  }
}
