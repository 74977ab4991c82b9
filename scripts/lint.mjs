// Everything that holds the code in shape: layout, lint rules, types, the import rules between rooms, dead code, generated pages.
// All checks run, whatever fails; the exit status is 1 when any did. `npm run lint -- types rooms` runs only those.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkRooms } from "./lint-rooms.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

const CHECKS = {
  format: () => tool("@biomejs/biome/bin/biome", "format", "."),
  rules: () => tool("@biomejs/biome/bin/biome", "lint", "--error-on-warnings", "."),
  programs: () => checkPrograms(),
  types: () => tool("typescript/bin/tsc", "-p", "tsconfig.json", "--noEmit"),
  rooms: () => checkRooms(root),
  unused: () => tool("knip/bin/knip.js", "--no-progress"),
  pages: () => [script("rules.mjs", "--check"), script("diagnostics.mjs", "--check")].every(Boolean),
};

const wanted = process.argv.slice(2);
const failed = [];
for (const [name, check] of Object.entries(CHECKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (!check()) failed.push(name);
}
if (failed.length > 0) console.error(`lint: failed: ${failed.join(", ")}`);
else console.log("lint: ok");
process.exitCode = failed.length > 0 ? 1 : 0;

/** Runs an installed tool by its script; true when it is content. */
function tool(file, ...args) {
  return run(path.join(root, "node_modules", file), args);
}

/** Hale's own sources and tests are in the layout of `hale fmt`. The conformance programs are as they came; `syntax` has programs whose layout is the subject. */
function checkPrograms() {
  const rooms = ["std", "examples", "bench", "tests/language", "tests/native", "tests/replay", "tests/world"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, "bin/hale.js"), "fmt", "--check", ...rooms],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  if (status === null || (status !== 0 && stdout === "" && !stderr.includes("does not lex"))) {
    console.error(stderr || "hale fmt could not be started; run the build");
    return false;
  }
  const found = stdout.split("\n").filter((file) => file !== "" && !file.startsWith("tests/language/syntax/"));
  if (found.length > 0)
    console.error(`not in the layout of \`hale fmt\`:\n${found.map((file) => `  ${file}\n`).join("")}`);
  return found.length === 0;
}

function script(name, ...args) {
  return run(path.join(root, "scripts", name), args);
}

function run(file, args) {
  return spawnSync(process.execPath, [file, ...args], { cwd: root, stdio: "inherit" }).status === 0;
}
