// `hale test` and `hale run` as they are, with a compiler that needs no Hale: a source is the program itself, a script with a `#!` line.
// What the runner has to stand is written down directly that way, in sh or in JavaScript.
//   # import PATH   the file (beside this one) is part of the program
//   # reject TEXT   the program has an error
//   # crash TEXT    the compiler has a bug
//   # slow MS       compiling takes this long, and nothing else happens meanwhile
// Each compilation is noted in the file that FAKE_COMPILE_LOG names.
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArguments } from "../../../cli/arguments.ts";
import { RUN, TEST } from "../../../cli/catalog.ts";
import { run } from "../../../cli/commands/run.ts";
import { test } from "../../../cli/commands/test.ts";
import type { Compile } from "../../../cli/compiler.ts";
import { exitWith } from "../../../cli/guarded-exit.ts";
import { SourceFile, spanFrom } from "../../../compiler/source/index.ts";

const compile: Compile = async (source) => {
  const log = process.env["FAKE_COMPILE_LOG"];
  if (log) appendFileSync(log, `${path.basename(source)}\n`);
  const bytes = readFileSync(source);
  const text = bytes.toString("utf8");
  const directive = (name: string): string | undefined => new RegExp(`^# ${name} (.*)$`, "m").exec(text)?.[1];
  const crash = directive("crash");
  if (crash !== undefined) throw new Error(crash);
  const slow = Number(directive("slow") ?? 0);
  for (const end = Date.now() + slow; Date.now() < end; );
  const reject = directive("reject");
  const file = new SourceFile(source, text);
  const span = spanFrom(file, text.indexOf("# reject"), text.indexOf("# reject") + 8);
  const diagnostics =
    reject === undefined
      ? []
      : [{ kind: "type error", severity: "error", code: "E0000", message: reject, span } as const];
  const imported = directive("import");
  const library = imported === undefined ? undefined : path.join(path.dirname(source), imported);
  const reads = [source, ...(library === undefined ? [] : [library])];
  return {
    diagnostics,
    reads: reads.map((each) => [each, createHash("sha256").update(readFileSync(each)).digest("hex")] as const),
    probes: library === undefined ? [] : [path.dirname(library)],
    executable:
      reject === undefined
        ? Buffer.concat([bytes, library === undefined ? Buffer.alloc(0) : readFileSync(library)])
        : undefined,
  };
};

// A script is started by itself, as native executables are.
const [command, ...rest] = process.argv.slice(2);
const argv = ["--target", "native", ...rest];
await exitWith(() => {
  if (command === "test") {
    const given = parseArguments(TEST, argv);
    if ("problem" in given) throw new Error(given.problem);
    return test(given, compile);
  }
  const given = parseArguments(RUN, argv);
  if ("problem" in given) throw new Error(given.problem);
  return run(given, compile);
});
