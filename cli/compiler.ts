// What commands ask of the compiler, and the one place where it is loaded.
import type { Diagnostic, Profile, Target } from "../compiler/index.ts";
import { loadPrecompiled } from "./precompiled.ts";
import { identityOf } from "./replay/identity.ts";

export interface CompileMode {
  readonly target: Target;
  readonly profile: Profile;
  /** Advisories are looked for, too (but the survey of allocations): what `build` and `run` show (reference 11 11.1). */
  readonly advisories?: boolean;
  /** For `hale replay`, which has to know. */
  readonly asksForLiveEffects?: boolean;
}

export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  /** Every file that was read, but the library's: canonical path and SHA-256 of the bytes. */
  readonly reads: readonly (readonly [path: string, hash: string])[];
  /** Paths whose presence, absence or listing decided what an import means. */
  readonly probes: readonly string[];
  /** An executable file; missing when there are errors. */
  readonly executable: Uint8Array | undefined;
  /** What recordings of the program carry (`replay/identity.ts`); missing when there are errors. */
  readonly identity?: Uint8Array;
  /** Classes of effects that a replay repeats (reference 06b 6b.5); missing when there are errors. */
  readonly liveEffects?: readonly string[];
}

/** Compiles the program of a file or directory. */
export type Compile = (path: string, mode: CompileMode) => Promise<Compilation>;

/** The compiler's door, loaded when there is work for it. */
export async function loadCompiler(): Promise<typeof import("../compiler/index.ts")> {
  door ??= loadPrecompiled() ?? (await import("../compiler/index.ts"));
  return door;
}

let door: typeof import("../compiler/index.ts") | undefined;

/** The compiler itself. */
export const compileProgram: Compile = async (path, mode) => {
  const { checkTarget, compile, liveEffects, programShape } = await loadCompiler();
  const checked = checkTarget(path, { mode: "program", analyses: { advisories: mode.advisories ?? false } });
  const reads = checked.reads.map((file) => [file, checked.hashOf(file) ?? ""] as const);
  const { diagnostics, probes, program } = checked;
  if (!program) return { diagnostics, reads, probes, executable: undefined };
  const identity = identityOf({ ...mode, reads, shape: programShape(program) });
  const { executable } = await compile(program, { ...mode, identity });
  const live = mode.asksForLiveEffects ? { liveEffects: liveEffects(program) } : {};
  return { diagnostics, reads, probes, executable, identity, ...live };
};
