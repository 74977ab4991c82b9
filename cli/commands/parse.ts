import type { SourceFile } from "../../compiler/index.ts";
import type { Arguments } from "../arguments.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { print } from "../output.ts";
import { readOperand, reportFindings } from "../single-file.ts";

/** `hale parse` (reference 08 15): the syntax tree, one node a line. */
export async function parse(given: Arguments<never>): Promise<number> {
  const door = await loadCompiler();
  const file = readOperand(door, "parse", given.operands);
  if (typeof file === "number") return file;
  const { ast, diagnostics } = door.parseFile(file);
  const lines: string[] = [];
  for (const declaration of [...ast.imports, ...ast.declarations]) dump(declaration, "", 0, file, lines);
  print(lines.map((line) => `${line}\n`).join(""));
  return reportFindings(door, diagnostics) ? EXIT.success : EXIT.fault;
}

/** Writes a node as `name: kind line:column scalars`, its parts below it. The tree is plain data: objects, arrays and scalars. */
function dump(node: unknown, name: string, depth: number, file: SourceFile, lines: string[]): void {
  const prefix = "  ".repeat(depth) + (name === "" ? "" : `${name}: `);
  if (node instanceof Uint8Array) {
    lines.push(prefix + scalar(Buffer.from(node).toString("utf8")));
    return;
  }
  if (Array.isArray(node)) {
    if (node.length === 0) return;
    lines.push(`${prefix}[${node.length}]`);
    for (const [index, part] of node.entries()) dump(part, String(index), depth + 1, file, lines);
    return;
  }
  if (typeof node !== "object" || node === null) {
    if (node !== undefined) lines.push(prefix + scalar(node));
    return;
  }
  const parts = Object.entries(node).filter(([key]) => key !== "kind" && key !== "span" && !key.endsWith("Span"));
  const scalars = parts.filter(([, part]) => typeof part !== "object" && part !== undefined);
  const words = [kindOf(node), placeOf(node, file), ...scalars.map(([key, part]) => `${key}=${scalar(part)}`)];
  lines.push((prefix + words.filter((word) => word !== "").join(" ")).trimEnd());
  for (const [key, part] of parts)
    if (typeof part === "object" && part !== null) dump(part, key, depth + 1, file, lines);
}

function kindOf(node: object): string {
  return "kind" in node && typeof node.kind === "string" ? node.kind : "";
}

function placeOf(node: object, file: SourceFile): string {
  if (!("span" in node) || typeof node.span !== "object" || node.span === null) return "";
  if (!("start" in node.span) || typeof node.span.start !== "number") return "";
  const { line, column } = file.positionAt(node.span.start);
  return `${line}:${column}`;
}

function scalar(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
