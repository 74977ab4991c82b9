import type { TypedFunction, TypedProgram } from "../semantics/index.ts";
import { ValueType, type WasmModule } from "../wasm/index.ts";
import { assemble } from "./assemble.ts";
import { FunctionContext } from "./function-context.ts";
import { writeFunction } from "./functions.ts";
import { lociLowering } from "./loci/index.ts";
import { type AddedFunction, ProgramContext } from "./program-context.ts";
import { findQuietFunctions } from "./quiet-functions.ts";
import { References } from "./references.ts";
import { loadRuntime } from "./runtime-module.ts";

/**
 * Lowers what the program's entry reaches and appends it to the guest runtime.
 * @param program without errors, with an entry
 * @param runtimeBytes `runtime.wasm` or `runtime-linux.wasm`; decoded once for each array
 * @param identity 40 bytes that recordings of the program carry (docs/runtime-abi.md); none by default
 */
export function lowerProgram(program: TypedProgram, runtimeBytes: Uint8Array, identity?: Uint8Array): WasmModule {
  const { entry } = program;
  if (!entry) throw new Error("a program without an entry");
  const runtime = loadRuntime(runtimeBytes);
  const references = new References(program, lociLowering.implicitFunctions, lociLowering.directHandlers(program));
  findQuietFunctions(program);
  const context = new ProgramContext(program, runtime, references, lociLowering, writeFunction);
  if (identity) context.identity = context.data.add(identity, 8);
  const main = context.addFunction("hale_main", [], [ValueType.i32], (added) => writeMain(context, entry, added));
  context.writeAll();
  return assemble(context, main);
}

/** `hale_main() -> i32`: the entry's result, modulo 256 (04 1.3). */
function writeMain(program: ProgramContext, entry: TypedFunction, added: AddedFunction): void {
  const fn = new FunctionContext(program, undefined, []);
  const { code } = fn;
  program.loci.beginProgram(fn, entry);
  code.call(program.functionIndex(entry));
  code.op("i32.wrap_i64");
  code.i32(255);
  code.op("i32.and");
  program.loci.endProgram(fn, entry);
  added.finished = code.finish();
}
