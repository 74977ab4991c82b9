// Child process of scripts/fuzz.mjs: compiles the mutated programs FIRST to below END of a corpus and says on standard output, one JSON line each, what went
// wrong: an exception, a module that is not valid, a silent refusal. Before each program it writes its number, so that the parent sees where it hangs.
//   node compile-all.mjs ROOT SCRATCH FIRST END
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { checkTarget, formatSource, SourceFile } from "../../compiler/index.ts";
import { lowerProgram } from "../../compiler/lowering/index.ts";
import { compileNative } from "../../compiler/native/index.ts";
import { decodeModule, encodeModule } from "../../compiler/wasm/index.ts";
import { mutatedProgram, type Tokens, tokensOf } from "./mutate.ts";

const [root = ".", scratch = ".", first = "0", end = "0"] = process.argv.slice(2);
/** One program in so many goes through the native back end too. */
const NATIVE_EVERY = 8;
/** Of processor time: a busy machine is no fault of the program. */
const SLOW_MS = 10_000;

const corpus = readCorpus();
const runtime = readFileSync(path.join(root, "dist/runtime.wasm"));
const linuxRuntime = readFileSync(path.join(root, "dist/runtime-linux.wasm"));
const file = path.join(scratch, "program.hl");
let accepted = 0;

for (let seed = Number(first); seed < Number(end); seed++) {
  console.log(JSON.stringify({ seed }));
  const text = mutatedProgram(corpus, seed);
  const before = process.cpuUsage();
  const problem = problemOf(text, seed);
  const { user, system } = process.cpuUsage(before);
  const elapsed = (user + system) / 1000;
  if (problem !== undefined) report(seed, text, problem);
  else if (elapsed > SLOW_MS) report(seed, text, `took ${Math.round(elapsed)} ms`);
}
console.log(JSON.stringify({ done: true, accepted }));

function readCorpus(): Tokens[] {
  const found: Tokens[] = [];
  for (const area of ["tests/conformance", "tests/language", "examples"]) {
    for (const name of (readdirSync(path.join(root, area), { recursive: true }) as string[]).sort()) {
      if (!name.endsWith(".hl")) continue;
      const text = readFileSync(path.join(root, area, name), "utf8");
      if (/^import/m.test(text)) continue;
      const tokens = tokensOf(text);
      found.push(tokens);
      // What runs gives more programs that get beyond the checker.
      if (/^\/\/ expect: run/m.test(text)) found.push(tokens, tokens);
    }
  }
  return found;
}

function problemOf(text: string, seed: number): string | undefined {
  try {
    return compiles(text, seed);
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.stack}` : String(thrown);
  }
}

/** What is wrong with the compiler, not with the program. */
function compiles(text: string, seed: number): string | undefined {
  formatSource(new SourceFile("program.hl", text));
  writeFileSync(file, text);
  const { program, diagnostics } = checkTarget(file, {
    mode: "program",
    analyses: { advisories: true, survey: true, resourceLeaks: true },
  });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (!program) return errors.length === 0 ? "refused without an error" : undefined;
  if (errors.length > 0) return undefined;
  accepted++;
  const bytes = encodeModule(lowerProgram(program, runtime));
  if (!WebAssembly.validate(bytes)) return `not valid: ${whyInvalid(bytes)}`;
  if (seed % NATIVE_EVERY === 0) {
    compileNative(decodeModule(encodeModule(lowerProgram(program, linuxRuntime))), { main: "hale_start" });
  }
  return undefined;
}

function whyInvalid(bytes: Uint8Array): string {
  try {
    new WebAssembly.Module(bytes);
    return "accepted at the second try";
  } catch (thrown) {
    return String(thrown);
  }
}

function report(seed: number, text: string, problem: string): void {
  const kept = path.join(scratch, `${seed}.hl`);
  writeFileSync(kept, text);
  console.log(JSON.stringify({ seed, problem, kept }));
}
