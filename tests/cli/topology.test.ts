// The topology artifact and its gates (reference 11b 11b.9).
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { realTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(realTool);

const PROGRAM = `effect money;
type Task { id: Int; }
topic Tasks { payload: Task; }
topic Tallies { payload: Task; }
locus Intake { bus { publish Tasks; } run() { Tasks <- Task { id: 1 }; } }
locus Mill {
    params { seen: Int = 0; }
    bus { subscribe Tasks as on_task; publish Tallies; }
    @no_syscall fn on_task(t: Task) { self.seen = charge(1); for i in 0..3 { tell(); } Tallies <- Task { id: 2 }; }
}
@sealed locus Ledger {
    bus { subscribe Tallies as on_tally; }
    fn on_tally(t: Task) { }
}
@effects(is: { money }) fn charge(n: Int) -> Int { return n; }
@budget(publish = 0) fn tell() { }
group floor = { Mill };
group books = { Ledger };
main locus Plant {
    params { l: Ledger = Ledger { }; m: Mill = Mill { }; i: Intake = Intake { }; }
    claims { back: forbid reaches(books, floor); one: count publishers(topic Tallies) == 1; }
}
fn main() { Plant { }; }
`;

const KEYS = [
  ...[
    "schema",
    "semantics",
    "shape_hash",
    "sorts",
    "sealed",
    "relations",
    "groups",
    "labels",
    "phases",
    "seeds",
    "effects",
    "supervision",
    "unknowns",
  ],
  ...[
    "endpoint_identity",
    "sources",
    "provenance",
    "topics",
    "endpoints",
    "declares_publish",
    "claims",
    "lowered",
    "law",
    "capabilities",
    "adequacy",
  ],
  ...["evaluation", "verdict", "artifact_digest"],
];

/** FNV-1a, 64 bits. */
function fnv64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, "0");
}

async function dump(target = "app.hl"): Promise<string> {
  const { code, stdout } = await scratch.hale(["check", target, "--dump-topology"]);
  expect(code).toBe(0);
  return stdout;
}

test("keys in order, the graph, both hashes, the verdict (11b 11b.9)", async () => {
  scratch.write("app.hl", PROGRAM);
  const text = await dump();
  const artifact = JSON.parse(text);
  expect(Object.keys(artifact)).toEqual(KEYS);
  const half = text.slice(text.indexOf('  "sorts"'), text.indexOf(',\n  "sources"'));
  expect(artifact.shape_hash).toBe(fnv64(half));
  expect(artifact.artifact_digest).toBe(fnv64(text.slice(0, text.indexOf(',\n  "artifact_digest"'))));
  expect(artifact.sources).toEqual([{ id: 0, path: "app.hl", digest: fnv64(PROGRAM) }]);
  expect(artifact.sealed).toEqual(["Ledger"]);
  expect(artifact.relations.calls).toEqual([
    { from: "Mill::on_task", to: "charge" },
    { from: "Mill::on_task", to: "tell", loop: true },
  ]);
  expect(artifact.relations.publishes).toEqual([
    { fn: "Intake::run", subject: "Tasks" },
    { fn: "Mill::on_task", subject: "Tallies" },
  ]);
  expect(artifact.labels).toEqual([{ fn: "charge", classes: ["money"] }]);
  expect(artifact.effects).toContainEqual({ fn: "Mill::on_task", classes: ["publish", "alloc", "money"] });
  expect(artifact.provenance).toContainEqual({ from: "Mill::on_task", calls: "charge", at: "0:9:51" });
  expect(artifact.claims).toEqual([
    { name: "back", form: "forbid reaches(books, floor)", result: "holds", ordinal: 0, source: null },
    { name: "one", form: "count publishers(topic Tallies) == 1", result: "holds", ordinal: 1, source: null },
  ]);
  expect(artifact.lowered).toEqual([
    { fn: "Mill::on_task", contract: "none={syscall}", result: "holds" },
    { fn: "tell", contract: "@budget(publish = 0)", result: "holds" },
  ]);
  expect(artifact.verdict).toBe("clean");
});

test("a generic function is what all its instances are (11b 11b.9)", async () => {
  scratch.write(
    "generic.hl",
    `@no_syscall fn call<T>(x: T, f: fn (T) -> Int) -> Int { return f(x); }
fn loud(n: Int) -> Int { println(n); return n; }
fn quiet(s: String) -> Int { return len(s); }
fn main() { println(call(1, loud), call("a", quiet)); }
`,
  );
  const { stdout } = await scratch.hale(["check", "generic.hl", "--dump-topology"]);
  const artifact = JSON.parse(stdout);
  expect(artifact.sorts.fns).toEqual(["call", "loud", "main", "quiet"]);
  expect(artifact.relations.calls).toEqual([
    { from: "call", to: "loud" },
    { from: "call", to: "quiet" },
    { from: "main", to: "call" },
  ]);
  expect(artifact.effects).toContainEqual({ fn: "call", classes: ["syscall"] });
  expect(artifact.lowered).toEqual([{ fn: "call", contract: "none={syscall}", result: "violated" }]);
  expect(artifact.verdict).toBe("law_failed");
});

