import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseFile } from "../syntax/index.ts";
import type { FileAst } from "../syntax/index.ts";
import type { Diagnostic, SourceFile } from "../source/index.ts";
import { readSource } from "./input.ts";

/** One file of the library: `str.hl` is the namespace `std::str`, `io/fs.hl` is `std::io::fs`. */
export interface LibraryFile {
  /** `str`, `io::fs`; `prelude` for the declarations that every program sees under their bare names. */
  readonly namespace: string;
  readonly source: SourceFile;
  readonly ast: FileAst;
}

/** The standard library: Hale files below `std/`, parsed when a program first names their namespace and kept for the process. */
export class StandardLibrary {
  readonly directory: string;
  /** Every namespace, `a::b` form, in order of path. */
  readonly namespaces: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #loaded = new Map<string, LibraryFile | undefined>();
  readonly #diagnostics: Diagnostic[] = [];

  constructor(directory: string) {
    this.directory = directory;
    this.namespaces = namespacesBelow(directory, "");
    this.#known = new Set(this.namespaces);
  }

  has(namespace: string): boolean {
    return this.#known.has(namespace);
  }

  /** Whether `namespace` is a file or a directory of files (`io` of `io::fs`). */
  hasPrefix(namespace: string): boolean {
    return this.has(namespace) || this.namespaces.some((known) => known.startsWith(`${namespace}::`));
  }

  /** The parsed file of a namespace; undefined when there is none. */
  load(namespace: string): LibraryFile | undefined {
    if (this.#loaded.has(namespace)) return this.#loaded.get(namespace);
    const file = this.has(namespace) ? this.#read(namespace) : undefined;
    this.#loaded.set(namespace, file);
    return file;
  }

  /** What is wrong with the library's own text; empty in a sound package. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  #read(namespace: string): LibraryFile | undefined {
    const relative = `${namespace.replaceAll("::", "/")}.hl`;
    const read = readSource(join(this.directory, relative), `std/${relative}`, true);
    if ("problem" in read) {
      this.#diagnostics.push(read.problem);
      return undefined;
    }
    const { ast, diagnostics } = parseFile(read.file);
    this.#diagnostics.push(...diagnostics);
    return { namespace, source: read.file, ast };
  }
}

/** Every file of the package's library, in order of namespace: what `hale doc --stdlib` shows. */
export function libraryFiles(): readonly LibraryFile[] {
  const library = standardLibrary();
  return library.namespaces.flatMap((namespace) => library.load(namespace) ?? []);
}

const libraries = new Map<string, StandardLibrary>();

/** The library below `directory` (default: the `std/` of this package); one instance per directory and process. */
export function standardLibrary(directory = packageLibrary()): StandardLibrary {
  const known = libraries.get(directory);
  if (known) return known;
  const library = new StandardLibrary(directory);
  libraries.set(directory, library);
  return library;
}

/** `std/` beside the `package.json` named "hale" above this module; works in the source tree and in the bundle. */
function packageLibrary(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let directory = start; ; directory = dirname(directory)) {
    const manifest = join(directory, "package.json");
    if (existsSync(manifest) && isHaleManifest(readFileSync(manifest, "utf8"))) return join(directory, "std");
    if (directory === dirname(directory)) return join(start, "std");
  }
}

function isHaleManifest(text: string): boolean {
  return /"name":\s*"hale"/.test(text);
}

function namespacesBelow(directory: string, prefix: string): string[] {
  let entries: { name: string; isDirectory(): boolean }[];
  try {
    entries = readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory()) found.push(...namespacesBelow(join(directory, entry.name), `${prefix}${entry.name}::`));
    else if (entry.name.endsWith(".hl") && !entry.name.endsWith("_test.hl"))
      found.push(prefix + entry.name.slice(0, -3));
  }
  return found;
}
