// `hale check` and `hale verify` beside their findings: formats for CI, reports, gates, environments (reference 11 11.1, 11.14, 11b 11b.8).
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle, Scratch } from "./support/harness.ts";

let scratch: Scratch;
let script: Awaited<ReturnType<typeof bundle>>;

beforeAll(async () => {
  script = await bundle("cli/main.ts");
  scratch = new Scratch(script.script);
});

afterAll(() => {
  scratch.remove();
  script.remove();
});

const ORPHAN = `type Dose { ml: Int; }
topic Spare { payload: Dose; }
main locus Ward { run() { println("ward"); } }
`;

const BROKEN_LAW = `fn bump(n: Int) -> Int {
    println("bump");
    return n + 1;
}
@no_syscall
fn tally(n: Int) -> Int { return bump(n); }
fn main() { println(tally(1)); }
`;

test("an advisory passes check and fails verify (11 11.1.1)", async () => {
  const file = scratch.write("orphan/main.hl", ORPHAN);
  const checked = await scratch.hale(["check", "orphan"]);
  expect(checked).toMatchObject({ code: 0, stdout: "" });
  expect(checked.stderr).toBe(
    `${file}:2:1: warning: topic \`Spare\` is neither published nor subscribed: remove it\n    topic Spare { payload: Dose; }\n    ${"^".repeat(30)}\nok: 1 file(s) typechecked\n`,
  );
  const verified = await scratch.hale(["verify", "orphan"]);
  expect(verified.code).toBe(1);
  expect(verified.stderr).toMatch(/\nverify: 1 finding\(s\) — the discipline gate fails on advisories too\n$/);
});

test("a broken law is a pair of errors (11 11.1.1, 11 11.1.3, 11 11.10)", async () => {
  const file = scratch.write("law.hl", BROKEN_LAW);
  const { code, stderr } = await scratch.hale(["check", "law.hl"]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    [
      `${file}:6:4: type error: \`tally\` is \`@no_syscall\` but reaches \`syscall\`: tally -> bump [println]`,
      "    fn tally(n: Int) -> Int { return bump(n); }",
      "       ^^^^^",
      `${file}:2:5: type error: the \`syscall\` effect is reached here`,
      '        println("bump");',
      "        ^^^^^^^^^^^^^^^",
      "",
    ].join("\n"),
  );
});

test("a place in the library is a note, and no place in JSON (11 11.1.5, 08 5.1.5)", async () => {
  scratch.write(
    "note.hl",
    'locus S { params { log: std::log::Logger = std::log::Logger { name: "s" }; } @no_publish fn f() { self.log.info("x"); } }\nfn main() { S { }; }\n',
  );
  const text = await scratch.hale(["check", "note.hl"]);
  expect(text.stderr).toMatch(
    /\n {4}note: the `publish` effect is reached here \(in the standard library, std\/log\.hl:\d+:\d+\)\n$/,
  );
  const json = (await scratch.hale(["check", "--json", "note.hl"])).stdout.trim().split("\n");
  const { file, line, col, message } = JSON.parse(json[1] ?? "");
  expect({ file, line, col }).toEqual({ file: "", line: 0, col: 0 });
  expect(message).toMatch(/^the `publish` effect is reached here \(in the standard library, std\/log\.hl:\d+:\d+\)$/);
  const github = await scratch.hale(["check", "--format", "github", "note.hl"]);
  expect(github.stdout).toContain(`::error title=E1101::${message}\n`);
  const sarif = JSON.parse((await scratch.hale(["check", "--format", "sarif", "note.hl"])).stdout);
  expect(sarif.runs[0].results[1]).toMatchObject({ message: { text: message }, locations: [] });
});

