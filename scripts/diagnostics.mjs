// Writes docs/diagnostics.md from the table of codes: `node scripts/diagnostics.mjs`. With `--check` it only says whether the page is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const page = path.join(root, "docs", "diagnostics.md");

const PHASES = {
  "00": "Tokens",
  "01": "Grammar",
  "02": "Files, seeds, imports",
  "03": "Names, types, values",
  "04": "Functions, control flow, errors",
  "05": "Loci",
  "06": "Failure and closures",
  "07": "Bus and placement",
  "08": "Collections",
  "09": "Standard library",
  10: "Not there yet",
  W: "Warnings",
};

const codes = await loadCodes();
const text = render(codes);
if (!process.argv.includes("--check")) writeFileSync(page, text);
else if (readFileSync(page, "utf8") !== text) {
  console.error("docs/diagnostics.md is out of date: run `node scripts/diagnostics.mjs`");
  process.exitCode = 1;
}

/** The table, bundled from its TypeScript. */
async function loadCodes() {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, "compiler/semantics/codes.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  const { CODES } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return Object.entries(CODES).sort(([a], [b]) => (a < b ? -1 : 1));
}

function render(entries) {
  const lines = [
    "# Diagnostics",
    "",
    "Every finding of the compiler has a code. Made by `node scripts/diagnostics.mjs`.",
    "",
  ];
  let phase = "";
  for (const [code, { title, explanation, example }] of entries) {
    const own = code.startsWith("W") ? "W" : code.slice(1, 3);
    if (own !== phase) lines.push(`## ${PHASES[own]}`, "");
    phase = own;
    const shown = example.length > 400 ? `${example.slice(0, 60)} ...` : example;
    lines.push(
      `### ${code}: ${title}`,
      "",
      explanation,
      "",
      shown.startsWith("hale ") ? "```" : "```hale",
      shown,
      "```",
      "",
    );
  }
  return `${lines.join("\n").trimEnd()}\n`;
}
