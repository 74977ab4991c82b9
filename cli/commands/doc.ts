import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { DocEntry } from "../../compiler/index.ts";
import type { Arguments } from "../arguments.ts";
import type { DOC } from "../catalog.ts";
import { loadCompiler } from "../compiler.ts";
import { renderPage } from "../documentation/html.ts";
import { renderJson, renderMarkdown } from "../documentation/text.ts";
import { EXIT } from "../exit-status.ts";
import { replaceFile } from "../replacement.ts";
import { complain, errorCode, print, systemMessage } from "../output.ts";
import { byteOrder } from "../source-files.ts";

type Door = Awaited<ReturnType<typeof loadCompiler>>;

/** What one file (or one namespace of the library) declares. */
export interface DocumentedFile {
  /** The heading: the file's path as given, or the namespace. */
  readonly heading: string;
  readonly entries: readonly DocEntry[];
}

export interface Documentation {
  /** The last component of the target, or `std`. */
  readonly title: string;
  readonly files: readonly DocumentedFile[];
  /** False when some file was left out. */
  readonly isComplete: boolean;
}

/** `hale doc` (reference 08 14). */
export async function doc(given: Arguments<keyof typeof DOC.flags>): Promise<number> {
  if (given.operands.length > 1) {
    complain(`hale doc takes one target, got ${given.operands.length}\n`);
    return EXIT.usage;
  }
  const door = await loadCompiler();
  const documentation = given.has("stdlib") ? documentLibrary(door) : documentTarget(door, given.operands[0]);
  if (!documentation) return EXIT.fault;
  const text = given.has("json")
    ? renderJson(documentation)
    : given.has("html")
      ? renderPage(documentation)
      : renderMarkdown(documentation);
  const out = given.value("out");
  if (out === undefined) print(text);
  else if (!write(out, text)) return EXIT.fault;
  return documentation.isComplete ? EXIT.success : EXIT.fault;
}

function write(out: string, text: string): boolean {
  const problem = replaceFile(out, text);
  if (problem !== undefined) {
    complain(`hale doc: could not write ${out}: ${problem}\n`);
    return false;
  }
  complain(`wrote ${out}\n`);
  return true;
}

/** A file, or the `.hl` files directly in a directory, tests left out. */
function documentTarget(door: Door, operand: string | undefined): Documentation | undefined {
  const target = operand ?? process.cwd();
  let names: readonly string[];
  try {
    names = statSync(target).isDirectory() ? sourcesIn(target) : [target];
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR", "ELOOP"].includes(errorCode(error));
    const words = isMissing ? `${target} not found` : `could not read ${target}: ${systemMessage(error)}`;
    complain(`hale doc: ${words}\n`);
    return undefined;
  }
  let isComplete = true;
  const files: DocumentedFile[] = [];
  for (const name of names) {
    const read = door.readSource(name);
    if ("problem" in read) {
      complain(`hale doc: could not read ${name}: ${read.problem.message}\n`);
      isComplete = false;
      continue;
    }
    const { ast, diagnostics } = door.parseFile(read.file);
    if (diagnostics.some(({ severity }) => severity === "error")) {
      complain(`hale doc: ${name}: does not parse — skipped\n`);
      isComplete = false;
      continue;
    }
    files.push({ heading: name, entries: door.documentationOf(read.file, ast) });
  }
  return { title: path.basename(path.resolve(target)), files, isComplete };
}

function sourcesIn(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.name.endsWith(".hl") && !entry.name.endsWith("_test.hl") && !entry.isDirectory())
    .map(({ name }) => name)
    .sort(byteOrder)
    .map((name) => (directory.endsWith("/") ? directory + name : `${directory}/${name}`));
}

/** The standard library, a heading a namespace, with full names. */
function documentLibrary(door: Door): Documentation {
  const files = door.libraryFiles().map(({ namespace, source, ast }) => {
    const entries = door.documentationOf(source, ast).filter(({ name }) => !name.startsWith("__"));
    if (namespace === "prelude") return { heading: "in every program", entries };
    const prefix = `std::${namespace}::`;
    return { heading: `std::${namespace}`, entries: entries.map((entry) => ({ ...entry, name: prefix + entry.name })) };
  });
  return { title: "std", files: [...files, notYet(door)], isComplete: true };
}

/** The names of the reference that the library lacks. */
function notYet(door: Door): DocumentedFile {
  const signature = door.stdNamesNotYet().join("\n");
  const doc = "A program that uses one of these is refused with the code E1001.";
  return {
    heading: "not supported yet",
    entries: [{ kind: "missing", name: "names of the reference", signature, doc, members: [] }],
  };
}