test("JSON: keys in order, other places last, only what must be escaped is (11 11.1.1, 11 11.1.2, 11 11.1.3, 11 11.1.4)", async () => {
  scratch.write("twice/b.hl", 'fn helper() { }\nfn other() { let s: Int = "\u00e9\\t"; }\n');
  const first = scratch.write("twice/a.hl", "fn helper() { }\nmain locus App { }\n");
  const { code, stdout, stderr } = await scratch.hale(["check", "twice", "--json"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  const [duplicate = "", ...others] = stdout.trimEnd().split("\n");
  const place = `"file":"${first.replace("a.hl", "b.hl")}","line":1,"col":4`;
  expect(duplicate).toBe(
    `{${place},"severity":"error","kind":"type error","message":"duplicate top-level name \`helper\`","related":[{"file":"${first}","line":1,"col":4,"note":"previous declaration"}]}`,
  );
  for (const line of others) expect(Object.keys(JSON.parse(line))).toEqual(JSON_KEYS);
});

const JSON_KEYS = ["file", "line", "col", "severity", "kind", "message"];

test("what cannot be read is an io error, an import of nothing a type error at its path (11 11.1.6, 11 11.1.7, 11 11.1.8)", async () => {
  const gone = await scratch.hale(["check", "--json", "gone.hl"]);
  expect(gone.code).toBe(1);
  expect(JSON.parse(gone.stdout)).toMatchObject({ line: 0, col: 0, severity: "error", kind: "io error" });
  scratch.write("imports.hl", 'import "nowhere" as no;\nfn main() { }\n');
  const unresolved = await scratch.hale(["check", "--json", "imports.hl"]);
  expect(unresolved.code).toBe(1);
  expect(JSON.parse(unresolved.stdout)).toMatchObject({ line: 1, col: 8, kind: "type error" });
  scratch.write("clean.hl", "fn main() { }\n");
  expect(await scratch.hale(["check", "--json", "clean.hl"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
});

test("text: columns count characters, carets end with the line, notes follow (11 11.1.1, 11 11.1.2, 11 11.1.3, 11 11.1.4)", async () => {
  const file = scratch.write(
    "caret.hl",
    'type N { n: Int; }\ntype N { m: Int; }\nfn main() {\n\tlet e = "é"; let s: Int = "ü";\n}\n',
  );
  const { stderr } = await scratch.hale(["check", "caret.hl"]);
  expect(stderr).toContain(
    `${file}:2:6: type error: duplicate top-level name \`N\`\n    type N { m: Int; }\n         ^\n    note: previous declaration at ${file}:1:6\n`,
  );
  expect(stderr).toContain(`${file}:4:28: type error: `);
  expect(stderr).toContain(`\n    \tlet e = "é"; let s: Int = "ü";\n    \t${" ".repeat(26)}^^^^\n`);
});

test("advisories and laws are looked for beside errors, but not what an error may hide (11 11.2.4)", async () => {
  scratch.write(
    "beside.hl",
    `type P { n: Int; }
topic T { payload: P; }
locus S { bus { publish T; } run() { while true { T <- P { n: 1 }; } } fn g() { while true { T <- P { n: 1 }; std::time::slep(1s); } } }
fn bad() -> Int { return "x"; }
main locus M { params { s: S = S { }; } claims { a: count publishers(topic T) == 3; } }
`,
  );
  const places = async () =>
    (await scratch.hale(["verify", "--json", "beside.hl"])).stdout
      .trimEnd()
      .split("\n")
      .map((line) => `${JSON.parse(line).line}:${JSON.parse(line).col} ${JSON.parse(line).severity}`);
  expect(await places()).toEqual(["3:111 error", "4:26 error", "3:17 warning", "3:38 warning"]);
});

test("programs that lie side by side are no siblings: a seed has one entry (08 1.9)", async () => {
  scratch.write("side/a.hl", "fn main() { println(nowhere); }\n");
  scratch.write("side/b.hl", "// a program of its own\nfn main() { println(1); }\n");
  scratch.write("side/c_test.hl", "fn main() { }\n");
  const unknown = await scratch.hale(["check", "side/a.hl"]);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("nowhere") });
  // A library beside them may be part of either.
  scratch.write("side/lib.hl", "fn helper() -> Int { return 1; }\n");
  expect(await scratch.hale(["check", "side/a.hl"])).toMatchObject({ code: 0 });
  // Of a file without an entry, a program may be the rest.
  scratch.write("part/lib.hl", "fn twice() -> Int { return base() * 2; }\n");
  scratch.write("part/main.hl", "fn base() -> Int { return 1; }\nfn main() { println(twice()); }\n");
  expect(await scratch.hale(["check", "part/lib.hl"])).toMatchObject({ code: 0 });
});

test("of one file of a seed, what its siblings may declare is left alone (11 11.2.5)", async () => {
  const lines = [
    "type P { n: Int; }",
    "topic T { payload: P; }",
    "locus A { bus { publish T; subscribe T as on_t; } fn on_t(p: P) { } }",
    "group g = { A, InB };",
    "group bad = { alias::A };",
    "@effects(none: {money}) @budget(money = 1) fn q() { }",
    "@effects(depends: {T, U}) locus D { }",
    "main locus M { params { a: A = A { }; d: D = D { }; }",
    "claims { x: forbid reaches(g, h); y: count publishers(topic U) == 1; adopt Con; z: count publishers(topic T) == 2; } }",
  ];
  scratch.write("part/a.hl", lines.join("\n"));
  scratch.write(
    "part/b.hl",
    "locus InB { bus { publish U; subscribe U as on_u; } fn on_u(p: P) { } }\nfn helper() { }\ngroup h = { helper };\neffect money;\ntopic U { payload: P; }\nconstitution Con { c: count publishers(topic U) == 1; }\n",
  );
  const places = async (target: string) =>
    (await scratch.hale(["check", "--json", target])).stdout
      .trimEnd()
      .split("\n")
      .map((line) => `${JSON.parse(line).line}:${JSON.parse(line).col}`);
  expect(await places("part")).toEqual(["5:15", "9:81"]);
  expect(await places("part/a.hl")).toEqual(["5:15", "9:81"]);
  scratch.write("alone/a.hl", lines.join("\n"));
  expect(await places("alone")).toEqual(["6:47", "7:10", "4:16", "5:15", "9:76", "9:28", "9:31", "9:61", "9:81"]);
});

test("--format github: one annotation a finding, on paths of the current directory", async () => {
  scratch.write("law.hl", BROKEN_LAW);
  const { code, stdout, stderr } = await scratch.hale(["verify", "law.hl", "--format", "github"]);
  expect(code).toBe(1);
  expect(stderr).toBe("");
  expect(stdout.split("\n")).toEqual([
    "::error file=law.hl,line=6,endLine=6,col=4,endColumn=9,title=E1101::`tally` is `@no_syscall` but reaches `syscall`: tally -> bump [println]",
    "::error file=law.hl,line=2,endLine=2,col=5,endColumn=20,title=E1101::the `syscall` effect is reached here",
    "",
  ]);
});

test("--format sarif: one log for a whole workspace", async () => {
  scratch.write("ws/a/main.hl", ORPHAN);
  scratch.write("ws/b/main.hl", BROKEN_LAW);
  const { code, stdout } = await scratch.hale(["verify", "--workspace", "ws", "--format=sarif"]);
  expect(code).toBe(1);
  const log = JSON.parse(stdout);
  expect(log.version).toBe("2.1.0");
  const [run] = log.runs;
  expect(run.tool.driver.rules.map((rule: { id: string }) => rule.id)).toEqual(["W1101", "E1101"]);
  expect(run.results.map((result: { level: string; ruleIndex: number }) => [result.level, result.ruleIndex])).toEqual([
    ["warning", 0],
    ["error", 1],
    ["error", 1],
  ]);
  expect(run.results[0].locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: "ws/a/main.hl", uriBaseId: "ROOT" },
    region: { startLine: 2, startColumn: 1, endLine: 2, endColumn: 31 },
  });
});

test.each([
  [["--format", "xml"], "hale check: no format `xml`: text, json, github or sarif\n"],
  [["--json", "--format", "sarif"], "hale check: --json and --format sarif exclude each other\n"],
  [
    ["--workspace", "--dump-effects-manifest"],
    "hale check: --dump-effects-manifest is per seed: it cannot go with --workspace\n",
  ],
  [
    ["--matrix", "--check-effects-manifest", "x"],
    "hale check: --check-effects-manifest is per seed: it cannot go with --matrix\n",
  ],
  [
    ["--workspace", "--check-resource-budget=x"],
    "hale check: --check-resource-budget is per seed: it cannot go with --workspace\n",
  ],
  [["--workspace", "--env", "x"], "hale check: --env is per seed: it cannot go with --workspace\n"],
  [["--workspace", "--matrix"], "hale check: --workspace and --matrix exclude each other\n"],
])("%j is a usage error (11 11.1.3)", async (flags, stderr) => {
  expect(await scratch.hale(["check", ...flags])).toMatchObject({ code: 2, stderr });
});

const PANEL = `type R { n: Int; }
topic Rs { payload: R; }
locus Panel {
    params { n: Int = 0; }
    bus { subscribe Rs as on_reading; }
    @no_syscall fn on_reading(r: R) { self.n = r.n; }
}
locus Sensor { bus { publish Rs; } run() { Rs <- R { n: 1 }; } }
module deep { @no_panic @budget(publish = 1, fanout = 2) @effects(causes: {syscall}) fn quiet() { } }
@deterministic fn unknown(f: fn (Float) -> Float) -> Int { return 1; }
fn asks(f: fn (Float) -> Float) -> Float { return f(1.0); }
fn main() { Panel { }; Sensor { }; }
`;

const MANIFEST = `# .hale.effects v1 — declared effect contracts
Panel::on_reading  none={syscall}
Sensor::run  does={publish,alloc}
asks  does={unclassified}
deep::quiet  none={causes:syscall,panic}  fanout=2  publish=1
main  does={alloc}
unknown  none={entropy,env,time}
`;

test("the effects manifest is printed, and compared (11 11.14.1, 11 11.14.2, 11 11.14.3)", async () => {
  scratch.write("panel.hl", PANEL);
  expect(await scratch.hale(["check", "panel.hl", "--dump-effects-manifest"])).toMatchObject({
    code: 0,
    stdout: MANIFEST,
  });
  scratch.write("same.effects", MANIFEST);
  expect((await scratch.hale(["check", "panel.hl", "--check-effects-manifest", "same.effects"])).code).toBe(0);
  scratch.write("old.effects", MANIFEST.replace("main  does={alloc}", "main  does={alloc,syscall}"));
  const differs = await scratch.hale(["check", "panel.hl", "--check-effects-manifest=old.effects"]);
  expect(differs.code).toBe(1);
  expect(differs.stderr).toContain("- main  does={alloc,syscall}\n+ main  does={alloc}\n");
  const missing = await scratch.hale(["check", "panel.hl", "--check-effects-manifest", "gone"]);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.stderr).toContain("could not read gone: no such file or directory");
});

