// The table of commands and flags. Parsing, `--help`, completions and suggestions read it; nothing else knows a flag's spelling.
import type { CommandSpec, FlagSpec } from "./arguments.ts";

const NO_CACHE: FlagSpec = {
  names: ["--no-cache"],
  help: "compile anew, neither reading nor filling the compile cache",
};

const TARGET: FlagSpec = {
  names: ["--target"],
  value: "target",
  complete: ["native", "wasm"],
  help: "what to compile to; `hale targets` lists them",
};

const RELEASE: FlagSpec = { names: ["--release"], help: "optimise the program; compiling takes longer" };

const CACHE_VARIABLES = [
  ["HALE_CACHE", "`off`: no compile cache"],
  ["XDG_CACHE_HOME", "where the compile cache lies (`hale/` in it; default ~/.cache)"],
] as const;

export const TEST = {
  name: "test",
  summary: "compile and run test files",
  synopsis: ["hale test [path ...] [flags]"],
  description: [
    "Compiles every *_test.hl file as a program of its own and runs it in a process, session,",
    "vault and data directory of its own. A test passes when it exits with 0 and prints nothing",
    "to stdout; what it writes to stderr never decides.",
    "",
    "A path is a file (whatever its name) or a directory, which is searched recursively without",
    "directories named `vendor` or `node_modules` and those whose name begins with a dot. Default:",
    "the current directory.",
  ],
  flags: {
    run: {
      names: ["-run", "--run"],
      value: "substr",
      missing: "-run requires a substring argument",
      help: "only files whose path, as reported, contains the text",
    },
    jobs: {
      names: ["-j", "--jobs"],
      value: "n",
      joined: true,
      missing: "-j requires a job count",
      help: "how many tests are compiled and run at once (default: HALE_TEST_JOBS, else one a core)",
    },
    timeout: {
      names: ["--timeout"],
      value: "duration",
      help: "time limit of each test: 500ms, 30s, 2m, 1h; 0 for none (default 10m)",
    },
    failFast: { names: ["--fail-fast"], help: "start nothing new after the first failure" },
    json: { names: ["--json"], help: "one JSON array on stdout, one record a file" },
    junit: { names: ["--junit"], value: "file", complete: "file", help: "write a JUnit XML report as well" },
    verbose: { names: ["--verbose"], help: "show what passing tests wrote, too" },
    timing: { names: ["--timing"], help: "end with percentiles, the slowest files and the sums of times" },
    list: { names: ["--list"], help: "print the files that would run, and run nothing" },
    target: TARGET,
    noCache: NO_CACHE,
  },
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale test: unknown flag \`${flag}\``,
  errorPrefix: "hale test: ",
  sections: [
    {
      title: "Environment",
      rows: [
        ["HALE_TEST_JOBS", "default of -j"],
        ["HALE_TEST_KEEP_VAULT", "`1`: keep each test's vault and data directory and print where it is"],
        ["TMPDIR", "where the run's private directory is made (default /tmp)"],
        ["NO_COLOR", "neither colours nor the progress line"],
        ...CACHE_VARIABLES,
      ],
    },
    {
      title: "A test sees",
      rows: [
        ["HALE_VAULT_DIR", "its vault, a private directory for secrets"],
        ["XDG_DATA_HOME", "its data directory, inside the vault"],
        ["HALE_BIN", "the hale command, unless already set"],
      ],
    },
    {
      title: "Exit status",
      rows: [
        ["0", "all passed, or nothing was found"],
        ["1", "some test failed"],
        ["2", "usage error or unreadable path"],
        ["129, 130, 131, 143", "ended by SIGHUP, SIGINT, SIGQUIT, SIGTERM"],
      ],
    },
    { title: "Examples", rows: ["hale test", "hale test tests -run http -j 4", "hale test --fail-fast --timeout 30s"] },
  ],
} as const satisfies CommandSpec;

const ENV = { names: ["--env"], value: "name", help: "adopt the constitution of an environment of hale.toml" } as const;

