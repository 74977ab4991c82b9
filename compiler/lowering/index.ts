// Room: typed program to WebAssembly.
// In:  a `TypedProgram` without errors, the guest runtime module.
// Out: a `WasmModule` with what the entry reaches.
// Never reports a user's mistake; never knows a machine.
export { lowerProgram } from "./lower-program.ts";
