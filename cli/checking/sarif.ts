// Findings as a SARIF 2.1.0 log (OASIS, sarif-v2.1.0), which code hosts and editors read.
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Diagnostic, Span } from "../../compiler/index.ts";
import type { Door } from "./findings-report.ts";

declare const __HALE_VERSION__: string;

export class SarifLog {
  readonly #door: Pick<Door, "codeInfo" | "messageOf">;
  readonly #rules = new Map<string, object>();
  readonly #results: object[] = [];

  constructor(door: Pick<Door, "codeInfo" | "messageOf">) {
    this.#door = door;
  }

  add(findings: readonly Diagnostic[]): void {
    for (const finding of findings) {
      if (!this.#rules.has(finding.code)) this.#rules.set(finding.code, this.#rule(finding.code));
      this.#results.push(this.#result(finding));
    }
  }

  text(): string {
    const root = pathToFileURL(`${process.cwd()}/`).href;
    const log = {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "hale", version: __HALE_VERSION__, rules: [...this.#rules.values()] } },
          columnKind: "unicodeCodePoints",
          originalUriBaseIds: { ROOT: { uri: root } },
          results: this.#results,
        },
      ],
    };
    return `${JSON.stringify(log, undefined, 2)}\n`;
  }

  #rule(id: string): object {
    const info = this.#door.codeInfo(id);
    if (!info) return { id };
    return { id, shortDescription: { text: info.title }, fullDescription: { text: info.explanation } };
  }

  #result(finding: Diagnostic): object {
    const { code, severity, help, span, path: file, related } = finding;
    const message = this.#door.messageOf(finding);
    const locations =
      span && !span.file.isStd
        ? [location(span)]
        : file === undefined
          ? []
          : [{ physicalLocation: { artifactLocation: artifact(file) } }];
    const others = (related ?? []).filter(({ span: other }) => !other.file.isStd);
    return {
      ruleId: code,
      ruleIndex: [...this.#rules.keys()].indexOf(code),
      level: severity,
      message: { text: help === undefined ? message : `${message}\nhelp: ${help}` },
      locations,
      ...(others.length === 0
        ? {}
        : {
            relatedLocations: others.map(({ span: other, note }) => ({ ...location(other), message: { text: note } })),
          }),
    };
  }
}

function location(span: Span): object {
  const start = span.file.positionAt(span.start);
  const end = span.file.positionAt(span.end);
  const region = { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
  return { physicalLocation: { artifactLocation: artifact(span.file.path), region } };
}

/** A file inside the current directory is relative to it. */
function artifact(file: string): object {
  const relative = path.relative(process.cwd(), file);
  if (relative.startsWith("..") || path.isAbsolute(relative)) return { uri: pathToFileURL(file).href };
  return { uri: relative.split(path.sep).map(encodeURIComponent).join("/"), uriBaseId: "ROOT" };
}