test("adopted constitutions stand with a digest of their closure, in whatever order it is written (11b 11b.7.6, 11b 11b.9)", async () => {
  const evaluationOf = async (laws: string) => {
    scratch.write(
      "law.hl",
      `type N { n: Int; }\ntopic T { payload: N; }\nlocus A { bus { publish T; subscribe T as on_t; } fn on_t(n: N) { } }\n${laws}\nmain locus App { params { a: A = A { }; } claims { adopt Law; } }\n`,
    );
    const { evaluation } = JSON.parse((await scratch.hale(["check", "law.hl", "--dump-topology"])).stdout);
    return evaluation;
  };
  const base = "constitution Base { z: count publishers(topic T) == 1; }";
  const first = await evaluationOf(
    `${base}\nconstitution Law extends Base { one: count publishers(topic T) >= 1; two: count subscribers(topic T) == 1; }`,
  );
  expect(first.adopted).toEqual(["Base", "Law"]);
  expect(first.closure).toEqual(
    ["Base", "Law"].map((constitution) => ({ constitution, digest: expect.stringMatching(/^[0-9a-f]{16}$/) })),
  );
  const swapped = `constitution Law extends Base { two: count subscribers(topic T) == 1;\none: count publishers(topic T) >= 1; }\n${base}`;
  expect(await evaluationOf(swapped)).toEqual(first);
  const other = await evaluationOf(
    swapped.replace("z: count publishers(topic T) == 1", "z: count publishers(topic T) <= 1"),
  );
  expect(other.closure[1].digest).not.toBe(first.closure[1].digest);
});

test("the shape is that of the model: comments, places, claims and their names are not in it, the graph is (11b 11b.9)", async () => {
  const shapeOf = async (program: string): Promise<string> => {
    scratch.write("app.hl", program);
    return JSON.parse(await dump()).shape_hash;
  };
  const shape = await shapeOf(PROGRAM);
  expect(await shapeOf(`// Why.\n\n${PROGRAM}`)).toBe(shape);
  expect(await shapeOf(PROGRAM.replace("back: forbid", "behind: forbid"))).toBe(shape);
  expect(await shapeOf(PROGRAM.replace("tell(); }", "}"))).not.toBe(shape);
  expect(await shapeOf(PROGRAM.replace("{ Mill }", "{ Mill, charge }"))).not.toBe(shape);
  expect(await shapeOf(PROGRAM.replace("@sealed ", ""))).not.toBe(shape);
});

test("equal sources give equal bytes wherever they are checked; a broken law has an artifact, an error of another kind has none (11b 11b.9)", async () => {
  for (const place of ["a", "deep/b"]) {
    mkdirSync(path.join(scratch.tree, place, "src"), { recursive: true });
    writeFileSync(path.join(scratch.tree, place, "hale.toml"), "");
    writeFileSync(path.join(scratch.tree, place, "src", "app.hl"), PROGRAM);
  }
  expect(await dump("deep/b/src")).toBe(await dump("a/src"));
  scratch.write("law.hl", PROGRAM.replace("== 1", "== 2"));
  const broken = await scratch.hale(["check", "law.hl", "--dump-topology=law.json"]);
  expect(broken).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("claim `one`") });
  expect(JSON.parse(readFileSync(path.join(scratch.tree, "law.json"), "utf8"))).toMatchObject({
    verdict: "law_failed",
  });
  scratch.write("wrong.hl", "fn main() { let n: Int = true; }\n");
  const wrong = await scratch.hale(["check", "wrong.hl", "--dump-topology"]);
  expect(wrong).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("no topology of a program that has errors"),
  });
});

test("the gates: byte for byte, and by shape (11b 11b.9)", async () => {
  scratch.write("app.hl", PROGRAM);
  scratch.write("kept.json", await dump());
  const gate = (flag: string, file: string) =>
    scratch.hale(["verify", "app.hl", flag, file, "--no-warn-unbounded-alloc"]);
  expect(await gate("--check-topology", "kept.json")).toMatchObject({ code: 0 });
  scratch.write("app.hl", `// Why.\n${PROGRAM}`);
  const moved = await gate("--check-topology", "kept.json");
  expect(moved.code).toBe(1);
  expect(moved.stderr).toMatch(/the topology differs from kept\.json:\n- .*\n/);
  expect(await gate("--check-topology-shape", "kept.json")).toMatchObject({ code: 0 });
  scratch.write("app.hl", PROGRAM.replace("group books = { Ledger };", "group books = { Ledger, Intake };"));
  const changed = await gate("--check-topology-shape", "kept.json");
  expect(changed.code).toBe(1);
  expect(changed.stderr).toMatch(/the shape is [0-9a-f]{16}, in kept\.json it is [0-9a-f]{16}/);
  scratch.write(
    "edited.json",
    readFileSync(path.join(scratch.tree, "kept.json"), "utf8").replace('"Ledger"', '"Edited"'),
  );
  expect((await gate("--check-topology-shape", "edited.json")).code).toBe(2);
  expect((await gate("--check-topology-shape", "app.hl")).code).toBe(2);
  for (const flag of ["--check-topology", "--check-topology-shape"]) {
    expect((await gate(flag, "nowhere.json")).code).toBe(1);
    expect((await scratch.hale(["check", "app.hl", flag])).code).toBe(2);
    expect((await scratch.hale(["check", "--workspace", flag, "kept.json"])).code).toBe(2);
  }
  expect((await scratch.hale(["check", "--workspace", "--dump-topology"])).code).toBe(2);
});
