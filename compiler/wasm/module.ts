// The form between the language and the machine: a WebAssembly module whose function bodies are code bytes.

/** The value types of the WebAssembly core format, by their binary codes. */
export const ValueType = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
  funcref: 0x70,
  externref: 0x6f,
} as const;
export type ValueType = (typeof ValueType)[keyof typeof ValueType];

export interface FuncType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

export interface Limits {
  readonly minimum: number;
  readonly maximum?: number;
  readonly shared: boolean;
}

export type ImportDescription =
  | { readonly kind: "function"; readonly type: number }
  | { readonly kind: "table"; readonly element: ValueType; readonly limits: Limits }
  | { readonly kind: "memory"; readonly limits: Limits }
  | { readonly kind: "global"; readonly type: ValueType; readonly mutable: boolean };

export interface Import {
  readonly module: string;
  readonly name: string;
  readonly description: ImportDescription;
}

/**
 * A defined function. Its index in the module's function index space is `number of function imports + position`.
 * `code` is the body's instruction bytes, the closing `end` (0x0b) included, the local declarations excluded.
 */
export interface WasmFunction {
  name: string;
  type: number;
  /** Types of the locals after the parameters, one entry each. */
  locals: readonly ValueType[];
  code: Uint8Array;
  /**
   * Where code comes from: triples (offset in `code`, file index in `WasmModule.files`, line * 4096 + column capped at 4095), ascending by
   * offset; each holds from its offset to the next.
   */
  positions?: Int32Array;
}

/** Constant expressions are kept as bytes too (with their `end`). */
export interface WasmGlobal {
  readonly type: ValueType;
  readonly mutable: boolean;
  init: Uint8Array;
  name?: string;
}

export interface WasmTable {
  readonly element: ValueType;
  limits: Limits;
}

export interface ElementSegment {
  readonly mode: "active" | "passive" | "declarative";
  readonly table: number;
  /** Constant expression bytes; only for `active`. */
  readonly offset?: Uint8Array;
  readonly element: ValueType;
  /** One constant expression each (`ref.func i end` and the like). */
  readonly init: readonly Uint8Array[];
}

export interface DataSegment {
  readonly mode: "active" | "passive";
  /** Constant expression bytes; only for `active`. */
  readonly offset?: Uint8Array;
  readonly bytes: Uint8Array;
}

export interface Export {
  readonly name: string;
  readonly kind: "function" | "table" | "memory" | "global";
  readonly index: number;
}

export interface WasmModule {
  types: FuncType[];
  imports: Import[];
  functions: WasmFunction[];
  tables: WasmTable[];
  memories: Limits[];
  globals: WasmGlobal[];
  exports: Export[];
  start?: number;
  elements: ElementSegment[];
  data: DataSegment[];
  /** Source files that `WasmFunction.positions` refer to, by index. */
  files: string[];
}
