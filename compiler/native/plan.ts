// What is known about a module before its functions are compiled: index spaces resolved, places in the data segment and the thread block assigned.
import { type FuncType, type Import, type Limits, ValueType, type WasmModule } from "../wasm/index.ts";
import { CodeReader } from "./ir/code-reader.ts";
import { MachineType } from "./ir/operations.ts";

/** The address of linear memory's byte 0. Nothing else is ever mapped below 12 GiB, so that any 32-bit address plus a 32-bit offset stays harmless. */
export const memoryBase = 0x100000;
/** Linear memory ends where address + memoryBase would pass 2^32: then 32-bit address arithmetic can carry the base (see select.ts). */
export const maximalPages = 65536 - memoryBase / 65536;
export const imageBase = 0x4_0000_0000n;
/** The bit that imageBase is: code addresses are kept as their low halves. */
export const imageBaseBit = 34;
/** Start of the globals in the thread block; see threads.ts for what is before them. */
export const threadHeaderBytes = 64;

const maximalTableEntries = 1 << 20;

/** Words of the run-time support in the data segment: the initial stack pointer, whether a trap has happened, where to go on after one, where a watched signal is noted, whether one has come since the last interrupted call. */
export const supportBytes = 64;
export const SupportOffset = {
  initialStack: 0,
  trapping: 8,
  resumeStack: 16,
  resumeAddress: 24,
  signalFlag: 32,
  interrupted: 40,
} as const;

export interface GlobalPlan {
  readonly type: MachineType;
  readonly mutable: boolean;
  /** Place in the thread block. */
  readonly offset: number;
  readonly low: number;
  readonly high: number;
  /** The initial value is a reference to this function: the linker writes it. */
  readonly functionReference?: number;
}

export interface TablePlan {
  readonly minimum: number;
  readonly capacity: number;
  /** The size when nothing can change it. */
  readonly fixedSize: number | undefined;
  /** Offset of the entries in the data segment. */
  offset: number;
  /** Offset of the size in the data segment, in the table's descriptor: address (8 bytes), size, capacity. */
  sizeOffset: number;
}

export interface MemoryPlan {
  readonly minimum: number;
  readonly maximum: number;
  readonly shared: boolean;
}

export interface ModulePlan {
  readonly module: WasmModule;
  readonly importedFunctions: readonly Import[];
  /** Type index of every function, imports first. */
  readonly functionTypes: readonly number[];
  /** A number for each type index, equal for equal types, from 1. */
  readonly typeIds: readonly number[];
  readonly globals: readonly GlobalPlan[];
  readonly tables: readonly TablePlan[];
  readonly memory: MemoryPlan | undefined;
  // Offsets in the data segment: of arrays of descriptors (address, length; 8 bytes each) of the segments, of the descriptors of the tables, of the number of
  // memory pages, and of the words of the run-time support.
  readonly dataSegmentsOffset: number;
  readonly elementSegmentsOffset: number;
  readonly tableDescriptorsOffset: number;
  readonly memoryPagesOffset: number;
  readonly supportOffset: number;
  readonly threadBytes: number;
  /** Offset in the data segment of what a new thread's block starts as; the main thread's changes. Only with threads, else 0. */
  readonly threadTemplateOffset: number;
  readonly dataBytes: number;
  /** Tables follow the data; they need this many bytes more. */
  readonly tableBytes: number;
}

/** A module that asks for something the back end does not have. */
export class NativeUnsupportedError extends Error {
  override name = "NativeUnsupportedError";
}

/** Values of imported globals, by `module.name`. */
export type ImportedGlobals = ReadonlyMap<string, { readonly low: number; readonly high: number }>;

export function machineTypeOf(type: ValueType): MachineType {
  switch (type) {
    case ValueType.i32:
      return MachineType.i32;
    case ValueType.f32:
      return MachineType.f32;
    case ValueType.f64:
      return MachineType.f64;
    case ValueType.i64:
    case ValueType.funcref:
    case ValueType.externref:
      return MachineType.i64;
    case ValueType.v128:
      throw new NativeUnsupportedError("not supported yet: SIMD");
  }
}

