// `hale fetch` (reference 08 4), with repositories of this machine.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { realTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(realTool);

function git(directory: string, ...args: string[]): string {
  const identity = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, "-C", directory, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
}

/** A repository with one file, `geo.hl`, whose function answers the number of the commit; commits 1 (tagged v1) and 2. */
function repository(): { url: string; commit: (n: number) => string } {
  const directory = path.join(scratch.root, "geo.git");
  mkdirSync(directory);
  git(directory, "init", "--quiet");
  const commit = (n: number): string => {
    writeFileSync(path.join(directory, "geo.hl"), `fn which() -> Int { return ${n}; }\n`);
    git(directory, "add", ".");
    git(directory, "commit", "--quiet", "-m", `${n}`);
    return git(directory, "rev-parse", "HEAD");
  };
  commit(1);
  git(directory, "tag", "v1");
  git(directory, "branch", "old");
  commit(2);
  return { url: `file://${directory}`, commit };
}

const MAIN = 'import "vendor/geo" as geo;\nfn main() {\n    println(geo::which());\n}\n';

const fetched = async (toml: string) => {
  scratch.write("hale.toml", toml);
  return scratch.hale(["fetch"]);
};
const printed = async () => (await scratch.hale(["run", "."])).stdout;
const lock = () => readFileSync(path.join(scratch.tree, "hale.lock"), "utf8");

test("each package is a checkout in vendor/, is imported by its path, and its commit is in hale.lock (08 4.2, 08 4.3, 08 4.4)", async () => {
  const { url, commit } = repository();
  scratch.write("main.hl", MAIN);
  scratch.write("app/deep/main.hl", MAIN);
  expect(await fetched(`[deps]\ngeo = { git = "${url}" } # the default branch\n`)).toEqual({
    code: 0,
    signal: null,
    stdout: "wrote hale.lock\n",
    stderr: "",
  });
  const sha = git(path.join(scratch.root, "geo.git"), "rev-parse", "HEAD");
  expect(lock()).toBe(`[[dep]]\nname = "geo"\ngit = "${url}"\nsha = "${sha}"\n`);
  expect(await printed()).toBe("2\n");
  expect((await scratch.hale(["run", "app/deep"])).stdout).toBe("2\n");
  const first = git(path.join(scratch.root, "geo.git"), "rev-parse", "v1");
  for (const revision of ['tag = "v1"', 'branch = "old"', `rev = "${first}"`]) {
    expect(await fetched(`[deps]\ngeo = { git = "${url}", ${revision} }\n`)).toMatchObject({ code: 0, stderr: "" });
    expect(lock()).toContain(`sha = "${first}"`);
    expect(await printed()).toBe("1\n");
  }
  const third = commit(3);
  expect(await fetched(`[deps.geo]\ngit = "${url}"\nbranch = "main"\n`)).toMatchObject({ code: 0, stderr: "" });
  expect(lock()).toContain(`sha = "${third}"`);
  expect(await printed()).toBe("3\n");
  expect(readdirSync(path.join(scratch.tree, "vendor"))).toEqual(["geo"]);
}, 120_000);

test("a commit is checked out in a new clone; a second root is fetched from outside (08 4.3)", async () => {
  const { url } = repository();
  const first = git(path.join(scratch.root, "geo.git"), "rev-parse", "v1");
  scratch.write("app/hale.toml", `[deps]\ngeo = { git = "${url}", rev = "${first}" }\n`);
  scratch.write("app/main.hl", MAIN);
  expect(await scratch.hale(["fetch", "app"])).toMatchObject({ code: 0, stdout: "wrote app/hale.lock\n", stderr: "" });
  expect((await scratch.hale(["run", "app"])).stdout).toBe("1\n");
}, 60_000);

test("what fails is told, leaves no half of a checkout and no lock, and the others are fetched (08 4.3)", async () => {
  const { url } = repository();
  scratch.write("vendor/mine/notes.txt", "mine");
  const gone = `file://${scratch.root}/gone.git`;
  const { code, stdout, stderr } = await fetched(
    `[deps]\ngeo = { git = "${url}" }\ngone = { git = "${gone}" }\nmine = { git = "${url}" }\ntag = { git = "${url}", tag = "v9" }\n`,
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^hale fetch: gone: /m);
  expect(stderr).toMatch(/^hale fetch: mine: vendor\/mine is there and is not a git checkout$/m);
  expect(stderr).toMatch(/^hale fetch: tag: .*v9/m);
  expect(readdirSync(path.join(scratch.tree, "vendor")).sort()).toEqual(["geo", "mine"]);
  expect(existsSync(path.join(scratch.tree, "hale.lock"))).toBe(false);
}, 60_000);

test("a damaged checkout does not lead to the repository around it (08 4.3)", async () => {
  const { url } = repository();
  git(scratch.tree, "init", "--quiet");
  scratch.write("kept.txt", "kept");
  git(scratch.tree, "add", ".");
  git(scratch.tree, "commit", "--quiet", "-m", "mine");
  mkdirSync(path.join(scratch.tree, "vendor", "geo", ".git"), { recursive: true });
  const { code, stderr } = await fetched(`[deps]\ngeo = { git = "${url}" }\n`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^hale fetch: geo: .*not a git repository/);
  expect(git(scratch.tree, "remote")).toBe("");
  expect(git(scratch.tree, "symbolic-ref", "--short", "HEAD")).toBe("main");
});

test("nothing to fetch, no manifest, too many directories (08 4.1, 08 4.3)", async () => {
  expect(await scratch.hale(["fetch"])).toMatchObject({ code: 1, stdout: "", stderr: "hale fetch: no hale.toml\n" });
  for (const toml of ["", "[deps]\n", '[environments.live]\nconstitution = "C"\n'])
    expect(await fetched(toml)).toMatchObject({ code: 0, stdout: "hale.toml has no deps; nothing to fetch\n" });
  expect(readdirSync(scratch.tree)).toEqual(["hale.toml"]);
  expect((await scratch.hale(["fetch", "a", "b"])).code).toBe(2);
});

test.each([
  ["[deps]\nx = 1\n", 'deps.x is a table: x = { git = ".." }'],
  ["[deps]\nx = { }\n", "deps.x states no `git`"],
  ['[deps]\nx = { git = "u", rev = "a", tag = "b" }\n', "deps.x states more than one of `rev`, `tag` and `branch`"],
  ['[deps]\nx = { git = "u", version = "1" }\n', "deps.x: unknown key `version`"],
  ['[deps]\nx = { git = "--upload-pack=touch y" }\n', "deps.x.git is a text that does not begin with `-`"],
  ['[deps]\n"../x" = { git = "u" }\n', "deps.../x: the name is letters, digits, `_`, `-` and `.`"],
])("a manifest that says something else is refused: %j (08 4.2)", async (toml, words) => {
  expect(await fetched(toml)).toMatchObject({ code: 1, stdout: "", stderr: `hale fetch: hale.toml: ${words}\n` });
  expect(readdirSync(scratch.tree)).toEqual(["hale.toml"]);
});

test("a manifest that cannot be parsed is told with its line (08 4.2)", async () => {
  expect((await fetched('[deps]\nx = { git = "u"\n')).stderr).toMatch(/^hale fetch: hale\.toml:2: /);
});

test("packages in hale.toml do not stand in the way of --env (08 4.2)", async () => {
  scratch.write("hale.toml", '[deps]\nx = { git = "u" }\n');
  scratch.write("main.hl", MAIN.replace(/import.*\n/, "").replace("geo::which()", "1"));
  expect((await scratch.hale(["check", "--env", "live", "."])).stderr).toContain("no environment `live`");
});
