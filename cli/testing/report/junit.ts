import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { complain, systemMessage } from "../../output.ts";
import { replacementOf } from "../../replacement.ts";
import type { Captured } from "../capture.ts";
import type { OrderedReporter, TestResult } from "../events.ts";

/** Room for the opening tags, whose counts are known at the end only. */
const HEAD_BYTES = 256;

/**
 * Writes JUnit XML (reference 12 12.4.5) to a temporary file, case by case, and gives it the place of `file` when the run is over. Returns
 * the system's words when there is no writing there; what fails later is told on stderr, and by calling `onLost`.
 */
export function junitReporter(file: string, onLost: () => void): OrderedReporter | { readonly problem: string } {
  const replacement = replacementOf(file);
  if ("problem" in replacement) return replacement;
  let fd: number;
  try {
    fd = openSync(replacement.temporary, "wx");
  } catch (error) {
    return { problem: systemMessage(error) };
  }
  const abandon = (): void => void attempt(() => replacement.abandon());
  process.on("exit", abandon);
  let problem = attempt(() => writeFileSync(fd, head(0, 0, 0)));
  let tests = 0;
  let failures = 0;
  let seconds = 0;
  return {
    result(result) {
      tests++;
      seconds += secondsOf(result);
      if (result.failure) failures++;
      problem ??= attempt(() => writeFileSync(fd, testCase(result)));
    },
    end() {
      problem ??= attempt(() => {
        writeFileSync(fd, "  </testsuite>\n</testsuites>\n");
        writeSync(fd, head(tests, failures, seconds), 0);
        closeSync(fd);
        replacement.commit();
      });
      process.off("exit", abandon);
      if (problem === undefined) return;
      abandon();
      onLost();
      complain(`hale test: could not write ${file}: ${problem}\n`);
    },
  };
}

/** The opening tags with these counts, always of one length: white space within a tag says nothing. */
function head(tests: number, failures: number, seconds: number): string {
  const start = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite name="hale test"`;
  const counts = ` tests="${tests}" failures="${failures}" errors="0" time="${seconds.toFixed(3)}"`;
  return `${(start + counts).padEnd(HEAD_BYTES - 2)}>\n`;
}

function testCase(result: TestResult): string {
  const { test, failure, stdout, stderr } = result;
  const parts: string[] = [];
  if (failure) {
    const [first = ""] = failure.message.split("\n");
    parts.push(
      `      <failure message="${escapedAttribute(first)}" type="${failure.reason}">${escaped(failure.message)}</failure>\n`,
    );
  }
  parts.push(stream("system-out", stdout), stream("system-err", stderr));
  const body = parts.join("");
  const name = `name="${escapedAttribute(test.shown)}" file="${escapedAttribute(test.canonical)}"`;
  const open = `    <testcase classname="hale" ${name} time="${secondsOf(result).toFixed(3)}"`;
  return body === "" ? `${open}/>\n` : `${open}>\n${body}    </testcase>\n`;
}

function stream(tag: string, { text, dropped }: Captured): string {
  if (text === "") return "";
  const note = dropped > 0 ? `\n(${dropped} bytes dropped)` : "";
  return `      <${tag}>${escaped(text + note)}</${tag}>\n`;
}

function secondsOf({ compileMs, runMs }: TestResult): number {
  return (compileMs + runMs) / 1000;
}

/** Text for a quoted attribute, where a reader turns white space that is written plainly into spaces (XML 1.0, 3.3.3). */
export function escapedAttribute(text: string): string {
  return escaped(text).replaceAll("\t", "&#9;").replaceAll("\n", "&#10;");
}

/** Text for an element. What XML 1.0 cannot hold at all (2.2 Characters) is written as `\xNN` or `\uNNNN`. */
export function escaped(text: string): string {
  const markup: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };
  return (
    text
      .replace(/[&<>"\r]/g, (character) => markup[character] ?? character)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, (character) => {
        const code = character.charCodeAt(0).toString(16);
        return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code}`;
      })
  );
}

function attempt(body: () => void): string | undefined {
  try {
    body();
    return undefined;
  } catch (error) {
    return systemMessage(error);
  }
}