export const RUN = {
  name: "run",
  summary: "compile a program and run it",
  synopsis: ["hale run [flags] <file | dir> [program arguments ...]"],
  description: [
    "Compiles into a private directory and runs the program with the caller's stdin, stdout,",
    "stderr, environment and current directory. Flags stand before the target; everything after",
    "it belongs to the program.",
    "",
    "SIGTERM and SIGHUP are passed on to the program; SIGINT is left to it.",
  ],
  flags: {
    record: {
      names: ["--record"],
      value: "file",
      complete: "file",
      help: "write a recording there, for `hale replay`; an existing file is replaced",
    },
    target: TARGET,
    release: RELEASE,
    env: ENV,
    noCache: NO_CACHE,
  },
  operands: { complete: "file" },
  firstOperandEndsFlags: true,
  unknownFlag: (flag) => `hale run: unknown flag \`${flag}\``,
  errorPrefix: "hale run: ",
  sections: [
    {
      title: "Environment",
      rows: [
        ["TMPDIR", "where the private directory is made (default /tmp)"],
        ["LOTUS_OBS_RECORD", "a file: as --record; programs that were built heed it, too"],
        ["LOTUS_OBS_RECORD_ENV", "`full`: values of environment variables are recorded, not only their names"],
        ["LOTUS_OBS_RECORD_DURABLE", "`1`: force the recording to disk as it grows"],
        ["LOTUS_OBS_RINGS", "most threads that are recorded (default and maximum 64)"],
        ...CACHE_VARIABLES,
      ],
    },
    {
      title: "Exit status",
      rows: [
        ["the program's", "128+n when signal n killed it; 70 or 74 when it could not be recorded"],
        ["1", "the program does not compile"],
        ["2", "usage error"],
      ],
    },
    { title: "Examples", rows: ["hale run main.hl", "hale run app --verbose input.txt"] },
  ],
} as const satisfies CommandSpec;

export const REPLAY = {
  name: "replay",
  summary: "run a program again as a recording tells",
  synopsis: ["hale replay <recording> <program.hl> [flags]"],
  description: [
    "Runs the program with the recorded clock, randomness, environment and arguments, and with",
    "the recorded order of deliveries. Files, sockets, processes and printing happen again: a",
    "program that can reach them is refused without --allow-live-effects.",
    "",
    "`hale run --record <file>` makes recordings.",
  ],
  flags: {
    diff: { names: ["--diff"], help: "record the replay, compare it, and tell the first difference" },
    json: { names: ["--json"], help: "with --diff: one JSON object on stdout" },
    allowLive: { names: ["--allow-live-effects"], help: "accept that system calls are repeated" },
    allowUnverified: {
      names: ["--allow-unverified-model"],
      help: "accept a recording of other sources, options or toolchain",
    },
    allowTruncated: { names: ["--allow-truncated"], help: "accept a recording of a run that was killed" },
    at: { names: ["--at"], value: "n", help: "not supported yet: stopping before a delivery" },
    feed: { names: ["--feed"], help: "not supported yet: feeding transport messages" },
    allowUnmatchedFeed: { names: ["--allow-unmatched-feed"], help: "not supported yet: see --feed" },
    target: TARGET,
    release: RELEASE,
  },
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale replay: unknown flag \`${flag}\``,
  errorPrefix: "hale replay: ",
  sections: [
    {
      title: "Exit status",
      rows: [
        ["the program's", "the replay ran; with --diff it matched, too"],
        ["1", "refused, does not compile, killed by a signal, or --diff found a difference"],
        ["2", "usage error"],
      ],
    },
    {
      title: "Examples",
      rows: ["hale run --record run.halerec app.hl", "hale replay run.halerec app.hl --allow-live-effects --diff"],
    },
  ],
} as const satisfies CommandSpec;

/** Flags of the published command that are not there yet. */
const BUILD_FLAGS_TO_COME = ["--target-cpu", "--link", "--csrc", "--wrap-main", "--api"];

function unknownBuildFlag(flag: string): string {
  const [name = ""] = flag.split("=", 1);
  if (BUILD_FLAGS_TO_COME.includes(name)) return `hale build: not supported yet: ${name}`;
  return `unknown \`hale build\` flag: ${flag}`;
}

export const BUILD = {
  name: "build",
  summary: "compile a program to an executable file",
  synopsis: ["hale build [flags] <file | dir>"],
  description: [
    "Writes one self-contained executable: `x` beside `x.hl`, `d/d` for a directory `d`, or the",
    "path given with -o. It runs without the toolchain.",
  ],
  flags: {
    out: { names: ["-o", "--out"], value: "path", complete: "file", help: "where the executable goes" },
    target: TARGET,
    release: RELEASE,
    dev: { names: ["--dev"], help: "the quick build (the default; also HALE_DEV=1)" },
    targetCache: {
      names: ["--target-cache"],
      value: "level",
      complete: ["l1", "l2", "l3"],
      help: "warn of loci whose params do not fit into that cache (l1 32 KiB, l2 512 KiB, l3 8 MiB)",
    },
    strict: { names: ["--strict"], help: "fail where --target-cache or @locality warns" },
    localityReport: { names: ["--locality-report"], help: "print how many bytes the params of each locus take" },
    env: ENV,
    noCache: NO_CACHE,
  },
  operands: { complete: "file" },
  unknownFlag: (flag) => unknownBuildFlag(flag),
  errorPrefix: "hale build: ",
  sections: [
    {
      title: "Environment",
      rows: [["HALE_DEV", "`1`: as --dev"], ["HALE_TIME", "`1`: print timings on stderr"], ...CACHE_VARIABLES],
    },
    { title: "Examples", rows: ["hale build main.hl", "hale build app -o bin/app --release"] },
  ],
} as const satisfies CommandSpec;

