// How findings are written: for people, as JSON lines, as annotations of a GitHub workflow run, as a SARIF log. A report is fed target by target.
import path from "node:path";
import type { Diagnostic, Span } from "../../compiler/index.ts";
import type { loadCompiler } from "../compiler.ts";
import { complain, print } from "../output.ts";
import { findingText } from "../single-file.ts";
import { SarifLog } from "./sarif.ts";

export type Door = Awaited<ReturnType<typeof loadCompiler>>;
export type Format = "text" | "json" | "github" | "sarif";

export interface FindingsReport {
  /** Whether lines about the run itself belong on stdout and stderr. */
  readonly isForPeople: boolean;
  readonly add: (findings: readonly Diagnostic[]) => void;
  /** Writes what can only be written at the end. */
  readonly finish: () => void;
}

export function reportIn(format: Format, door: Door): FindingsReport {
  switch (format) {
    case "text":
      return {
        isForPeople: true,
        add: (findings) => complain(lines(findings.map((finding) => findingText(door, finding)))),
        finish: () => {},
      };
    case "json":
      return {
        isForPeople: false,
        add: (findings) => print(lines(findings.map(door.renderDiagnosticJson))),
        finish: () => {},
      };
    case "github":
      return {
        isForPeople: false,
        add: (findings) => print(lines(findings.map((finding) => annotation(finding, door.messageOf(finding))))),
        finish: () => {},
      };
    case "sarif": {
      const log = new SarifLog(door);
      return { isForPeople: false, add: (findings) => log.add(findings), finish: () => print(log.text()) };
    }
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

// ---------------------------------------------------------------- GitHub

/** One workflow command: `::error file=..,line=..,col=..,title=..::message`. */
function annotation({ severity, code, span, path: file, help }: Diagnostic, message: string): string {
  const place = span && !span.file.isStd ? placeOf(span) : { file: file ?? "" };
  const properties = Object.entries({ ...place, title: code })
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `${key}=${escaped(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`);
  const text = help === undefined ? message : `${message}\nhelp: ${help}`;
  return `::${severity} ${properties.join(",")}::${escaped(text)}`;
}

function placeOf(span: Span): Readonly<Record<string, string | number>> {
  const start = span.file.positionAt(span.start);
  const end = span.file.positionAt(span.end);
  const isOneLine = start.line === end.line;
  return {
    file: shownPath(span.file.path),
    line: start.line,
    endLine: end.line,
    col: start.column,
    ...(isOneLine && end.column > start.column ? { endColumn: end.column } : {}),
  };
}

/** A path inside the current directory is relative to it, as annotations want it. */
export function shownPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}

function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
