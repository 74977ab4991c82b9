// The report on stdout, and on stderr what is said of passing tests too (reference 12 12.4.1).
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { complain, print, visible } from "../../output.ts";
import type { Location } from "../backtrace.ts";
import type { Captured } from "../capture.ts";
import type { OrderedReporter, RunSummary, TestFile, TestResult } from "../events.ts";

export interface TextOptions {
  readonly colour: boolean;
  readonly verbose: boolean;
}

/** `ok` and `FAIL` lines with what explains them, then the count. */
export function textReporter({ colour, verbose }: TextOptions): OrderedReporter {
  const paint = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    result(result) {
      const { test, failure, stderr } = result;
      if (!failure) {
        print(`${paint(32, "ok")}   ${visible(test.shown)}\n`);
        if (verbose) print(indent(stderrSection(stderr, stderr.text)));
        return;
      }
      const lines = [failure.message];
      const { backtrace } = failure;
      // A compile error's message has its place and its source line already.
      if (backtrace && failure.reason !== "compile") lines.push(...frameLines(backtrace.frames, result));
      lines.push(...stderrSection(stderr, backtrace ? backtrace.rest : stderr.text));
      print(`${paint(31, "FAIL")} ${visible(test.shown)}\n${indent(lines)}`);
    },
    end(summary) {
      print(`\n${countLine(summary)}\n`);
    },
  };
}

/** `1 passed, 1 failed`, and `, 7 not run` when some were not. */
export function countLine({ passed, failed, notRun }: RunSummary): string {
  return `${passed} passed, ${failed} failed${notRun > 0 ? `, ${notRun} not run` : ""}`;
}

/** What stderr says of a test whatever its status: processes it left, a vault that stays. */
export const noticeReporter: OrderedReporter = {
  result({ test, failure, leaked, keptVault }) {
    const name = visible(test.shown);
    if (failure?.unreadable) complain(`hale test: ${failure.message}\n`);
    for (const { pid, command } of leaked) complain(`hale test: ${name}: left running: ${pid} ${visible(command)}\n`);
    if (keptVault !== undefined) complain(keptText(test, keptVault));
  },
  end({ keptVaults }) {
    for (const { test, vault } of keptVaults) complain(keptText(test, vault));
  },
};

function keptText({ shown }: TestFile, vault: string): string {
  return `hale test: ${visible(shown)}'s vault is kept at ${vault}\n`;
}

/** Places shown of a deep recursion: the innermost ones, which say where, and the outermost ones, which say why. */
const INNER_FRAMES = 8;
const OUTER_FRAMES = 4;

function frameLines(frames: readonly Location[], { test }: TestResult): string[] {
  const lines: string[] = [];
  const places = withoutRepetition(frames);
  const omitted = places.length - INNER_FRAMES - OUTER_FRAMES;
  for (const [index, { frame, times }] of places.entries()) {
    if (omitted > 0 && index >= INNER_FRAMES && index < INNER_FRAMES + omitted) {
      if (index === INNER_FRAMES) lines.push(`(${omitted} more)`);
      continue;
    }
    const shown = frame.file === test.canonical ? test.shown : shortPath(frame.file);
    const repeated = times > 1 ? ` (${times} times)` : "";
    lines.push(`${index === 0 ? "at" : "called from"} ${visible(shown)}:${frame.line}:${frame.column}${repeated}`);
    const source = sourceLine(frame);
    if (source !== undefined) lines.push(`  ${frame.line} | ${source}`);
  }
  return lines;
}

/** A function that calls itself from one place is one entry. */
function withoutRepetition(frames: readonly Location[]): { frame: Location; times: number }[] {
  const places: { frame: Location; times: number }[] = [];
  for (const frame of frames) {
    const last = places.at(-1);
    const isSame =
      last?.frame.file === frame.file && last.frame.line === frame.line && last.frame.column === frame.column;
    if (last && isSame) last.times++;
    else places.push({ frame, times: 1 });
  }
  return places;
}

/** Relative to the current directory for what lies below it. */
function shortPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}

const LARGEST_SOURCE = 16 * 1024 * 1024;

function sourceLine({ file, line }: Location): string | undefined {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > LARGEST_SOURCE) return undefined;
    const text = readFileSync(file, "utf8").split("\n")[line - 1]?.trimEnd();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

function stderrSection({ dropped }: Captured, text: string): string[] {
  const lines = text.trimEnd() === "" ? [] : text.trimEnd().split("\n");
  if (dropped > 0) lines.push(`(${dropped} bytes of stderr dropped)`);
  return lines.length === 0 ? [] : ["stderr:", ...lines.map((line) => `  ${line}`)];
}

function indent(blocks: readonly string[]): string {
  return blocks.map((block) => `${block.replace(/^/gm, "     ")}\n`).join("");
}