const CHECK_FLAGS = {
  json: { names: ["--json"], help: "one JSON object a finding, one a line, on stdout" },
  format: {
    names: ["--format"],
    value: "format",
    complete: ["text", "json", "github", "sarif"],
    help: "how findings are written: text, json, github (annotations of a workflow run), sarif",
  },
  workspace: { names: ["--workspace"], help: "check every seed and every test file below the directory" },
  noSurvey: { names: ["--no-warn-unbounded-alloc"], help: "leave out the survey of allocations without bound" },
  survey: { names: ["--warn-unbounded-alloc"], help: "accepted, no effect: the survey is on" },
  allowUnowned: { names: ["--allow-unowned-subscriber"], help: "accept a subscriber that is built in a handler" },
  resourceLeak: {
    names: ["--warn-resource-leak"],
    help: "warn of descriptors that are opened again and again and kept",
  },
  strictSecret: { names: ["--strict-secret"], help: "errors wherever nothing says that a @secret stays secret" },
  env: ENV,
  matrix: { names: ["--matrix"], help: "check every entrypoint in every environment of hale.toml" },
  sealable: { names: ["--sealable"], help: "tell on stderr which loci could be @sealed" },
  flows: { names: ["--flows"], help: "tell on stderr which loci are released when their run() ends" },
  dumpEffects: { names: ["--dump-effects-manifest"], help: "print what each function promises and does" },
  checkEffects: {
    names: ["--check-effects-manifest"],
    value: "file",
    complete: "file",
    help: "fail when the manifest differs from the file",
  },
  dumpBudget: {
    names: ["--dump-resource-budget"],
    help: "print threads, pools, subjects and descriptor sites; end there",
  },
  checkBudget: {
    names: ["--check-resource-budget"],
    value: "file",
    complete: "file",
    help: "fail when the program takes more than the TOML file allows; end there",
  },
  dumpAllocations: { names: ["--dump-alloc-summary"], help: "print what the memory analyses see; end there" },
  dumpTopology: {
    names: ["--dump-topology"],
    value: "file",
    optional: true,
    complete: "file",
    help: "write the checked model as JSON, to stdout or (with =file) to a file",
  },
  checkTopology: {
    names: ["--check-topology"],
    value: "file",
    complete: "file",
    help: "fail when the model differs from the file in any byte",
  },
  checkTopologyShape: {
    names: ["--check-topology-shape"],
    value: "file",
    complete: "file",
    help: "fail when the model's shape differs from that of the file",
  },
} as const satisfies Record<string, FlagSpec>;

/** Flags of the published commands that are not there yet. */
const CHECK_FLAGS_TO_COME = ["--target", "--link", "--units", "--api", "--dump-api"];

function unknownCheckFlag(command: string, flag: string): string {
  const [name = ""] = flag.split("=", 1);
  if (CHECK_FLAGS_TO_COME.includes(name)) return `hale ${command}: not supported yet: ${name}`;
  return `unknown flag for \`hale ${command}\`: ${flag}`;
}

const CHECK_SYNOPSIS = (name: string) => [
  `hale ${name} [flags] <file | dir>`,
  `hale ${name} --workspace [flags] [dir]`,
  `hale ${name} --matrix [flags] [dir]`,
];

export const CHECK = {
  name: "check",
  summary: "report what is wrong with a program, without running it",
  synopsis: CHECK_SYNOPSIS("check"),
  description: [
    "Parses, resolves, type-checks and analyses a file or the seed of a directory. Findings go to",
    "stderr as `path:line:column: kind: message`; warnings do not change the exit status.",
    "Of a single file, bare names that nothing declares are left alone where the rest of its seed may lie beside it:",
    "files with an entry of their own are other programs when it has one, too.",
  ],
  flags: CHECK_FLAGS,
  operands: { complete: "file" },
  unknownFlag: (flag) => unknownCheckFlag("check", flag),
  errorPrefix: "hale check: ",
  sections: [
    {
      title: "Exit status",
      rows: [
        ["0", "no errors"],
        ["1", "errors, a gate that differs, or no such input"],
        ["2", "usage error; nothing found with --workspace or --matrix"],
      ],
    },
    { title: "Examples", rows: ["hale check .", "hale check main.hl --json", "hale check --workspace"] },
  ],
} as const satisfies CommandSpec;

