// Writes docs/rules.md: every numbered rule of the language reference (tests/rules.json) with the programs and tests that hold it.
//   node scripts/rules.mjs [--check]      --check: exit 1 when the page is not up to date
// A program names its rules in its header: `// rule: 04 8.1, 04 8.2`. A test in TypeScript names them in its title: `(12 12.3.5)`.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const page = path.join(root, "docs", "rules.md");
const chapters = JSON.parse(readFileSync(path.join(root, "tests", "rules.json"), "utf8"));
const CITATION = /\b(\d\d(?:b|b2|-b2|-std-a2?)?) (\d+b?(?:\.\d+)*)/g;

/** Chapter -> section or rule -> files that cite it. */
const citations = new Map();

for (const file of ["tests", "std/tests"].flatMap((room) => [...walk(path.join(root, room))])) {
  const text = readFileSync(path.join(root, file), "utf8");
  if (file.endsWith(".hl")) {
    for (const [, list] of text.matchAll(/^\/\/ rule: (.*)$/gm)) cite(list, file);
  } else if (file.endsWith(".test.ts")) {
    // The title of a table of cases stands on the table's last line: `])("title", ..`.
    for (const [title] of text.matchAll(/(?:(?:test|it|describe)[^\n]*|^\](?: as const)?\))\(\s*[`"'].*/gm))
      cite(title, file);
  }
}

const lines = [
  "# Rules and their tests",
  "",
  "Every section of the language reference with its numbered rules, and how many tests name each: programs of `tests/conformance`, `tests/language` and `std/tests` by their",
  "`// rule:` line, other tests by their title. A program that names a section only is counted for the section. Made by `node scripts/rules.mjs`.",
  "",
];
const missing = [];
for (const { chapter, sections } of chapters) {
  lines.push(`## ${chapter}`, "", "| rule | tests | for instance |", "|---|---|---|");
  for (const { id, title, tier, rules, untestable = {} } of sections) {
    const whole = filesFor(chapter, id);
    lines.push(`| **${id} ${title.replaceAll("|", "\\|")}** (${tier}) | ${whole.length} | ${example(whole)} |`);
    for (const rule of rules) {
      const files = filesFor(chapter, `${id}.${rule}`);
      lines.push(`| ${id}.${rule} | ${files.length} | ${example(files)} |`);
      const note = untestable[rule] ? `: ${untestable[rule]}` : sectionNote(whole.length);
      if (files.length === 0) missing.push(`${chapter} ${id}.${rule} (${tier})${note}`);
    }
    if (rules.length === 0 && whole.length === 0) missing.push(`${chapter} ${id} (${tier})`);
  }
  lines.push("");
}
lines.push(
  "## Not yet covered",
  "",
  "No test names these rules. Where tests name the section as a whole, some may hold the rule; where no program can show one, it says why:",
  "",
);
for (const rule of missing) lines.push(`- ${rule}`);
lines.push("");
const text = lines.join("\n");

if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/rules.md is not up to date: run `node scripts/rules.mjs`");
    process.exitCode = 1;
  }
} else writeFileSync(page, text);

function cite(list, file) {
  for (const [, chapter, rule] of list.matchAll(CITATION)) {
    const name = chapter === "09" ? "09-std-a" : chapter;
    const ofChapter = citations.get(name) ?? new Map();
    citations.set(name, ofChapter);
    const files = ofChapter.get(rule) ?? new Set();
    ofChapter.set(rule, files);
    files.add(file);
  }
}

function sectionNote(tests) {
  return tests === 0 ? "" : `; ${tests} name the section`;
}

function filesFor(chapter, rule) {
  return [...(citations.get(chapter)?.get(rule) ?? [])];
}

function example(files) {
  return files.length === 0 ? "" : `\`${files[0]}\``;
}

/** Paths of all files under `dir`, relative to the root, in order. */
function* walk(dir) {
  for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = path.join(dir, entry.name);
    if (entry.isDirectory()) yield* walk(at);
    else yield path.relative(root, at);
  }
}
