// The part of TOML that hale's own files use: tables (inline ones too), strings, integers, booleans, arrays of strings. Anything else is refused with its line.
import { readFileSync, statSync } from "node:fs";
import { systemMessage } from "./output.ts";

export type TomlValue = string | number | boolean | readonly string[];
/** Tables by their dotted name ("" for the top), each with its keys in order. An inline table `x = { .. }` of `[deps]` is the table `deps.x`. */
export type Toml = ReadonlyMap<string, ReadonlyMap<string, TomlValue>>;

/** The tables of a file, or what is wrong with it. What is no file is told, and a named pipe is not waited for. */
export function readToml(file: string): Toml | { readonly problem: string } {
  let text: string;
  try {
    if (!statSync(file).isFile()) return { problem: `could not read ${file}: not a regular file` };
    text = readFileSync(file, "utf8");
  } catch (error) {
    return { problem: `could not read ${file}: ${systemMessage(error)}` };
  }
  const toml = parseToml(text);
  return "problem" in toml ? { problem: `${file}:${toml.line}: ${toml.problem}` } : toml;
}

export function parseToml(text: string): Toml | { readonly problem: string; readonly line: number } {
  const tables = new Map<string, Map<string, TomlValue>>([["", new Map()]]);
  let table = "";
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line === "" || line.startsWith("#")) continue;
    const fail = (problem: string) => ({ problem, line: at + 1 });
    const header = /^\[\s*([A-Za-z0-9_."-]+(?:\s*\.\s*[A-Za-z0-9_."-]+)*)\s*\]\s*(#.*)?$/.exec(line);
    if (header) {
      table = (header[1] ?? "").replaceAll(/["\s]/g, "");
      if (tables.has(table) && table !== "") return fail(`table \`${table}\` is written twice`);
      tables.set(table, new Map());
      continue;
    }
    const assignment = /^("[^"]*"|[A-Za-z0-9_-]+)\s*=\s*(.*)$/.exec(line);
    if (!assignment) return fail("neither a table nor `key = value`");
    const key = (assignment[1] ?? "").replaceAll('"', "");
    let written = assignment[2] ?? "";
    // An array may go on over lines.
    while (written.startsWith("[") && !isClosed(written) && at + 1 < lines.length) written += `\n${lines[++at] ?? ""}`;
    const inner = inlineTable(written);
    if (inner) {
      const name = table === "" ? key : `${table}.${key}`;
      if (tables.has(name)) return fail(`table \`${name}\` is written twice`);
      tables.set(name, inner);
      continue;
    }
    const value = parseValue(written);
    if (value === undefined)
      return fail(`the value of \`${key}\` is no string, integer, boolean, array of strings or table of such`);
    const entries = tables.get(table);
    if (entries?.has(key)) return fail(`\`${key}\` is set twice`);
    entries?.set(key, value);
  }
  return tables;
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'`;
const COMMENT = String.raw`\s*(?:#.*)?`;
const ARRAY_BODY = new RegExp(`^(?:${STRING})(?:\\s*,\\s*(?:${STRING}))*\\s*,?$`);

const PAIR = new RegExp(`^\\s*("[^"]*"|[A-Za-z0-9_-]+)\\s*=\\s*(${STRING}|true|false|[+-]?[0-9][0-9_]*)\\s*`);

/** `{ key = scalar, .. }`; undefined for anything else. */
function inlineTable(written: string): Map<string, TomlValue> | undefined {
  if (!written.startsWith("{")) return undefined;
  const entries = new Map<string, TomlValue>();
  let rest = written.slice(1);
  for (let pair = PAIR.exec(rest); pair; pair = PAIR.exec(rest)) {
    const [all, key = "", value = ""] = pair;
    const name = key.replaceAll('"', "");
    if (entries.has(name)) return undefined;
    entries.set(name, parseScalar(value));
    rest = rest.slice(all.length);
    if (!rest.startsWith(",")) break;
    rest = rest.slice(1);
  }
  return new RegExp(`^\\s*\\}${COMMENT}$`).test(rest) ? entries : undefined;
}

function isClosed(written: string): boolean {
  return withoutComments(written).trimEnd().endsWith("]");
}

/** The text of an array without the comments of its lines. */
function withoutComments(written: string): string {
  return written
    .split("\n")
    .map((line) => new RegExp(`^((?:${STRING}|[^"'#])*)(?:#.*)?$`).exec(line)?.[1] ?? line)
    .join("\n");
}

function parseValue(written: string): TomlValue | undefined {
  const scalar = new RegExp(`^(${STRING}|true|false|[+-]?[0-9][0-9_]*)${COMMENT}$`).exec(written)?.[1];
  if (scalar !== undefined) return parseScalar(scalar);
  const array = /^\[([\s\S]*)\]\s*$/.exec(withoutComments(written))?.[1]?.trim();
  if (array === undefined) return undefined;
  if (array === "") return [];
  if (!ARRAY_BODY.test(array)) return undefined;
  return [...array.matchAll(new RegExp(STRING, "g"))].map(([text]) => unquoted(text));
}

function parseScalar(text: string): TomlValue {
  if (text === "true" || text === "false") return text === "true";
  return /^["']/.test(text) ? unquoted(text) : Number(text.replaceAll("_", ""));
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
