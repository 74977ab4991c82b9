// The guest runtime as the program's base: decoded once per process, then only read.
import { calleesOf, decodeModule, referencesOf, type WasmModule } from "../wasm/index.ts";

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
  readonly #references = new Map<number, ReturnType<typeof referencesOf>>();
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

  /** The numbers in a defined function's code that may be addresses of static data. */
  numbersOf(index: number): readonly number[] {
    return this.#referencesOf(index).numbers;
  }

  #referencesOf(index: number): ReturnType<typeof referencesOf> {
    let references = this.#references.get(index);
    if (!references) {
      const code = this.module.functions[index - this.importedFunctions]?.code;
      references = code ? referencesOf(code) : nothing;
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

const nothing = { functions: [], numbers: [] };

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
