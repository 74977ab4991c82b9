// How fast `hale fmt` lays out: all of the project's programs as one file of some 50,000 lines. `node bench/run.mjs format`. The aim: 50,000 lines a second or better.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Bench } from "tinybench";
import { formatSource, SourceFile } from "../compiler/index.ts";

const LINES = 50_000;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

const lines: string[] = [];
for (const name of readdirSync(path.join(root, "std"), { recursive: true, encoding: "utf8" }).sort()) {
  if (name.endsWith(".hl")) lines.push(...readFileSync(path.join(root, "std", name), "utf8").split("\n"));
}
const text = Array.from({ length: LINES }, (_, index) => lines[index % lines.length] ?? "").join("\n");

const bench = new Bench({ time: 3000, warmupTime: 500, iterations: 5 });
bench.add("format", () => {
  if (!("text" in formatSource(new SourceFile("bench.hl", text)))) throw new Error("the text does not lex");
});
await bench.run();
const [task] = bench.tasks;
if (!task || !("latency" in task.result)) throw new Error("no result");
const seconds = task.result.latency.p50 / 1000;
console.log(
  `${LINES} lines, ${(text.length / 1e6).toFixed(1)} MB in ${(seconds * 1000).toFixed(0)} ms (median of ${task.result.latency.samplesCount}): ${Math.round(LINES / seconds)} lines a second`,
);
