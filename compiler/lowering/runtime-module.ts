// The guest runtime as the program's base: decoded once per process, then only read.
import { calleesOf, customSection, decodeModule, referencesOf, type WasmModule } from "../wasm/index.ts";

export class RuntimeModule {
  readonly module: WasmModule;
  readonly importedFunctions: number;
  /** Imported and defined functions: the index of the program's first one. */
  readonly functionCount: number;
  readonly importedGlobals: number;
  /** Entries of table 0. */
  readonly tableSize: number;
  /** First address behind the runtime's static data, a multiple of 16. */
  readonly staticEnd: number;
  /** Addresses where the static objects (texts, tables) start, ascending, and behind each its last byte. */
  readonly #objectStarts: number[] = [];
  readonly #objectEnds: number[] = [];
  readonly #references = new Map<number, References>();
  #tableFunctions: readonly number[] | undefined;
  readonly #functions = new Map<string, number>();
  readonly #globals = new Map<string, number>();

  constructor(bytes: Uint8Array) {
    const module = decodeModule(bytes);
    this.module = module;
    this.importedFunctions = module.imports.filter((entry) => entry.description.kind === "function").length;
    this.importedGlobals = module.imports.filter((entry) => entry.description.kind === "global").length;
    this.functionCount = this.importedFunctions + module.functions.length;
    this.tableSize = module.tables[0]?.limits.minimum ?? 0;
    for (const { name, kind, index } of module.exports) {
      if (kind === "function") this.#functions.set(name, index);
      else if (kind === "global") this.#globals.set(name, index);
    }
    this.#readObjects(customSection(bytes, "hale.objects"));
    this.staticEnd = (this.#constantResult("static_end") + 15) & -16;
  }

  /** Functions in the runtime's own part of the table. */
  get tableFunctions(): readonly number[] {
    this.#tableFunctions ??= this.module.elements.flatMap((segment) => segment.init.flatMap((init) => calleesOf(init)));
    return this.#tableFunctions;
  }

  /** The functions that a defined function of the runtime refers to; read from its code once. */
  calleesOf(index: number): readonly number[] {
    return this.#referencesOf(index).functions;
  }

  /** The static objects that a defined function's code has an address in, by index. */
  objectsOf(index: number): readonly number[] {
    return this.#referencesOf(index).objects;
  }

  /** The index of the static object that holds the address, or -1. */
  objectAt(address: number): number {
    let low = 0;
    let high = this.#objectStarts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#objectStarts[middle] ?? 0) <= address) low = middle + 1;
      else high = middle;
    }
    return low > 0 && address < (this.#objectEnds[low - 1] ?? 0) ? low - 1 : -1;
  }

  /** The static objects that the numbers in a piece of code can be addresses in. */
  objectsIn(numbers: readonly number[]): number[] {
    return [...new Set(numbers.map((number) => this.objectAt(number)))].filter((object) => object >= 0);
  }

  #readObjects(table: Uint8Array | undefined): void {
    if (!table) throw new Error("the runtime has no table of its static objects");
    const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
    for (let at = 0; at < table.length; at += 8) {
      const start = view.getUint32(at, true);
      this.#objectStarts.push(start);
      this.#objectEnds.push(start + view.getUint32(at + 4, true));
    }
  }

  #referencesOf(index: number): References {
    let references = this.#references.get(index);
    if (!references) {
      const code = this.module.functions[index - this.importedFunctions]?.code;
      references = nothing;
      if (code) {
        const { functions, numbers } = referencesOf(code);
        references = { functions, objects: this.objectsIn(numbers) };
      }
      this.#references.set(index, references);
    }
    return references;
  }

  /** The index of an exported function. */
  functionNamed(name: string): number {
    const index = this.#functions.get(name);
    if (index === undefined) throw new Error(`the runtime exports no function ${name}`);
    return index;
  }

  hasFunction(name: string): boolean {
    return this.#functions.has(name);
  }

  /** The index of an exported global. */
  globalNamed(name: string): number {
    const index = this.#globals.get(name);
    if (index === undefined) throw new Error(`the runtime exports no global ${name}`);
    return index;
  }

  /** The value of an exported function whose body is one `i32.const`. */
  #constantResult(name: string): number {
    const code = this.module.functions[this.functionNamed(name) - this.importedFunctions]?.code;
    if (code?.[0] !== 0x41) throw new Error(`${name} is not a constant`);
    let value = 0;
    for (let at = 1, shift = 0; ; at++, shift += 7) {
      const byte = code[at] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

/** What a function of the runtime needs: other functions, static objects. */
interface References {
  readonly functions: readonly number[];
  readonly objects: readonly number[];
}

const nothing: References = { functions: [], objects: [] };

const loaded = new WeakMap<Uint8Array, RuntimeModule>();

/** The decoded runtime; decoding is done once for each array of bytes. */
export function loadRuntime(bytes: Uint8Array): RuntimeModule {
  let runtime = loaded.get(bytes);
  if (!runtime) {
    runtime = new RuntimeModule(bytes);
    loaded.set(bytes, runtime);
  }
  return runtime;
}
