// `hale build --target-cache`, `--strict`, `--locality-report`, and `@locality` in the source (reference 11 11.14).
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { LocusSize } from "../compiler/index.ts";
import { loadCompiler } from "./compiler.ts";
import { complain, print } from "./output.ts";

const KIB = 1024;
/** Usual sizes of the caches of one core, and of the shared one. */
const CACHES: ReadonlyMap<string, number> = new Map([
  ["l1", 32 * KIB],
  ["l2", 512 * KIB],
  ["l3", 8 * KIB * KIB],
]);

export interface LocalityRequest {
  /** `l1`, `l2` or `l3`: for every locus that says nothing itself. */
  readonly cache: string | undefined;
  readonly report: boolean;
}

export function isCache(level: string): boolean {
  return CACHES.has(level);
}

/** Whether some source of the target says `@locality`. */
export function mentionsLocality(target: string): boolean {
  const names = statSync(target).isDirectory()
    ? readdirSync(target)
        .filter((name) => name.endsWith(".hl"))
        .map((name) => path.join(target, name))
    : [target];
  return names.some((name) => readFileSync(name, "utf8").includes("@locality"));
}

/** Prints the report and warns of what does not fit; answers how many loci that are. The program is sound. */
export async function judgeLocality(target: string, { cache, report }: LocalityRequest): Promise<number> {
  const { checkTarget, localityOf } = await loadCompiler();
  const { program } = checkTarget(target, { mode: "program" });
  if (!program) return 0;
  const sizes = localityOf(program);
  if (report) print(reportOf(sizes));
  let excesses = 0;
  for (const { locus, bytes, level, span } of sizes) {
    const limit = CACHES.get(level?.toLowerCase() ?? cache ?? "");
    if (limit === undefined || bytes <= limit) continue;
    const { line, column } = span.file.positionAt(span.start);
    const name = (level ?? cache ?? "").toUpperCase();
    complain(
      `${span.file.path}:${line}:${column}: warning: the params of \`${locus}\` take about ${bytes} bytes; ${name} has ${limit}\n`,
    );
    excesses++;
  }
  return excesses;
}

/** A line a locus: its bytes, and the smallest cache that holds them. */
function reportOf(sizes: readonly LocusSize[]): string {
  const width = Math.max(0, ...sizes.map(({ locus }) => locus.length));
  return sizes
    .map(({ locus, bytes, level }) => {
      const [smallest = "none"] = [...CACHES].find(([, size]) => bytes <= size) ?? [];
      const stated = level === undefined ? "" : `  @locality(${level})`;
      return `${locus.padEnd(width)}  ${String(bytes).padStart(10)} bytes  ${smallest}${stated}\n`;
    })
    .join("");
}
