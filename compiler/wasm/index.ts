// Room: WebAssembly modules.
// In:  builder calls, or the bytes of a module.
// Out: `WasmModule` (function bodies are instruction bytes), its binary encoding, the optimised module.
// Never knows Hale; never imports Binaryen except lazily, in the optimiser bridge.
export * from "./builder.ts";
export * from "./module.ts";
export * from "./opcodes.ts";
export { calleesOf, referencesOf } from "./callees.ts";
export { customSection, withCustomSection } from "./custom-section.ts";
export { encodeModule } from "./encoder.ts";
export { decodeModule } from "./decoder.ts";
export { WasmFormatError } from "./reader.ts";
export { type OptimiseLevel, optimise } from "./binaryen.ts";