export const VERIFY = {
  name: "verify",
  summary: "check, and fail on warnings too",
  synopsis: CHECK_SYNOPSIS("verify"),
  description: ["The analysis of `hale check` with a stricter gate: any finding fails, warnings included."],
  flags: CHECK_FLAGS,
  operands: { complete: "file" },
  unknownFlag: (flag) => unknownCheckFlag("verify", flag),
  errorPrefix: "hale verify: ",
  sections: [
    {
      title: "Examples",
      rows: [
        "hale verify .",
        "hale verify --workspace --format github",
        "hale verify . --format sarif > findings.sarif",
      ],
    },
  ],
} as const satisfies CommandSpec;

export const BENCH = {
  name: "bench",
  summary: "measure the functions of *_bench.hl files",
  synopsis: [
    "hale bench [-run <substr>] [--json] [--save <file>] [--baseline <file>] [--compare] [--plot <file>] [file | dir]",
  ],
  description: [
    "Every free function named `bench_<name>` is a benchmark; it takes nothing, or what the function",
    "`setup_<name>` returns. Batches of 1, 10, 100 ... calls are timed until one takes 100 ms; the last",
    "one is reported as ns/op and allocs/op. Programs are optimised.",
  ],
  flags: {
    run: {
      names: ["-run", "--run"],
      value: "substr",
      missing: "-run requires a substring argument",
      help: "only benchmarks whose name contains it",
    },
    json: { names: ["--json"], help: "an array of results" },
    save: {
      names: ["--save"],
      value: "file",
      complete: "file",
      help: "write the samples there, to compare with later",
    },
    baseline: {
      names: ["--baseline"],
      value: "file",
      complete: "file",
      help: "compare with saved samples; exit 1 when something became slower",
    },
    tolerance: { names: ["--tolerance"], value: "percent", help: "how much slower is still the same (default 10)" },
    compare: {
      names: ["--compare"],
      help: "also build and run the equivalents in C, Go and Rust that the file names, and print a table",
    },
    plot: {
      names: ["--plot"],
      value: "file",
      complete: "file",
      help: "draw samples, and the history of --baseline or --save: an .svg or .html file",
    },
  },
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale bench: unknown flag \`${flag}\``,
  errorPrefix: "hale bench: ",
  sections: [
    {
      title: "Equivalents in other languages",
      rows: [
        "A comment in the file names them:  // compare bench_sum: sum.c sum.go sum.rs",
        "Each is a program that is given a number of calls as its argument, makes them, and prints",
        "how many nanoseconds they took.",
      ],
    },
    { title: "Examples", rows: ["hale bench", "hale bench --save base.json", "hale bench --baseline base.json"] },
  ],
} as const satisfies CommandSpec;

export const FMT = {
  name: "fmt",
  summary: "rewrite sources into the canonical layout",
  synopsis: ["hale fmt [--check] [--diff] [--stdin] [path ...]"],
  description: [
    "Formats files, and directories recursively (without directories named `vendor` or",
    "`node_modules` and those whose name begins with a dot). Only files whose text changes are",
    "written. Default: the current directory.",
  ],
  flags: {
    check: { names: ["--check"], help: "write nothing; list the files that would change, exit 1 if any" },
    diff: { names: ["--diff"], help: "write nothing; show what would change" },
    stdin: { names: ["--stdin"], help: "format stdin to stdout" },
  },
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale fmt: unknown flag ${flag}`,
  errorPrefix: "hale fmt: ",
  sections: [{ title: "Examples", rows: ["hale fmt", "hale fmt --check src tests", "hale fmt --stdin < main.hl"] }],
} as const satisfies CommandSpec;

export const DOC = {
  name: "doc",
  summary: "print what a file, a directory or the library declares",
  synopsis: ["hale doc [--json | --html] [-o <path>] [--stdlib] [file | dir]"],
  description: [
    "Signatures and doc comments (`///`) as Markdown. A directory stands for the `.hl` files",
    "directly in it, tests left out. Default: the current directory.",
  ],
  flags: {
    json: { names: ["--json"], help: "an array of entries" },
    html: { names: ["--html"], help: "one self-contained page with search" },
    out: { names: ["-o", "--out"], value: "path", complete: "file", help: "write there instead of stdout" },
    stdlib: { names: ["--stdlib"], help: "the standard library instead of a target" },
  },
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale doc: unknown flag ${flag}`,
  errorPrefix: "hale doc: ",
  sections: [{ title: "Examples", rows: ["hale doc", "hale doc --html -o api.html src", "hale doc --stdlib"] }],
} as const satisfies CommandSpec;

export const LEX = {
  name: "lex",
  summary: "print the tokens of a file",
  synopsis: ["hale lex <file>"],
  description: ["One token a line: line, column, token."],
  flags: {},
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale lex: unknown flag \`${flag}\``,
  errorPrefix: "hale lex: ",
} as const satisfies CommandSpec;