/** The type of function `index`. */
export function functionTypeOf(plan: ModulePlan, index: number): FuncType {
  return typeAt(plan.module, plan.functionTypes[index] ?? -1);
}

export function typeAt(module: WasmModule, index: number): FuncType {
  const type = module.types[index];
  if (type === undefined) throw new NativeUnsupportedError(`unknown type ${index}`);
  return type;
}

export function planModule(module: WasmModule, importedGlobals: ImportedGlobals): ModulePlan {
  const importedFunctions = module.imports.filter((entry) => entry.description.kind === "function");
  const functionTypes: number[] = [];
  for (const entry of importedFunctions)
    if (entry.description.kind === "function") functionTypes.push(entry.description.type);
  for (const entry of module.functions) functionTypes.push(entry.type);
  const globals = planGlobals(module, importedGlobals);
  const threadBytes = threadHeaderBytes + globals.length * 8;
  let offset = threadBytes;
  const take = (bytes: number): number => {
    offset += bytes;
    return offset - bytes;
  };
  const startsThreads = importedFunctions.some((entry) => entry.module === "sys" && entry.name === "thread_start");
  const threadTemplateOffset = startsThreads ? take(threadBytes) : 0;
  const memoryPagesOffset = take(8);
  const supportOffset = take(supportBytes);
  const dataSegmentsOffset = take(16 * module.data.length);
  const elementSegmentsOffset = take(16 * module.elements.length);
  const tables = planTables(module);
  const tableDescriptorsOffset = take(16 * tables.length);
  tables.forEach((table, index) => {
    table.sizeOffset = tableDescriptorsOffset + 16 * index + 8;
  });
  const dataBytes = offset;
  for (const table of tables) table.offset = take(table.capacity * 8);
  return {
    module,
    importedFunctions,
    functionTypes,
    typeIds: typeIds(module),
    globals,
    tables,
    memory: planMemory(module),
    dataSegmentsOffset,
    elementSegmentsOffset,
    tableDescriptorsOffset,
    memoryPagesOffset,
    supportOffset,
    threadBytes,
    threadTemplateOffset,
    dataBytes,
    tableBytes: offset - dataBytes,
  };
}

function typeIds(module: WasmModule): number[] {
  const known = new Map<string, number>();
  return module.types.map((type) => {
    const key = `${type.params.join(",")}:${type.results.join(",")}`;
    const id = known.get(key) ?? known.size + 1;
    known.set(key, id);
    return id;
  });
}

function planMemory(module: WasmModule): MemoryPlan | undefined {
  const all: Limits[] = [];
  for (const entry of module.imports) if (entry.description.kind === "memory") all.push(entry.description.limits);
  all.push(...module.memories);
  const [limits, second] = all;
  if (second !== undefined) throw new NativeUnsupportedError("not supported yet: several memories");
  if (limits === undefined) return undefined;
  if (limits.minimum > maximalPages)
    throw new NativeUnsupportedError(`not supported yet: a memory of ${limits.minimum} pages`);
  return {
    minimum: limits.minimum,
    maximum: Math.min(limits.maximum ?? maximalPages, maximalPages),
    shared: limits.shared,
  };
}

function planTables(module: WasmModule): TablePlan[] {
  const all: Limits[] = [];
  for (const entry of module.imports) if (entry.description.kind === "table") all.push(entry.description.limits);
  for (const table of module.tables) all.push(table.limits);
  const grows = all.length > 0 && module.functions.some((entry) => mayGrowTable(entry.code));
  return all.map(({ minimum, maximum }) => {
    const capacity = grows ? Math.max(minimum, Math.min(maximum ?? maximalTableEntries, maximalTableEntries)) : minimum;
    return { minimum, capacity, fixedSize: grows ? undefined : minimum, offset: 0, sizeOffset: 0 };
  });
}

