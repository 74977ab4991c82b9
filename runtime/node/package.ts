// A wasm program as one executable file.
import { readFileSync } from "node:fs";

/**
 * The executable of a program: a script for Node with the module inside. Its mode must be made executable by the caller.
 * `launcher` is the text of the built launcher (`dist/launcher.js`); it is read from beside the running bundle by default.
 */
export function packageNodeExecutable(
  wasm: Uint8Array,
  launcher: string = readFileSync(new URL("./launcher.js", import.meta.url), "utf8"),
): Uint8Array {
  const module = Buffer.from(wasm.buffer, wasm.byteOffset, wasm.byteLength).toString("base64");
  return Buffer.from(`#!/usr/bin/env node\nvar haleProgram = "${module}";\n${launcher}`);
}
