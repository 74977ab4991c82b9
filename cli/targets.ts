import type { Target } from "../compiler/index.ts";

interface TargetInfo {
  readonly name: Target;
  readonly summary: string;
}

/** What a program can be compiled to. */
export const TARGETS: readonly TargetInfo[] = [
  { name: "native", summary: "static executable for Linux on x86-64" },
  { name: "wasm", summary: "script with a WebAssembly module inside, for Node 20.17 or later" },
];

/** The target of a command that names none: native code where it runs. */
export function defaultTarget(): Target {
  return process.platform === "linux" && process.arch === "x64" ? "native" : "wasm";
}

/** The target that `--target` names, or the default. */
export function targetOf(name: string | undefined): Target | { readonly problem: string } {
  if (name === undefined) return defaultTarget();
  const known = TARGETS.find((target) => target.name === name);
  if (known) return known.name;
  return { problem: `unknown target \`${name}\`; there are ${TARGETS.map((target) => target.name).join(", ")}` };
}