test("a generic function is one line of the manifest, under its own name (11 11.14.1, 11 11.14.2)", async () => {
  scratch.write(
    "generic.hl",
    `@no_block fn shown<T>(x: T) -> T { println("x"); return x; }
fn call<T>(x: T, f: fn (T) -> Int) -> Int { return f(x); }
fn loud(n: Int) -> Int { println(n); return n; }
fn quiet(s: String) -> Int { return len(s); }
module deep { fn same<T>(x: T) -> T { return shown(x); } }
fn main() { println(shown(1), shown("a"), call(1, loud), call("a", quiet), same(2), same("b")); }
`,
  );
  const { stdout } = await scratch.hale(["check", "generic.hl", "--dump-effects-manifest"]);
  expect(stdout.split("\n").slice(1, -1)).toEqual([
    "call  does={syscall}",
    "deep::same  does={syscall}",
    "loud  does={syscall}",
    "main  does={syscall}",
    "shown  none={block}  does={syscall}",
  ]);
});

test("the resource budget is printed, and held (11 11.14)", async () => {
  scratch.write(
    "pools.hl",
    `locus W { params { fd: Int = -1; } fn open() { self.fd = std::io::tcp::connect("h", 1) or -1; } }
main locus A {
    params { a: W = W { }; b: W = W { }; c: W = W { }; }
    placement { a: pinned(replicas = 3); b: cooperative(pool = io); }
}
`,
  );
  const text = "pinned_threads = 3\ncooperative_pools = 1  # io\nbus_subjects = 0\nfd_open_sites = 1\n";
  expect(await scratch.hale(["check", "pools.hl", "--dump-resource-budget"])).toMatchObject({ code: 0, stdout: text });
  scratch.write("budget.toml", text);
  expect(await scratch.hale(["check", "pools.hl", "--check-resource-budget", "budget.toml"])).toMatchObject({
    code: 0,
    stdout: "resource budget OK (within `budget.toml`)\n",
    stderr: "",
  });
  scratch.write("tight.toml", "pinned_threads = 2\nthreads = 1\n");
  expect(await scratch.hale(["check", "pools.hl", "--check-resource-budget", "tight.toml"])).toMatchObject({
    code: 1,
    stderr:
      "hale check: resource budget `tight.toml`: pinned_threads is 3, at most 2\nhale check: resource budget `tight.toml`: unknown key `threads`\n",
  });
});

