// Holds the table of rooms in ARCHITECTURE.md: a file imports only from the rooms that its own room may, and only through their doors.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const COMPILER = [
  "compiler/source",
  "compiler/syntax",
  "compiler/program",
  "compiler/semantics",
  "compiler/analysis",
  "compiler/lowering",
  "compiler/wasm",
  "compiler/native",
];

/** Room -> the rooms it may import. A room is named by its folder; `compiler` alone is the compiler's door. */
const MAY_IMPORT = {
  "compiler/source": [],
  "compiler/syntax": ["compiler/source"],
  "compiler/program": ["compiler/source", "compiler/syntax"],
  "compiler/semantics": ["compiler/source", "compiler/syntax", "compiler/program"],
  "compiler/analysis": ["compiler/source", "compiler/syntax", "compiler/program", "compiler/semantics"],
  "compiler/wasm": [],
  "compiler/lowering": [
    "compiler/source",
    "compiler/syntax",
    "compiler/program",
    "compiler/semantics",
    "compiler/analysis",
    "compiler/wasm",
  ],
  "compiler/native": ["compiler/wasm"],
  // The door puts programs into the launcher's package.
  compiler: [...COMPILER, "runtime/node"],
  "runtime/guest": [],
  "runtime/linux": ["runtime/guest"],
  "runtime/node": [],
  cli: ["compiler"],
};

/** Checks every source file below `root`; prints what is wrong and returns whether nothing was. */
export function checkRooms(root) {
  const problems = [];
  for (const file of [...sourceFiles(root, "compiler"), ...sourceFiles(root, "runtime"), ...sourceFiles(root, "cli")]) {
    const room = roomOf(file);
    for (const { specifier, line } of importsOf(readFileSync(path.join(root, file), "utf8"))) {
      if (!specifier.startsWith(".")) continue;
      const imported = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
      const problem = judge(room, imported);
      if (problem) problems.push(`${file}:${line}: ${problem}`);
    }
  }
  for (const problem of problems) console.error(problem);
  return problems.length === 0;
}

function judge(room, imported) {
  const other = roomOf(imported);
  if (other === room) return undefined;
  const allowed = MAY_IMPORT[room];
  if (!allowed) return `no row for ${room} in the table of rooms`;
  if (!allowed.includes(other)) return `${room} may not import ${other} (${imported})`;
  // AssemblyScript has no bundler to see through a door, so the Linux host names the guest's files.
  if (room === "runtime/linux") return undefined;
  if (imported !== `${other}/index.ts`) return `import ${other} through its door, not ${imported}`;
  return undefined;
}

function roomOf(file) {
  const [first, second, ...rest] = file.split("/");
  if (first === "cli") return "cli";
  return rest.length > 0 ? `${first}/${second}` : first;
}

/** Static imports, re-exports and `import()` with a literal, with the line they end on. */
function importsOf(text) {
  const found = [];
  const pattern =
    /^\s*(?:import|export)\b[^;'"]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']/gm;
  for (const match of text.matchAll(pattern)) {
    const line = text.slice(0, match.index + match[0].length).split("\n").length;
    found.push({ specifier: match[1] ?? match[2] ?? match[3], line });
  }
  return found;
}

function sourceFiles(root, directory) {
  const entries = readdirSync(path.join(root, directory), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