export const PARSE = {
  name: "parse",
  summary: "print the syntax tree of a file",
  synopsis: ["hale parse <file>"],
  description: ["A readable dump of the tree; its form may change between versions."],
  flags: {},
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale parse: unknown flag \`${flag}\``,
  errorPrefix: "hale parse: ",
} as const satisfies CommandSpec;

export const INIT = {
  name: "init",
  summary: "start a project",
  synopsis: ["hale init [dir]"],
  description: [
    "Creates hale.toml, main.hl, tests/main_test.hl, .gitignore and ci.sh (what continuous",
    "integration runs: fmt --check, verify, test) where they are missing.",
  ],
  flags: {},
  operands: { complete: "directory" },
  unknownFlag: (flag) => `hale init: unknown flag \`${flag}\``,
  errorPrefix: "hale init: ",
} as const satisfies CommandSpec;

export const INPUTS = {
  name: "inputs",
  summary: "list the files that a build would read",
  synopsis: ["hale inputs <file | dir>"],
  description: ["Canonical paths, one a line, sorted. The standard library's own files are not listed."],
  flags: {},
  operands: { complete: "file" },
  unknownFlag: (flag) => `hale inputs: unknown flag \`${flag}\``,
  errorPrefix: "hale inputs: ",
} as const satisfies CommandSpec;

export const TARGETS = {
  name: "targets",
  summary: "list what programs can be compiled to",
  synopsis: ["hale targets"],
  description: ["One target a line; the default of this machine is marked."],
  flags: {},
  unknownFlag: (flag) => `hale targets: unknown flag \`${flag}\``,
  errorPrefix: "hale targets: ",
} as const satisfies CommandSpec;

export const COMPLETIONS = {
  name: "completions",
  summary: "print a completion script for a shell",
  synopsis: ["hale completions bash | zsh | fish"],
  description: [
    "bash:  hale completions bash > ~/.local/share/bash-completion/completions/hale",
    "zsh:   hale completions zsh > a directory of $fpath, as _hale",
    "fish:  hale completions fish > ~/.config/fish/completions/hale.fish",
  ],
  flags: {},
  operands: { complete: ["bash", "zsh", "fish"] },
  unknownFlag: (flag) => `hale completions: unknown flag \`${flag}\``,
  errorPrefix: "hale completions: ",
} as const satisfies CommandSpec;

export const FETCH = {
  name: "fetch",
  summary: "clone the packages that hale.toml names",
  synopsis: ["hale fetch [root]"],
  description: [
    "Clones each package of `[deps]` of the root's hale.toml into vendor/<name>, or brings the checkout",
    "there to what is asked for, and writes hale.lock with the commits. Default: the current directory.",
    'A package is imported by its path: `import "vendor/name" as name;`',
  ],
  flags: {},
  operands: { complete: "directory" },
  unknownFlag: (flag) => `hale fetch: unknown flag \`${flag}\``,
  errorPrefix: "hale fetch: ",
  sections: [
    {
      title: "hale.toml",
      rows: [
        "[deps]",
        'name = { git = "https://host/repository" }',
        'other = { git = "..", tag = "v1.2" }      # or branch = "..", or rev = "<commit>"',
      ],
    },
    {
      title: "Exit status",
      rows: [
        ["0", "all packages are there, or none is named"],
        ["1", "no hale.toml, or some package could not be had; hale.lock is not written"],
        ["2", "usage error"],
      ],
    },
  ],
} as const satisfies CommandSpec;

/** Every command in the order in which help lists them. */
export const COMMANDS: readonly CommandSpec[] = [
  TEST,
  RUN,
  REPLAY,
  BUILD,
  CHECK,
  VERIFY,
  BENCH,
  FMT,
  DOC,
  INIT,
  FETCH,
  INPUTS,
  LEX,
  PARSE,
  TARGETS,
  COMPLETIONS,
];
