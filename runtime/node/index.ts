// Room: programs on Node.
// In:  a program compiled to WebAssembly.
// Out: its run (`launcher.ts`, a bundle of its own), or an executable file that does the same (`packageNodeExecutable`).
// Never knows the compiler.
export { packageNodeExecutable } from "./package.ts";