test("--sealable and --flows report on stderr and find nothing (11 11.14)", async () => {
  const file = scratch.write(
    "seal.hl",
    `locus Open { params { n: Int = 0; } }
locus Shut { params { n: Int = 0; } fn get() -> Int { return self.n; } }
locus Desk { accept(s: Shut) { println("in"); } release(s: Shut) { println("out"); } }
fn main() { let o = Open { }; let s = Shut { }; println(o.n, s.get()); }
`,
  );
  expect(await scratch.hale(["check", "seal.hl", "--sealable", "--flows"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: `sealability: 2 of 3 loci can be \`@sealed\` today
  Shut
  Desk
  Open would break:
    .n in main at ${file}:4:57
flows: 1 locus type(s)
  Shut is released when its run() ends
    release in Desk at ${file}:3:49
ok: 1 file(s) typechecked
`,
  });
});

test("--dump-alloc-summary ends the command (11 11.14)", async () => {
  scratch.write("law.hl", BROKEN_LAW);
  expect(await scratch.hale(["check", "law.hl", "--dump-alloc-summary"])).toMatchObject({
    code: 0,
    stdout: "bump\ntally\n  call 6:34 bump\nmain\n  call 7:21 tally\n",
  });
});

// ---------------------------------------------------------------- environments

const DESK = `type Deal { id: Int; }
topic Settled { payload: Deal; }
locus Clerk { bus { subscribe Settled as on_deal; } fn on_deal(d: Deal) { println(d.id); } }
locus Bank { bus { publish Settled; } birth() { Settled <- Deal { id: 1 }; } }
group clerks = { Clerk };
constitution Core { single: count publishers(topic Settled) <= 1; }
constitution Prod { heard: require subscribes(some clerks, topic Settled); many: count subscribers(topic Settled) >= 2; }
main locus App { params { c: Clerk = Clerk { }; b: Bank = Bank { }; } }
fn main() { App { }; }
`;

const MANIFEST_TOML = `[claims]
base = "Core"

[environments.prod]
constitution = "Prod"
entrypoints = ["desk"]

[environments.dev]
source_only = true            # adds no law of its own
entrypoints = [
    "desk", # the only one
]
`;

test("--env adopts the law of an environment (11b 11b.8.2)", async () => {
  scratch.write("deploy/hale.toml", MANIFEST_TOML);
  const file = scratch.write("deploy/desk/main.hl", DESK);
  expect((await scratch.hale(["check", "deploy/desk", "--env", "dev"])).code).toBe(0);
  const prod = await scratch.hale(["check", "deploy/desk", "--env", "prod"]);
  expect(prod.code).toBe(1);
  expect(prod.stderr).toContain(
    `${file}:7:76: type error: claim \`many\` violated: subscribers of \`Settled\`: 1 (\`Clerk\`), the claim wants >= 2\n`,
  );
  expect(await scratch.hale(["check", "deploy/desk", "--env", "test"])).toMatchObject({
    code: 2,
    stderr: `no environment \`test\` in ${file.replace("desk/main.hl", "hale.toml")} (declared: dev, prod)\n`,
  });
  scratch.write("deploy/lib/lib.hl", "fn f() { }\n");
  expect(await scratch.hale(["check", "deploy/lib", "--env", "dev"])).toMatchObject({
    code: 2,
    stderr: "hale check: deploy/lib is no entrypoint: it has no main locus of its own\n",
  });
});

test("build and run adopt the law of an environment, too (11b 11b.8.6)", async () => {
  scratch.write("goes/hale.toml", MANIFEST_TOML);
  const file = scratch.write("goes/desk/main.hl", DESK);
  const violated = `${file}:7:76: type error: claim \`many\` violated: subscribers of \`Settled\`: 1 (\`Clerk\`), the claim wants >= 2\n`;
  for (const command of ["build", "run"]) {
    const prod = await scratch.hale([command, "--env", "prod", "goes/desk"]);
    expect(prod).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(violated) });
    expect(existsSync(path.join(scratch.tree, "goes/desk/desk"))).toBe(false);
    const unknown = await scratch.hale([command, "--env=test", "goes/desk"]);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("no environment `test` in ") });
  }
  expect(await scratch.hale(["run", "--env", "dev", "goes/desk"])).toMatchObject({ code: 0, stdout: "1\n" });
  expect((await scratch.hale(["build", "--env", "dev", "goes/desk"])).code).toBe(0);
  expect(existsSync(path.join(scratch.tree, "goes/desk/desk"))).toBe(true);
});