/** Whether the bytes of table.grow occur; they may also occur within an immediate, which does no harm. */
function mayGrowTable(code: Uint8Array): boolean {
  for (let at = code.indexOf(0xfc); at >= 0; at = code.indexOf(0xfc, at + 1))
    if (((code[at + 1] ?? 0) & 0x7f) === 0x0f) return true;
  return false;
}

function planGlobals(module: WasmModule, imported: ImportedGlobals): GlobalPlan[] {
  const globals: GlobalPlan[] = [];
  const offsetOf = () => threadHeaderBytes + globals.length * 8;
  for (const entry of module.imports) {
    const { description } = entry;
    if (description.kind !== "global") continue;
    const value = imported.get(`${entry.module}.${entry.name}`);
    if (value === undefined) throw new NativeUnsupportedError(`unknown import ${entry.module}.${entry.name}`);
    globals.push({
      type: machineTypeOf(description.type),
      mutable: description.mutable,
      offset: offsetOf(),
      low: value.low,
      high: value.high,
    });
  }
  for (const entry of module.globals) {
    const value = evaluateConstant(entry.init, globals);
    globals.push({ type: machineTypeOf(entry.type), mutable: entry.mutable, offset: offsetOf(), ...value });
  }
  return globals;
}

export interface ConstantValue {
  readonly low: number;
  readonly high: number;
  readonly functionReference?: number;
}

/** One for all: a module has thousands of constant expressions. */
const constantReader = new CodeReader();

/** Evaluates a constant expression (extended constants included). A null reference is zero. */
export function evaluateConstant(code: Uint8Array, globals: readonly GlobalPlan[]): ConstantValue {
  const reader = constantReader;
  reader.open(code);
  const stack: ConstantValue[] = [];
  for (;;) {
    const opcode = reader.byte();
    switch (opcode) {
      case 0x0b:
        return stack.pop() ?? { low: 0, high: 0 };
      case 0x23: {
        const global = globals[reader.u32()];
        if (global === undefined) throw new NativeUnsupportedError("unknown global in a constant expression");
        const { low, high, functionReference } = global;
        stack.push(functionReference === undefined ? { low, high } : { low, high, functionReference });
        break;
      }
      case 0x41:
        stack.push({ low: reader.s32(), high: 0 });
        break;
      case 0x42:
        reader.s64();
        stack.push({ low: reader.low, high: reader.high });
        break;
      case 0x43:
        stack.push({ low: reader.bits32(), high: 0 });
        break;
      case 0x44:
        stack.push({ low: reader.bits32(), high: reader.bits32() });
        break;
      case 0xd0:
        reader.skipLeb();
        stack.push({ low: 0, high: 0 });
        break;
      case 0xd2:
        stack.push({ low: 0, high: 0, functionReference: reader.u32() });
        break;
      default:
        pushArithmetic(opcode, stack);
    }
  }
}

function pushArithmetic(opcode: number, stack: ConstantValue[]): void {
  const right = stack.pop() ?? { low: 0, high: 0 };
  const left = stack.pop() ?? { low: 0, high: 0 };
  const big = ({ low, high }: ConstantValue) => (BigInt(high) << 32n) | BigInt(low >>> 0);
  const operations: Readonly<Record<number, (a: bigint, b: bigint) => bigint>> = {
    0x6a: (a, b) => a + b,
    0x6b: (a, b) => a - b,
    0x6c: (a, b) => a * b,
    0x7c: (a, b) => a + b,
    0x7d: (a, b) => a - b,
    0x7e: (a, b) => a * b,
  };
  const operation = operations[opcode];
  if (operation === undefined)
    throw new NativeUnsupportedError(`opcode 0x${opcode.toString(16)} in a constant expression`);
  const value = operation(big(left), big(right));
  stack.push({
    low: Number(BigInt.asIntN(32, value)),
    high: opcode >= 0x7c ? Number(BigInt.asIntN(32, value >> 32n)) : 0,
  });
}
