// The part of the WebAssembly JavaScript interface that the house uses: Node's own types leave it out, and those of the browser would bring all of it.

declare namespace WebAssembly {
  type ImportExportKind = "function" | "global" | "memory" | "table";
  type ImportValue = ((...args: never[]) => unknown) | Global | Memory | Table | number | bigint;
  type ExportValue = ((...args: (number | bigint)[]) => number | bigint | undefined) | Global | Memory | Table;
  type Exports = Record<string, ExportValue>;
  type ModuleImports = Record<string, ImportValue>;
  type Imports = Record<string, ModuleImports>;

  interface ModuleExportDescriptor {
    readonly name: string;
    readonly kind: ImportExportKind;
  }
  interface ModuleImportDescriptor extends ModuleExportDescriptor {
    readonly module: string;
  }

  class Module {
    constructor(bytes: ArrayBuffer | ArrayBufferView);
    static exports(module: Module): ModuleExportDescriptor[];
    static imports(module: Module): ModuleImportDescriptor[];
    static customSections(module: Module, name: string): ArrayBuffer[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Table {
    constructor(descriptor: { element: "anyfunc" | "externref"; initial: number; maximum?: number });
    readonly length: number;
    get(index: number): unknown;
    set(index: number, value: unknown): void;
    grow(count: number): number;
  }
  class Global {
    constructor(descriptor: { value: "i32" | "i64" | "f32" | "f64"; mutable?: boolean }, value: number | bigint);
    get value(): number;
    set value(value: number | bigint);
  }
  class RuntimeError extends Error {}
  class CompileError extends Error {}
  class LinkError extends Error {}

  function validate(bytes: ArrayBuffer | ArrayBufferView): boolean;
  function compile(bytes: ArrayBuffer | ArrayBufferView): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}