test("--matrix checks every pair (11b 11b.8.4)", async () => {
  scratch.write("m/hale.toml", MANIFEST_TOML);
  scratch.write("m/desk/main.hl", DESK.replace(">= 2", ">= 1"));
  const sound = await scratch.hale(["check", "--matrix", "m"]);
  expect(sound).toMatchObject({
    code: 0,
    stdout: "=== desk @ dev ===\n=== desk @ prod ===\n\nok: 2 (entrypoint, environment) pair(s) checked\n",
  });
  scratch.write("m/desk/main.hl", DESK);
  scratch.write("m/shop/main.hl", "main locus Shop { }\n");
  const broken = await scratch.hale(["check", "--matrix", "m"]);
  expect(broken.code).toBe(1);
  expect(broken.stderr).toMatch(
    /\n2 pair\(s\) failed:\n {2}desk @ prod: exit 1\n {2}m\/shop is an entrypoint in no environment\n$/,
  );
});

test("a constitution that only the manifest asks for is reported at the main locus (11b 11b.8.3)", async () => {
  scratch.write("asks/hale.toml", MANIFEST_TOML.replace('"Core"', '"Absent"'));
  const file = scratch.write("asks/desk/main.hl", DESK);
  const { code, stderr } = await scratch.hale(["check", "asks/desk", "--env", "dev"]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `${file}:8:12: type error: no constitution \`Absent\` is declared; \`base\` of ${file.replace("desk/main.hl", "hale.toml")} asks for it\n`,
  );
});

