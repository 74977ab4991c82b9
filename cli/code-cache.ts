// Run once by the build: compiles the programs named on the command line, so that the code cache holds what compiling needs.
import { readFileSync } from "node:fs";
import { writeCodeCache } from "./precompiled.ts";

await writeCodeCache(async (door) => {
  for (const file of process.argv.slice(2)) {
    const { program, diagnostics } = door.checkTarget(file, { mode: "program" });
    for (const diagnostic of diagnostics) door.renderDiagnostic(diagnostic);
    door.formatSource(new door.SourceFile(file, readFileSync(file, "utf8")));
    if (!program) continue;
    await door.compile(program, { target: "native", profile: "dev" });
    await door.compile(program, { target: "wasm", profile: "dev" });
  }
});
