// Standard output and standard error of native programs, as the reader of a pipe sees them (04 16).
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkTarget, compile } from "../../compiler/index.ts";

const directory = mkdtempSync(path.join(tmpdir(), "hale-streams-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function built(name: string, source: string): Promise<string> {
  const file = path.join(directory, `${name}.hl`);
  writeFileSync(file, source);
  const { program, diagnostics } = checkTarget(file, { mode: "program" });
  if (!program) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  const { executable } = await compile(program, { target: "native", profile: "dev" });
  if (!executable) throw new Error("not compiled");
  const made = path.join(directory, name);
  writeFileSync(made, executable, { mode: 0o700 });
  return made;
}

/** What a program wrote to both streams, joined in one file. */
async function both(executable: string): Promise<string> {
  const joined = path.join(directory, "joined");
  const out = openSync(joined, "w");
  const child = spawn(executable, [], { stdio: ["ignore", out, out] });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  return readFileSync(joined, "utf8");
}

test("complete lines of both streams keep the order of the calls (04 16.3, 04 16.1)", async () => {
  const executable = await built(
    "order",
    'fn main() { for i in 0..50 { println("out ", i); eprintln("err ", i); print("a", i); print("b"); println(); eprint("e"); eprint("f\\n"); } }',
  );
  const lines = Array.from({ length: 50 }, (_, i) => [`out ${i}`, `err ${i}`, `a${i}b`, "ef"]).flat();
  expect(await both(executable)).toBe(`${lines.join("\n")}\n`);
});

test("lines of several threads do not mix within a call (04 16.4)", async () => {
  const executable = await built(
    "threads",
    `locus Writer {
         params { mark: String; }
         run() { for i in 0..400 { println(std::str::repeat(self.mark, 300), i, std::str::repeat(self.mark, 300)); } }
     }
     main locus App {
         params { a: Writer = Writer { mark: "a" }; b: Writer = Writer { mark: "b" }; c: Writer = Writer { mark: "c" }; }
         placement { a: pinned; b: pinned; c: pinned; }
     }
     fn main() { App { }; }`,
  );
  const lines = (await both(executable)).trimEnd().split("\n");
  const wanted = ["a", "b", "c"].flatMap((mark) =>
    Array.from({ length: 400 }, (_, i) => `${mark.repeat(300)}${i}${mark.repeat(300)}`),
  );
  expect([...lines].sort()).toEqual(wanted.sort());
});
