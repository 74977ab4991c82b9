#!/usr/bin/env node
// Times the programs of bench/programs: Hale (release and dev profile, and the release module under V8) beside C (gcc -O2) and Go, when these are installed.
//   node bench/programs.mjs [--runs N] [--only NAME,NAME] [--json FILE]
// Whole-process wall time; the variants of one program take turns, so a machine that slows down slows all of them; the median of each is compared.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const programs = join(here, "programs");
const hale = join(here, "..", "bin", "hale.js");
const argument = (name, fallback) =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback;
const runs = Number(argument("--runs", "5"));
const only = argument("--only", "");
const jsonFile = argument("--json", "");

/** The ways to make an executable of program `name`; each gives its path, or undefined when its toolchain is missing. */
const variants = {
  "hale release": (name, out) =>
    build("node", [hale, "build", "--release", "-o", out, join(programs, `${name}.hl`)], out),
  "hale dev": (name, out) => build("node", [hale, "build", "-o", out, join(programs, `${name}.hl`)], out),
  v8: (name, out) =>
    build("node", [hale, "build", "--release", "--target", "wasm", "-o", out, join(programs, `${name}.hl`)], out),
  c: (name, out) => buildIfThere(`${name}.c`, out, (file) => ["gcc", "-O2", "-o", out, file, "-lm"]),
  go: (name, out) => buildIfThere(`${name}.go`, out, (file) => ["go", "build", "-o", out, file]),
};

/** Programs about messages and threads have no equivalent in C. */
function buildIfThere(source, out, commandFor) {
  const file = join(programs, source);
  if (!existsSync(file)) return undefined;
  const [command, ...args] = commandFor(file);
  return build(command, args, out);
}

function build(command, args, out) {
  const made = spawnSync(command, args, { encoding: "utf8" });
  if (made.error) return undefined;
  if (made.status !== 0) {
    console.error(`${command} ${args.join(" ")}\n${made.stderr}`);
    return undefined;
  }
  return out;
}

function timed(executable) {
  const start = process.hrtime.bigint();
  const ran = spawnSync(executable, [], { encoding: "utf8" });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return { seconds, output: ran.stdout, status: ran.status };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const geometricMean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

const work = mkdtempSync(join(tmpdir(), "hale-bench-programs-"));
const results = [];
try {
  const names = readdirSync(programs)
    .filter((f) => f.endsWith(".hl") && (only === "" || only.split(",").includes(f.slice(0, -3))))
    .map((f) => f.slice(0, -3));
  console.log(
    `${"program".padEnd(12)}${Object.keys(variants)
      .map((v) => v.padStart(14))
      .join("")}   release/C  release/Go  release/V8  dev/release`,
  );
  for (const name of names) {
    const made = Object.entries(variants).map(([variant, make], i) => [
      variant,
      make(name, join(work, `${name}.${i}`)),
    ]);
    const times = new Map();
    const outputs = new Set();
    for (let run = 0; run < runs; run++) {
      for (const [variant, executable] of made) {
        if (!executable) continue;
        const { seconds, output, status } = timed(executable);
        if (status !== 0) console.error(`${name} (${variant}) ended with ${status}`);
        times.set(variant, [...(times.get(variant) ?? []), seconds]);
        outputs.add(output);
      }
    }
    if (outputs.size > 1)
      console.error(`${name}: the outputs differ: ${[...outputs].map((o) => JSON.stringify(o)).join(" ")}`);
    const at = (variant) => (times.has(variant) ? median(times.get(variant)) : undefined);
    const ratio = (a, b) => (at(a) && at(b) ? at(a) / at(b) : undefined);
    const row = {
      name,
      seconds: Object.fromEntries(made.map(([v]) => [v, at(v)])),
      toC: ratio("hale release", "c"),
      toGo: ratio("hale release", "go"),
      toV8: ratio("hale release", "v8"),
      dev: ratio("hale dev", "hale release"),
    };
    results.push(row);
    const cell = (value, width, digits = 2) => (value === undefined ? "-" : value.toFixed(digits)).padStart(width);
    console.log(
      `${name.padEnd(12)}${made.map(([v]) => cell(at(v), 14, 3)).join("")}${cell(row.toC, 12)}${cell(row.toGo, 12)}${cell(row.toV8, 12)}${cell(row.dev, 13)}`,
    );
  }
  for (const key of ["toC", "toGo", "toV8", "dev"]) {
    const values = results.map((r) => r[key]).filter((v) => v !== undefined);
    if (values.length > 0)
      console.log(
        `geometric mean ${key}: ${geometricMean(values).toFixed(2)} (worst ${Math.max(...values).toFixed(2)})`,
      );
  }
  if (jsonFile) writeFileSync(jsonFile, `${JSON.stringify(results, null, 2)}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
