// The compiler in a process of its own: with the stack that users have, and its memory measured.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { bundle } from "../../cli/support/harness.ts";

interface CompilerAlone {
  /** Compiles a program natively; answers the executable and the most memory that it took, in KiB. */
  compile(name: string, source: string): Promise<{ readonly executable: string; readonly kibibytes: number }>;
  remove(): void;
}

export async function compilerAlone(): Promise<CompilerAlone> {
  const compiler = await bundle("compiler/index.ts");
  const directory = mkdtempSync(path.join(tmpdir(), "hale-alone-"));
  return {
    compile: async (name, text) => {
      const source = path.join(directory, `${name}.hl`);
      const executable = path.join(directory, name);
      writeFileSync(source, text);
      const script = `import { writeFileSync } from "node:fs";
        const { checkTarget, compile } = await import(${JSON.stringify(pathToFileURL(compiler.script).href)});
        const { program, diagnostics } = checkTarget(${JSON.stringify(source)}, { mode: "program" });
        if (!program) throw new Error(diagnostics.map(({ message }) => message).join("; "));
        const { executable } = await compile(program, { target: "native", profile: "dev" });
        writeFileSync(${JSON.stringify(executable)}, executable, { mode: 0o700 });
        console.log(process.resourceUsage().maxRSS);`;
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
      if (!/^\d+\n$/.test(stdout)) throw new Error(stdout + stderr);
      return { executable, kibibytes: Number(stdout) };
    },
    remove: () => {
      compiler.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
