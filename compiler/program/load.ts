import { dirname, isAbsolute, join, resolve } from "node:path";
import { parseFile } from "../syntax/index.ts";
import type { FileAst, ImportDecl } from "../syntax/index.ts";
import { type Diagnostic, DiagnosticBag, SourceFile, type Span } from "../source/index.ts";
import { canonicalPath, contentHash, ioError, kindOf, listSeedFiles, readSource } from "./input.ts";
import { type StandardLibrary, standardLibrary } from "./standard-library.ts";

export interface SeedFile {
  readonly source: SourceFile;
  readonly ast: FileAst;
}

export interface ImportBinding {
  readonly alias: string;
  /** Missing for a path that does not resolve: names behind the alias are not judged then. */
  readonly seed: Seed | undefined;
  readonly span: Span;
}

/** One scope of top-level declarations: the files of a directory, or one file (08 1). */
export interface Seed {
  /** Canonical path of the directory, or of the one file. */
  readonly path: string;
  readonly directory: string;
  readonly isDirectory: boolean;
  /** What the first import that reached it calls it; empty for the target. */
  readonly displayName: string;
  readonly files: readonly SeedFile[];
  readonly imports: ReadonlyMap<string, ImportBinding>;
}

/** A target with everything that its imports reach, parsed; nothing in it is resolved yet. */
export interface LoadedProgram {
  /** Canonical path of the target. */
  readonly target: string;
  readonly root: Seed;
  /** Every seed, the root first, in order of discovery. */
  readonly seeds: readonly Seed[];
  readonly excludedTests: number;
  /** Whether the directory of a file target holds other files of a seed (08 1.9). */
  hasSiblings(): boolean;
  readonly library: StandardLibrary;
  /** Canonical paths of every file read, sorted. */
  readonly reads: readonly string[];
  /** Other paths whose presence, absence or list of sources decided what was read: what a compile cache has to look at again. */
  readonly probes: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** SHA-256 of a read file's bytes; computed at the first call. */
  hashOf(path: string): string | undefined;
}

export interface LoadOptions {
  /** Where the library's files are; default: the package's `std/`. */
  readonly library?: StandardLibrary;
  /** Declarations that are added behind the target file's own text: what drives the functions of a benchmark file. */
  readonly appended?: string;
}

/** Reads a file or directory and all that it imports (08 1 and 2). A target that is no seed gives its `io error` only. */
export function loadProgram(path: string, options: LoadOptions = {}): LoadedProgram | { readonly problem: Diagnostic } {
  const target = canonicalPath(resolve(path));
  const kind = kindOf(target);
  if (kind === undefined) return { problem: ioError(path, `not a file or directory: ${path}`, "E0201") };
  const loader = new Loader(target, kind === "directory", options.library ?? standardLibrary(), options.appended ?? "");
  if (kind === "directory") {
    const { sources, problem } = listSeedFiles(target);
    if (problem !== undefined) return { problem: ioError(target, problem, "E0202") };
    if (sources.length === 0) return { problem: ioError(path, `no .hl files in ${path}`, "E0204") };
  }
  return loader.load();
}

interface OpenSeed extends Seed {
  readonly files: SeedFile[];
  readonly imports: Map<string, ImportBinding>;
}

/** A file taken alone by an import, and where that import stands. */
interface SingleImport {
  readonly path: string;
  readonly span: Span;
}

class Loader {
  readonly #target: string;
  readonly #isDirectory: boolean;
  readonly #library: StandardLibrary;
  readonly #bag = new DiagnosticBag();
  readonly #seeds = new Map<string, OpenSeed>();
  readonly #queue: OpenSeed[] = [];
  readonly #bytes = new Map<string, Buffer>();
  readonly #singles: SingleImport[] = [];
  readonly #markers: readonly string[];
  readonly #workspace: string | undefined;
  readonly #probes = new Set<string>();
  readonly #appended: string;

  constructor(target: string, isDirectory: boolean, library: StandardLibrary, appended: string) {
    this.#target = target;
    this.#isDirectory = isDirectory;
    this.#library = library;
    this.#appended = appended;
    this.#markers = workspaceMarkers(isDirectory ? target : dirname(target));
    this.#workspace = workspaceRoot(this.#markers);
  }

