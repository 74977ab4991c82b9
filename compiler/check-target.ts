// From a path to a checked program: what `check`, `run`, `build`, `test` and the editor ask for first.
import { analyse, analyseBeside, analyseContracts, type AnalysisOptions, isLaw } from "./analysis/index.ts";
import { type LoadedProgram, loadProgram, type StandardLibrary } from "./program/index.ts";
import { checkProgram } from "./semantics/index.ts";
import type { TypedProgram } from "./semantics/index.ts";
import type { Diagnostic, SourceFile } from "./source/index.ts";

export interface CheckOptions {
  /**
   * What the target is read as. `program`: it is built or run and needs an entry. `seed`: a library will do. `file`: one file of what may be a larger
   * seed; unbound bare names may live in its siblings and are left alone (08 1.9).
   */
  readonly mode: "program" | "seed" | "file";
  /** `--allow-unowned-subscriber`: a subscriber built in a handler is not refused. */
  readonly allowUnownedSubscribers?: boolean;
  /** What the analyses look for; broken laws, which no command accepts, are always looked for. */
  readonly analyses?: Partial<AnalysisOptions>;
  /** Another place of the standard library than the package's own. */
  readonly library?: StandardLibrary;
  /** Declarations added behind the target file's own text. */
  readonly appended?: string;
}

export interface CheckedProgram {
  /** Canonical absolute path of the target. */
  readonly target: string;
  /** The target's own files, imports not counted. */
  readonly ownFiles: readonly SourceFile[];
  /** `*_test.hl` files of a directory target that were left out. */
  readonly excludedTests: number;
  /** Every file that was read, canonical paths, sorted: what a cache key must cover. The library's own files are not in it. */
  readonly reads: readonly string[];
  /** Other paths whose presence, absence or list of sources decided what was read. */
  readonly probes: readonly string[];
  /** In order of file and place; warnings about imported files are left out (08 5.1.6). */
  readonly diagnostics: readonly Diagnostic[];
  /** Missing when there are errors, or when names of one file were left alone because they may live in a sibling. */
  readonly program: TypedProgram | undefined;
  /** What the reports show: the program, also where laws are broken (reference 11, "Kinds"). */
  readonly model: TypedProgram | undefined;
  /** SHA-256 of a read file's bytes, hexadecimal. */
  hashOf(path: string): string | undefined;
}

/** Loads and checks a file or a directory. A target that cannot be read gives one `io error` and no files. */
export function checkTarget(path: string, options: CheckOptions): CheckedProgram {
  const loaded = loadProgram(path, {
    ...(options.library && { library: options.library }),
    ...(options.appended !== undefined && { appended: options.appended }),
  });
  if ("problem" in loaded) {
    return {
      target: path,
      ownFiles: [],
      excludedTests: 0,
      reads: [],
      probes: [],
      diagnostics: [loaded.problem],
      program: undefined,
      model: undefined,
      hashOf: () => undefined,
    };
  }
  const isPart = options.mode === "file" && loaded.hasSiblings();
  const analyses = { ...LAWS_ONLY, ...options.analyses, isPart };
  const { diagnostics, program, sketch, leftNamesAlone } = checkProgram(loaded, {
    ignoresUnbound: isPart,
    needsEntry: options.mode === "program",
    allowsUnownedSubscribers: options.allowUnownedSubscribers ?? false,
  });
  const analysed = program
    ? analyse(program, analyses)
    : sketch
      ? leftNamesAlone
        ? analyseContracts(sketch)
        : analyseBeside(sketch, diagnostics, analyses)
      : [];
  return {
    target: loaded.target,
    ownFiles: loaded.root.files.map((file) => file.source),
    excludedTests: loaded.excludedTests,
    reads: loaded.reads,
    probes: loaded.probes,
    diagnostics: [...inOrder(diagnostics, loaded), ...ofTarget(analysed, loaded)],
    program: analysed.some(({ severity }) => severity === "error") ? undefined : program,
    model: analysed.some((finding) => finding.severity === "error" && !isLaw(finding)) ? undefined : program,
    hashOf: (file) => loaded.hashOf(file),
  };
}

const LAWS_ONLY: AnalysisOptions = {
  advisories: false,
  survey: false,
  resourceLeaks: false,
  strictSecrets: false,
  demanded: [],
  isPart: false,
};

/** Advisories are reported for the target's own files (reference 11, "Whose findings"); errors wherever they arise. */
function ofTarget(diagnostics: readonly Diagnostic[], { root }: LoadedProgram): Diagnostic[] {
  const own = new Set(root.files.map((file) => file.source));
  return diagnostics.filter(({ severity, span }) => severity === "error" || !span || own.has(span.file));
}

function inOrder(diagnostics: readonly Diagnostic[], loaded: LoadedProgram): Diagnostic[] {
  const files = new Map<SourceFile, number>();
  for (const seed of loaded.seeds) for (const { source } of seed.files) files.set(source, files.size);
  const rank = ({ span }: Diagnostic) => (span ? (files.get(span.file) ?? files.size) : -1);
  return ofTarget(diagnostics, loaded).sort((a, b) => rank(a) - rank(b) || (a.span?.start ?? 0) - (b.span?.start ?? 0));
}