test("one name of a constitution is one law for all entrypoints, whatever order and aliases say (11b 11b.7.6, 11b 11b.8.4)", async () => {
  const manifest = (paths: string) =>
    `[claims]\nno_base = true\n[environments.prod]\nconstitution = "Law"\nentrypoints = [${paths}]\n`;
  const program = (law: string) =>
    `type N { n: Int; }\ntopic T { payload: N; }\nlocus A { bus { publish T; subscribe T as on_t; } fn on_t(n: N) { } }\n${law}\nmain locus App { params { a: A = A { }; } }\n`;
  const one = "one: count publishers(topic T) == 1;";
  const two = "two: count subscribers(topic T) == 1;";
  scratch.write("laws/hale.toml", manifest('"a", "b"'));
  scratch.write("laws/a/main.hl", program(`constitution Law { ${one} ${two} }`));
  scratch.write("laws/b/main.hl", program(`constitution Law { ${two}\n    ${one} }`));
  expect((await scratch.hale(["check", "--matrix", "laws"])).code).toBe(0);
  scratch.write("laws/b/main.hl", program(`constitution Base { ${one} }\nconstitution Law extends Base { ${two} }`));
  const differs = await scratch.hale(["check", "--matrix", "laws"]);
  expect(differs.code).toBe(1);
  expect(differs.stderr).toMatch(/\n1 pair\(s\) failed:\n {2}.*`Law`.*\n$/);
});