  load(): LoadedProgram {
    const root = this.#open(this.#target, this.#isDirectory, "");
    if (this.#isDirectory) leaveOutLibraries(root);
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#resolveImports(next);
    this.#refuseFilesTakenTwice();
    const hashes = new Map<string, string>();
    return {
      target: this.#target,
      root,
      seeds: [...this.#seeds.values()],
      excludedTests: this.#isDirectory ? listSeedFiles(this.#target).tests : 0,
      hasSiblings: () => !this.#isDirectory && this.#hasSiblings(root),
      library: this.#library,
      reads: [...this.#bytes.keys()].sort(),
      probes: [...this.#probes].sort(),
      diagnostics: this.#bag.items,
      hashOf: (path) => {
        const bytes = this.#bytes.get(path);
        if (!bytes) return undefined;
        const hash = hashes.get(path) ?? contentHash(bytes);
        hashes.set(path, hash);
        return hash;
      },
    };
  }

  /** A seed has one entry: where this file has one, files with their own are programs beside it and not part of it. */
  #hasSiblings(root: Seed): boolean {
    const isProgram = root.files.some(({ source }) => declaresEntry(source.text));
    return listSeedFiles(root.directory).sources.some((path) => {
      if (canonicalPath(path) === this.#target) return false;
      if (!isProgram) return true;
      const read = readSource(path);
      return !("file" in read) || !declaresEntry(read.file.text);
    });
  }

  /** The seed of a canonical path, parsed once. */
  #open(path: string, isDirectory: boolean, displayName: string): OpenSeed {
    const known = this.#seeds.get(path);
    if (known) return known;
    const directory = isDirectory ? path : dirname(path);
    const seed: OpenSeed = { path, directory, isDirectory, displayName, files: [], imports: new Map() };
    this.#seeds.set(path, seed);
    if (isDirectory) this.#probes.add(path);
    for (const file of isDirectory ? listSeedFiles(path).sources : [path]) this.#parseInto(seed, canonicalPath(file));
    this.#queue.push(seed);
    return seed;
  }

  #parseInto(seed: OpenSeed, path: string): void {
    const read = readSource(path);
    if ("problem" in read) {
      this.#bag.add(read.problem);
      return;
    }
    this.#bytes.set(path, read.bytes);
    const source =
      this.#appended !== "" && path === this.#target
        ? new SourceFile(path, read.file.text + this.#appended)
        : read.file;
    const { ast, diagnostics } = parseFile(source);
    this.#bag.addAll(diagnostics);
    seed.files.push({ source, ast });
  }

  #resolveImports(seed: OpenSeed): void {
    for (const file of seed.files) for (const declaration of file.ast.imports) this.#bind(seed, declaration);
  }

  #bind(seed: OpenSeed, declaration: ImportDecl): void {
    if (declaration.path === "std" || declaration.path.startsWith("std/")) return;
    const imported = this.#resolve(seed, declaration);
    const alias = declaration.alias.text;
    const earlier = seed.imports.get(alias);
    if (!earlier) {
      seed.imports.set(alias, { alias, seed: imported, span: declaration.alias.span });
    } else if (imported && earlier.seed && earlier.seed !== imported) {
      this.#bag.add({
        kind: "type error",
        severity: "error",
        code: "E0206",
        message: `alias \`${alias}\` is already bound to another library`,
        span: declaration.alias.span,
        related: [{ span: earlier.span, note: "previous import" }],
      });
    }
  }

  /** The empty path would lead to the directory itself, and to a file named `.hl`; whoever means the first writes `"."`. */
  #refuseNoPath(pathSpan: Span): undefined {
    // Where no string stands the parser has said so.
    if (!pathSpan.file.text.startsWith('"', pathSpan.start)) return undefined;
    this.#bag.add({
      kind: "type error",
      severity: "error",
      code: "E0205",
      message: "the import names no path",
      span: pathSpan,
      help: 'the library of this directory is `"."`',
    });
    return undefined;
  }

  /** Finds `import "P"` from a file of the seed's directory D: D/P.hl, D/P/, R/P/ (08 2.3 to 2.5). */
  #resolve(seed: OpenSeed, { path, pathSpan, alias }: ImportDecl): OpenSeed | undefined {
    if (path === "") return this.#refuseNoPath(pathSpan);
    const base = isAbsolute(path) ? path : join(seed.directory, path);
    const candidates = [base];
    if (this.#workspace !== undefined && !isAbsolute(path)) candidates.push(join(this.#workspace, path));
    const single = `${base}.hl`;
    for (const probe of [single, ...candidates, ...this.#markers]) this.#probes.add(probe);
    if (kindOf(single) === "file") {
      const file = canonicalPath(single);
      const isForeignMain = file.endsWith("/main.hl") && dirname(file) !== seed.directory;
      if (isForeignMain) return this.#open(dirname(file), true, alias.text);
      this.#singles.push({ path: file, span: pathSpan });
      return this.#open(file, false, alias.text);
    }
    for (const directory of candidates) {
      if (kindOf(directory) !== "directory") continue;
      const { sources, problem } = listSeedFiles(directory);
      if (problem !== undefined) {
        this.#bag.add(ioError(canonicalPath(directory), problem, "E0202"));
        return undefined;
      }
      if (sources.length === 0) continue;
      return this.#open(canonicalPath(directory), true, alias.text);
    }
    const root = this.#workspace === undefined ? "" : ` and ${join(this.#workspace, path)}/`;
    this.#bag.add({
      kind: "type error",
      severity: "error",
      code: "E0205",
      message: `could not resolve import "${path}": tried ${single}, ${base}/${root}`,
      span: pathSpan,
      ...(path.endsWith(".hl") ? { help: `leave out the extension: import "${path.slice(0, -3)}"` } : {}),
    });
    return undefined;
  }

  /** A file may not be part of a build once alone and once in its directory's library (08 2.6). */
  #refuseFilesTakenTwice(): void {
    for (const { path, span } of this.#singles) {
      const library = this.#seeds.get(dirname(path));
      if (
        !library?.isDirectory ||
        library.path === this.#target ||
        !this.#seeds.has(path) ||
        !library.files.some((file) => file.source.path === path)
      )
        continue;
      const name = path.slice(dirname(path).length + 1);
      const alias = library.displayName;
      const message = `\`${name}\` is already part of the library imported as \`${alias}\`; use \`${alias}::name\``;
      this.#bag.add({ kind: "type error", severity: "error", code: "E0207", message, span });
    }
  }
}

