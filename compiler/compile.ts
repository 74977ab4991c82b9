// From a checked program to an executable file.
import { existsSync, readFileSync } from "node:fs";
import { packageNodeExecutable } from "../runtime/node/index.ts";
import { lowerProgram } from "./lowering/index.ts";
import { compileNative, precompile, PrecompiledCode } from "./native/index.ts";
import type { TypedProgram } from "./semantics/index.ts";
import { withCustomSection, customSection, decodeModule, encodeModule, optimise } from "./wasm/index.ts";

/** `native`: a static ELF for Linux x86-64. `wasm`: a Node script with the module inside. */
export type Target = "native" | "wasm";
/** `dev`: fastest to green. `release`: through the optimiser first. */
export type Profile = "dev" | "release";

export interface CompileOptions {
  readonly target: Target;
  readonly profile: Profile;
  /** What recordings of the program carry: 32 bytes that tell what it was built from, 8 bytes of its shape's hash. */
  readonly identity?: Uint8Array;
}

/** What the compiler takes from the built package. */
export interface Assets {
  /** `runtime.wasm`: the guest runtime with the host's imports. */
  readonly runtime: Uint8Array;
  /** `runtime-linux.wasm`: the guest runtime on system calls. */
  readonly linuxRuntime: Uint8Array;
  /** The text of `launcher.js`. */
  readonly launcher: string;
}

export interface Compiled {
  /** The bytes of an executable file. */
  readonly executable: Uint8Array;
}

/**
 * Compiles a program with an entry.
 * @param assets where it differs from the files beside the running bundle
 */
export async function compile(
  program: TypedProgram,
  options: CompileOptions,
  assets: Assets = builtAssets,
): Promise<Compiled> {
  const isNative = options.target === "native";
  const module = lowerProgram(program, isNative ? assets.linuxRuntime : assets.runtime, options.identity);
  const final = options.profile === "release" ? await optimise(module, 3, isFault) : module;
  const precompiled = isNative && options.profile === "dev" ? precompiledRuntime(assets.linuxRuntime) : undefined;
  const executable = isNative
    ? compileNative(final, {
        main: "hale_start",
        functionAlignment: options.profile === "release" ? 64 : 16,
        ...(precompiled && { precompiled }),
      })
    : packageNodeExecutable(encodeModule(final), assets.launcher);
  return { executable };
}

/** Of the native back end's sources, set by the build; without it no precompiled code is made or used. */
declare const __HALE_NATIVE_ID__: string | undefined;
const nativeId = typeof __HALE_NATIVE_ID__ === "undefined" ? undefined : __HALE_NATIVE_ID__;

/** The custom section of `runtime-linux.wasm` with the machine code of its functions. */
const codeSection = "hale.native";

const precompiledRuntimes = new WeakMap<Uint8Array, PrecompiledCode | "none">();

function precompiledRuntime(runtime: Uint8Array): PrecompiledCode | undefined {
  if (nativeId === undefined) return undefined;
  let code = precompiledRuntimes.get(runtime);
  if (code === undefined) {
    const section = customSection(runtime, codeSection);
    code = (section && PrecompiledCode.read(section, nativeId)) ?? "none";
    precompiledRuntimes.set(runtime, code);
  }
  return code === "none" ? undefined : code;
}

/** The runtime (`runtime-linux.wasm` as it was made from its sources) with machine code of its functions, for the build. */
export function withNativeCode(runtime: Uint8Array): Uint8Array {
  if (nativeId === undefined) throw new Error("only a built compiler has an id for its code");
  return withCustomSection(runtime, codeSection, precompile(decodeModule(runtime), nativeId));
}

/** The executable of a module that needs nothing but system calls, for the build; `main` is the export that it runs. */
export function nativeProgram(module: Uint8Array, main: string): Uint8Array {
  return compileNative(decodeModule(module), { main });
}

/** The runtime's functions that report faults and end the program. */
const isFault = (name: string) => name.startsWith("runtime/guest/panic/");

/** The built package's files: beside the running bundle, above its chunk, or in `dist` when the sources run. */
function read(name: string): Buffer {
  for (const place of ["./", "../", "../dist/"]) {
    const file = new URL(place + name, import.meta.url);
    if (existsSync(file)) return readFileSync(file);
  }
  throw new Error(`${name} is missing; run the build`);
}

let runtime: Uint8Array | undefined;
let linuxRuntime: Uint8Array | undefined;
let launcher: string | undefined;

/** Read on first use and kept: the lowering decodes each runtime once. */
const builtAssets: Assets = {
  get runtime() {
    runtime ??= read("runtime.wasm");
    return runtime;
  },
  get linuxRuntime() {
    linuxRuntime ??= read("runtime-linux.wasm");
    return linuxRuntime;
  },
  get launcher() {
    launcher ??= read("launcher.js").toString("utf8");
    return launcher;
  },
};