test.each([
  [
    "[environments.dev]\nsource_only = true\n",
    "a workspace with environments states `base` or `no_base = true` under [claims]",
  ],
  [
    "[claims]\nno_base = true\n[environments.dev]\n",
    "[environments.dev] states either `constitution` or `source_only = true`",
  ],
  ["[claims]\nno_base = true\nbass = 1\n[environments.dev]\nsource_only = true\n", "unknown key `bass` in [claims]"],
])("a manifest that says %j is refused (11b 11b.8.1)", async (text, problem) => {
  scratch.write("bad/hale.toml", text);
  scratch.write("bad/main.hl", DESK);
  const { code, stderr } = await scratch.hale(["check", "bad", "--env", "dev"]);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

test("--no-warn-unbounded-alloc, --allow-unowned-subscriber, --warn-resource-leak, --strict-secret (11 11.1)", async () => {
  scratch.write(
    "flags.hl",
    `type Go { n: Int; }
topic Gos { payload: Go; }
locus Ear { bus { subscribe Gos as on_go; } fn on_go(g: Go) { println(g.n); } }
locus L {
    params { n: Int = 0; fd: Int = -1; }
    accept(e: Ear) { println("ear"); }
    run() { while self.n < 3 { println("a" + "b"); self.n += 1; self.fd = std::io::udp::bind("h", 1) or -1; } }
    fn keep(@secret s: String) { other(s); }
}
locus M { bus { subscribe Gos as on_go; publish Gos; } fn on_go(g: Go) { Ear { }; } }
fn other(s: String) { println(len(s)); }
fn main() { let l = L { }; M { }; }
`,
  );
  const places = async (...flags: string[]) =>
    (await scratch.hale(["check", "flags.hl", "--json", ...flags])).stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => `${JSON.parse(line).line}:${JSON.parse(line).severity}`);
  expect(await places()).toEqual(["10:error", "7:warning"]);
  expect(await places("--allow-unowned-subscriber")).toEqual(["10:warning", "7:warning"]);
  expect(await places("--allow-unowned-subscriber", "--no-warn-unbounded-alloc")).toEqual(["10:warning"]);
  const all = await places("--allow-unowned-subscriber", "--warn-resource-leak", "--strict-secret");
  expect(all).toEqual(["10:warning", "7:warning", "7:warning", "8:error"]);
});