/**
 * A file of the target's directory that another of its files imports alone is that import's library, and no part of the seed: no file is taken twice
 * (08 2.6).
 */
function leaveOutLibraries(root: OpenSeed): void {
  const libraries = new Set<string>();
  for (const { source, ast } of root.files) {
    for (const { path } of ast.imports) {
      const imported = canonicalPath(`${isAbsolute(path) ? path : join(root.directory, path)}.hl`);
      if (imported !== source.path) libraries.add(imported);
    }
  }
  const kept = root.files.filter((file) => !libraries.has(file.source.path));
  if (kept.length > 0) root.files.splice(0, root.files.length, ...kept);
}

/** The nearest directory upwards that holds a `hale.toml` (or a `Cargo.toml`), 08 2.3. */
function workspaceRoot(markers: readonly string[]): string | undefined {
  const marker = markers.find((file) => kindOf(file) === "file");
  return marker === undefined ? undefined : dirname(marker);
}

/** The files that would mark a workspace root, nearest first. */
function workspaceMarkers(start: string): string[] {
  const markers = [join(start, "hale.toml"), join(start, "Cargo.toml")];
  return start === dirname(start) ? markers : [...markers, ...workspaceMarkers(dirname(start))];
}

/** Whether a text seems to declare an entry: a line of it that is no comment says so. */
function declaresEntry(text: string): boolean {
  // Nothing here may match across lines: a look at each of many empty ones would read all that follow.
  return /^(?![ \t]*\/\/).*\b(?:fn\s+main|main\s+locus)\b/m.test(text);
}
