// What is shared by all functions of one lowering: indices, types, literals, dispatch tables, the queue of functions still to write.
import type { SourceFile } from "../source/index.ts";
import type {
  InterfaceType,
  LocusType,
  PerspectiveType,
  TypedFunction,
  TypedProgram,
  Type,
} from "../semantics/index.ts";
import { type BlockType, CodeBuilder, type FuncType, ValueType } from "../wasm/index.ts";
import { encodeText } from "./bytes.ts";
import { type Leaf, leavesOf } from "./layout.ts";
import type { LocusLowering } from "./locus-lowering.ts";
import type { References } from "./references.ts";
import type { RuntimeModule } from "./runtime-module.ts";
import { StaticData } from "./static-data.ts";

/** A function that the program adds behind the runtime's; `finished` when its code is written. */
export interface AddedFunction {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  finished: ReturnType<CodeBuilder["finish"]> | undefined;
}

const int: Type = { kind: "primitive", name: "Int" };

/** Writes the body of an added function. */
type BodyWriter = (added: AddedFunction) => void;

/** What counts references in programs with threads, and in the others. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ["retain", "retain_alone"],
  ["release", "release_alone"],
  ["count_down", "count_down_alone"],
]);

export class ProgramContext {
  readonly program: TypedProgram;
  readonly runtime: RuntimeModule;
  readonly references: References;
  readonly data: StaticData;
  readonly added: AddedFunction[] = [];
  readonly types: FuncType[];
  readonly files: string[] = [];
  /** The program may start threads: its memory is shared (docs/runtime-abi.md "Threads"). */
  sharesMemory = false;
  /** Address of what recordings of the program carry, or 0. */
  identity = 0;
  /** Functions of the runtime that the program calls. */
  readonly usedRuntimeFunctions = new Set<number>();
  /** Functions in the table behind the runtime's own entries, by function index. */
  readonly tableEntries: number[] = [];
  /** The locus half of the lowering; set once, before the first body is written. */
  loci: LocusLowering;
  /** The half that writes user functions; set by `lowerProgram`. */
  readonly #writeFunction: (context: ProgramContext, fn: TypedFunction, added: AddedFunction) => void;
  readonly #hasThreads: boolean;
  readonly #typeIndices = new Map<string, number>();
  readonly #functions = new Map<TypedFunction, AddedFunction>();
  readonly #helpers = new Map<string, Map<unknown, AddedFunction>>();
  readonly #queue: (() => void)[] = [];
  readonly #tableIndices = new Map<number, number>();
  readonly #fileIndices = new Map<SourceFile, number>();
  readonly #dispatchTables = new Map<InterfaceType | PerspectiveType, Map<LocusType, number>>();

  constructor(
    program: TypedProgram,
    runtime: RuntimeModule,
    references: References,
    loci: LocusLowering,
    writeFunction: (context: ProgramContext, fn: TypedFunction, added: AddedFunction) => void,
  ) {
    this.program = program;
    this.runtime = runtime;
    this.references = references;
    this.loci = loci;
    this.#hasThreads = loci.startsThreads(program);
    this.#writeFunction = writeFunction;
    this.data = new StaticData(runtime.staticEnd);
    this.types = runtime.module.types.slice();
    for (const [index, type] of this.types.entries()) {
      const key = typeKey(type.params, type.results);
      if (!this.#typeIndices.has(key)) this.#typeIndices.set(key, index);
    }
  }

  /** The index of a function type, added when it is new. */
  typeIndex(params: readonly ValueType[], results: readonly ValueType[]): number {
    const key = typeKey(params, results);
    let index = this.#typeIndices.get(key);
    if (index === undefined) {
      index = this.types.length;
      this.types.push({ params: params.slice(), results: results.slice() });
      this.#typeIndices.set(key, index);
    }
    return index;
  }

  /** The type of a block that gives a value of `type`. */
  blockType(type: Type): BlockType {
    const leaves = leavesOf(type);
    const [only, second] = leaves;
    if (!only) return "none";
    if (!second) return only.wasm;
    return {
      typeIndex: this.typeIndex(
        [],
        leaves.map((leaf) => leaf.wasm),
      ),
    };
  }

  /** The index of a function exported by the guest runtime. Programs without threads count by simpler ones. */
  runtimeFunction(name: string): number {
    const index = this.runtime.functionNamed(this.#hasThreads ? name : (ALONE.get(name) ?? name));
    this.usedRuntimeFunctions.add(index);
    return index;
  }

  /** The index of a global exported by the guest runtime. */
  runtimeGlobal(name: string): number {
    return this.runtime.globalNamed(name);
  }

  /** The function index of a function of the program; its body is written later if nobody asked before. */
  functionIndex(fn: TypedFunction): number {
    if (fn.foreign !== undefined) return this.runtimeFunction(fn.foreign);
    let added = this.#functions.get(fn);
    if (!added) {
      const { params, results } = this.signatureOf(fn);
      const writer = this.#writeFunction;
      added = this.addFunction(fn.name, params, results, (slot) => writer(this, fn, slot));
      this.#functions.set(fn, added);
    }
    return added.index;
  }

  /** Wasm types of a function's parameters (`self` first) and results (status last when it can fail). */
  signatureOf(fn: TypedFunction): { readonly params: readonly ValueType[]; readonly results: readonly ValueType[] } {
    const params: ValueType[] = fn.self ? [ValueType.i32] : [];
    for (const [position, local] of fn.params.entries()) {
      if (this.references.isReference(fn, position)) params.push(ValueType.i32);
      else pushWasmTypes(params, leavesOf(local.type));
    }
    return { params, results: resultTypes(this.resultOf(fn), fn.fallible) };
  }

  /** What a function gives back: of the entry always an Int, the exit status (04 1.3). */
  resultOf(fn: TypedFunction): Type {
    return fn === this.program.entry ? int : fn.result;
  }

  /** Adds a function whose body is written when the queue comes to it. */
  addFunction(
    name: string,
    params: readonly ValueType[],
    results: readonly ValueType[],
    write: BodyWriter,
  ): AddedFunction {
    const added: AddedFunction = {
      index: this.runtime.functionCount + this.added.length,
      name,
      type: this.typeIndex(params, results),
      finished: undefined,
    };
    this.added.push(added);
    this.#queue.push(() => write(added));
    return added;
  }

  /** The generated function of this kind for `key` (a type, say), made on first use. */
  helper(kind: string, key: unknown, make: () => AddedFunction): AddedFunction {
    let ofKind = this.#helpers.get(kind);
    if (!ofKind) {
      ofKind = new Map();
      this.#helpers.set(kind, ofKind);
    }
    let added = ofKind.get(key);
    if (!added) {
      added = make();
      ofKind.set(key, added);
    }
    return added;
  }

  /** Writes bodies until no function is left without one. */
  writeAll(): void {
    for (let write = this.#queue.pop(); write; write = this.#queue.pop()) write();
  }

  /** The table index of a function, for `call_indirect`. */
  tableIndexOf(functionIndex: number): number {
    let index = this.#tableIndices.get(functionIndex);
    if (index === undefined) {
      index = this.runtime.tableSize + this.tableEntries.length;
      this.tableEntries.push(functionIndex);
      this.#tableIndices.set(functionIndex, index);
    }
    return index;
  }

  /** The address of the dispatch table of `locus` seen as `contract`: the table index (i32) of each method, in order. */
  dispatchTable(contract: InterfaceType | PerspectiveType, locus: LocusType): number {
    let ofContract = this.#dispatchTables.get(contract);
    if (!ofContract) {
      ofContract = new Map();
      this.#dispatchTables.set(contract, ofContract);
    }
    let address = ofContract.get(locus);
    if (address === undefined) {
      const entries = new Int32Array(contract.methods.length);
      for (const [position, method] of contract.methods.entries()) {
        const implementation = locus.methods.get(method.name);
        if (!implementation) throw new Error(`${locus.name} has no ${method.name}`);
        entries[position] = this.tableIndexOf(this.#methodEntry(implementation, method.fallible));
      }
      address = this.data.add(new Uint8Array(entries.buffer), 4);
      ofContract.set(locus, address);
    }
    return address;
  }

  /** The index of a source file in `WasmModule.files`. */
  fileIndex(file: SourceFile): number {
    let index = this.#fileIndices.get(file);
    if (index === undefined) {
      index = this.files.length;
      this.files.push(file.path);
      this.#fileIndices.set(file, index);
    }
    return index;
  }

  /** The address of a String with this text. */
  text(value: string): number {
    return this.data.text(encodeText(value));
  }

  /** Whether a call of the function leaves an exit status that its caller does not take. */
  leavesStatus(fn: TypedFunction): boolean {
    return fn === this.program.entry && leavesOf(fn.result).length === 0;
  }

  /** The place in the table of a function as a value of its type. */
  valueOf(fn: TypedFunction): number {
    if (!this.leavesStatus(fn)) return this.tableIndexOf(this.functionIndex(fn));
    const make = () => {
      const index = this.functionIndex(fn);
      return this.addFunction(`${fn.name} (value)`, [], [], (added) => writeWithoutStatus(added, index));
    };
    return this.tableIndexOf(this.helper("main value", fn, make).index);
  }

  /** A method as its contract calls it: one that cannot fail gets a status when the contract says that it can. */
  #methodEntry(implementation: TypedFunction, fallible: Type | undefined): number {
    const index = this.functionIndex(implementation);
    if (fallible === undefined || implementation.fallible !== undefined) return index;
    const make = () => {
      const { params, results } = this.signatureOf(implementation);
      return this.addFunction(`${implementation.name} (fallible)`, params, [...results, ValueType.i32], (added) =>
        writeStatusThunk(added, index, params),
      );
    };
    return this.helper("status thunk", implementation, make).index;
  }
}

function writeWithoutStatus(added: AddedFunction, target: number): void {
  const code = new CodeBuilder([]);
  code.call(target);
  code.op("drop");
  added.finished = code.finish();
}

function writeStatusThunk(added: AddedFunction, target: number, params: readonly ValueType[]): void {
  const code = new CodeBuilder(params);
  for (const index of params.keys()) code.get(index);
  code.call(target);
  code.i32(0);
  added.finished = code.finish();
}

/** Wasm types of a call's results. */
export function resultTypes(result: Type, fallible: Type | undefined): readonly ValueType[] {
  const types: ValueType[] = [];
  pushWasmTypes(types, leavesOf(result));
  if (fallible) types.push(ValueType.i32);
  return types;
}

function pushWasmTypes(types: ValueType[], leaves: readonly Leaf[]): void {
  for (const leaf of leaves) types.push(leaf.wasm);
}

function typeKey(params: readonly ValueType[], results: readonly ValueType[]): string {
  return `${params.join()}:${results.join()}`;
}
