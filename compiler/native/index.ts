// Room: WebAssembly to x86-64.
// In:  a `WasmModule`.
// Out: the bytes of a static ELF executable for Linux x86-64.
// Never knows Hale; never calls an assembler, linker or C compiler.
export { compileNative, type NativeOptions } from "./compile-native.ts";
export { precompile, PrecompiledCode } from "./precompiled.ts";
export { type ImportedGlobals, NativeUnsupportedError } from "./plan.ts";
export type { Invocation } from "./stubs/entry.ts";
export { type Bits, parseArgument, readableResult } from "./exec-values.ts";
export { compileCalls, type ExecOptions, type ExportCall, typeOfExport } from "./exec.ts";
export { missingFeature } from "./supported.ts";
