// Text modules for tests, through Binaryen's parser.
import binaryen from "binaryen";
import { compileCalls, parseArgument, typeOfExport } from "../../../compiler/native/index.ts";
import { decodeModule, type WasmModule } from "../../../compiler/wasm/index.ts";
import type { Workplace } from "./compare.ts";

const { Features } = binaryen;
/** What the back end has. */
const features =
  Features.MVP |
  Features.MutableGlobals |
  Features.NontrappingFPToInt |
  Features.SignExt |
  Features.BulkMemory |
  Features.BulkMemoryOpt |
  Features.ReferenceTypes |
  Features.Multivalue |
  Features.Atomics;

export function wat(text: string): Uint8Array {
  const module = binaryen.parseText(text);
  try {
    module.setFeatures(features);
    if (module.validate() === 0) throw new Error("the module is not valid");
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

/** Calls exports one after the other, `name arg arg`, in one instance; gives the lines of results and traps. */
export function call(place: Workplace, bytes: Uint8Array, ...calls: readonly string[]): string[] {
  return callModule(place, decodeModule(bytes), ...calls);
}

/** As `call`, for a module put together by hand. */
export function callModule(place: Workplace, module: WasmModule, ...calls: readonly string[]): string[] {
  const executable = compileCalls(
    module,
    calls.map((text) => {
      const [name = "", ...args] = text.split(" ");
      const { params } = typeOfExport(module, name);
      return { name, args: params.map((type, index) => parseArgument(type, args[index] ?? "")) };
    }),
    { resumeAfterTraps: true },
  );
  const { stdout, stderr, signal } = place.run(executable);
  if (signal !== null || stderr !== "") throw new Error(`signal ${signal}, stderr ${stderr}`);
  return stdout.split("\n").slice(0, -1);
}
