import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Arguments } from "../arguments.ts";
import { EXIT } from "../exit-status.ts";
import { complain, errorCode, print, systemMessage } from "../output.ts";
import { makeDirectory } from "../source-files.ts";

const FILES: Readonly<Record<string, string>> = {
  "hale.toml": "# The root of the workspace: imports are also looked for from here.\n",
  "main.hl": `/// What to say to somebody.
fn greeting(name: String) -> String {
    return f"Hello, {name}!";
}

fn main() {
    println(greeting("world"));
}
`,
  "tests/main_test.hl": `import ".." as app;

fn main() {
    std::test::assert_eq_str(app::greeting("Hale"), "Hello, Hale!", "a greeting");
}
`,
  ".gitignore": "# What `hale build main.hl` and `ci.sh` write.\n/main\n/test-report.xml\n",
  "ci.sh": `#!/bin/sh
# What continuous integration runs, and what to run before a commit: layout, findings, tests. HALE names the toolchain.
set -e
cd "$(dirname "$0")"
hale="\${HALE:-hale}"
"$hale" fmt --check .
"$hale" verify --workspace .
"$hale" test --junit test-report.xml .
`,
};

/** What is to be run directly. */
const EXECUTABLE = 0o777;
const PLAIN = 0o666;

/** `hale init` (reference 08 15): the files of a new project, where they are missing. */
export async function init(given: Arguments<never>): Promise<number> {
  const [directory = ""] = given.operands;
  if (given.operands.length > 1) {
    complain(`hale init takes one directory, got ${given.operands.length}: ${given.operands.join(" ")}\n`);
    return EXIT.usage;
  }
  for (const [name, text] of Object.entries(FILES)) {
    const file = path.join(directory, name);
    try {
      makeDirectory(path.dirname(file));
      create(file, text);
      print(`created ${file}\n`);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") {
        complain(`hale init: could not create ${file}: ${systemMessage(error)}\n`);
        return EXIT.fault;
      }
      print(`kept    ${file} (already exists)\n`);
    }
  }
  const steps = [
    ...(directory === "" || directory === "." ? [] : [`cd ${directory}`]),
    "hale run .",
    "hale test",
    "./ci.sh",
  ];
  print(`\nNext:\n${steps.map((step) => `  ${step}\n`).join("")}`);
  return EXIT.success;
}

/** Writes a file that is not there yet, whole or not at all: the next `hale init` would keep a part of one. */
function create(file: string, text: string): void {
  const descriptor = openSync(file, "wx", text.startsWith("#!") ? EXECUTABLE : PLAIN);
  try {
    writeFileSync(descriptor, text);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
