// `hale doc` (reference 08 14).
import { expect, test } from "vitest";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { realTool, scratch, useScratch } from "./support/scratch.ts";

useScratch(realTool);

const SOURCE = `/// Half of a number.
/// Rounds down.
fn half(n: Int) -> Int { return n / 2; }

/// Not above: a blank line follows.

type Point { x: Int; tags: [Int; 2]; }
type Color = enum { Red, Custom(Int), };
/// A unit.
@sealed
locus Box {
    params { w: Int = 1; kind: lib::Kind; }
    /// Its
    /// size.
    fn size(by: Int = 2) -> Int fallible(String) { return self.w * by; }
    fn __hidden() { }
    run() { }
}
interface Sized { fn size(by: Int) -> Int fallible(String); }
topic Sizes { payload: Point; keyed_by x; }
const LIMIT: Int = 3;
fn __private() { }
fn main() { }
`;

test("a heading a file, an entry a declaration, members of a locus (08 14.2, 08 14.3)", async () => {
  scratch.write("src/b.hl", SOURCE);
  scratch.write("src/a_test.hl", "fn main() { }\n");
  scratch.write("src/empty.hl", "fn main() { }\n");
  const result = await scratch.hale(["doc", "src"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toBe(`# API — src

## src/b.hl

### half

\`\`\`hale
fn half(n: Int) -> Int
\`\`\`

Half of a number.
Rounds down.

### Point

\`\`\`hale
type Point { x: Int; tags: …; }
\`\`\`

### Color

\`\`\`hale
type Color = enum { Red | Custom }
\`\`\`

### Box

\`\`\`hale
locus Box { params { w: Int; kind: lib::Kind } }
\`\`\`

A unit.

- \`fn size(by: Int) -> Int fallible(String)\` — Its size.

### Sized

\`\`\`hale
interface Sized { fn size(by: Int) -> Int fallible(String); }
\`\`\`

### Sizes

\`\`\`hale
topic Sizes { payload: Point; keyed_by x }
\`\`\`

### LIMIT

\`\`\`hale
const LIMIT: Int
\`\`\`
`);
});

test("--json: keys in order, [] for nothing (08 14.5)", async () => {
  scratch.write("a.hl", "/// One.\nconst ONE: Int = 1;\n");
  scratch.write("none.hl", "fn main() { }\n");
  expect((await scratch.hale(["doc", "--json", "a.hl"])).stdout).toBe(`[
  {
    "doc": "One.",
    "file": "a.hl",
    "kind": "const",
    "members": [],
    "name": "ONE",
    "signature": "const ONE: Int"
  }
]
`);
  expect((await scratch.hale(["doc", "--json", "none.hl"])).stdout).toBe("[]\n");
});

test("what does not parse is skipped and told, the rest is shown (08 14.6)", async () => {
  scratch.write("src/a.hl", "const ONE: Int = 1;\n");
  scratch.write("src/b.hl", "const = 1;\n");
  const result = await scratch.hale(["doc", "src"]);
  expect(result).toMatchObject({ code: 1, stderr: "hale doc: src/b.hl: does not parse — skipped\n" });
  expect(result.stdout).toContain("### ONE");
});

test("missing targets, unknown flags, -o without a path, -o (08 14.1, 08 14.8)", async () => {
  expect(await scratch.hale(["doc", "nowhere"])).toEqual({
    ...(await scratch.hale(["doc", "nowhere"])),
    code: 1,
    stdout: "",
    stderr: "hale doc: nowhere not found\n",
  });
  expect(await scratch.hale(["doc", "--frob"])).toMatchObject({ code: 2, stdout: "" });
  expect(await scratch.hale(["doc", "-o"])).toMatchObject({ code: 2, stdout: "" });
  const file = scratch.write("a.hl", "const ONE: Int = 1;\n");
  const out = path.join(path.dirname(file), "api.md");
  expect(await scratch.hale(["doc", "a.hl", "-o", "api.md"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "wrote api.md\n",
  });
  expect(readFileSync(out, "utf8")).toMatch(/^# API — a\.hl\n/);
});

test("--html is one page that loads nothing, with text escaped", async () => {
  scratch.write("a.hl", '/// Less than: 1 < 2 & "so".\nfn f(a: Int) -> Bool { return a < 2; }\n');
  const page = (await scratch.hale(["doc", "--html", "a.hl"])).stdout;
  expect(page).toContain("Less than: 1 &lt; 2 &amp; &quot;so&quot;.");
  expect(page).not.toMatch(/(?:src|href)="(?!#)/);
  expect(page).toMatch(/^<!doctype html>/);
});

/** What the page's script sees of a page: as much as it asks for. */
function fakePage(page: string) {
  const element = (text: string) => ({
    hidden: false,
    textContent: text,
    value: "",
    listeners: new Map<string, (event?: object) => void>(),
  });
  const withListeners = (text: string) => {
    const made = element(text);
    return {
      ...made,
      addEventListener: (name: string, listener: (event?: object) => void) => made.listeners.set(name, listener),
      listeners: made.listeners,
    };
  };
  const articles = [...page.matchAll(/<article[\s\S]*?<\/article>/g)].map(([text]) =>
    element(text.replace(/<[^>]*>/g, " ")),
  );
  const section = { ...element(""), querySelector: () => articles.find(({ hidden }) => !hidden) ?? null };
  const search = withListeners("");
  const count = element("");
  const keys = withListeners("");
  const document = {
    getElementById: (id: string) => (id === "search" ? search : count),
    querySelectorAll: (selector: string) => (selector === "article" ? articles : [section]),
    addEventListener: keys.addEventListener,
    activeElement: undefined,
  };
  const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(page) ?? [];
  runInNewContext(script, { document });
  const type = (text: string) => {
    search.value = text;
    search.listeners.get("input")?.();
    return {
      shown: articles.filter(({ hidden }) => !hidden).length,
      count: count.textContent,
      hidesSection: section.hidden,
    };
  };
  return { type, escape: () => keys.listeners.get("keydown")?.({ key: "Escape" }), articles };
}

test("--html: its search shows what has all the words, and everything again when it is empty", async () => {
  scratch.write("a.hl", SOURCE);
  const page = fakePage((await scratch.hale(["doc", "--html", "a.hl"])).stdout);
  expect(page.articles.length).toBe(7);
  expect(page.type("HALF down")).toEqual({ shown: 1, count: "1 of 7", hidesSection: false });
  expect(page.type("size")).toMatchObject({ shown: 3 });
  expect(page.type("nowhere")).toEqual({ shown: 0, count: "0 of 7", hidesSection: true });
  page.escape();
  expect(page.type("")).toEqual({ shown: 7, count: "", hidesSection: false });
});

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome", "headless_shell"];
const browser = BROWSERS.find((name) => spawnSync(name, ["--version"]).error === undefined);

test.skipIf(browser === undefined)(
  `--html in a browser, as wide as a phone${browser === undefined ? " (skipped: no Chromium or Chrome is on this machine)" : `: ${browser}`}`,
  async () => {
    scratch.write("a.hl", SOURCE);
    const page = (await scratch.hale(["doc", "--html", "a.hl"])).stdout;
    const probe = `<script>
search.value = "half"; search.dispatchEvent(new Event("input"));
const shown = [...document.querySelectorAll("article")].filter((node) => node.offsetHeight > 0).length;
document.title = "shown " + shown + " wide " + (document.documentElement.scrollWidth > innerWidth);
</script></body>`;
    const file = scratch.write("page.html", page.replace("</body>", probe));
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--window-size=360,800",
      "--dump-dom",
      `file://${file}`,
    ];
    expect(spawnSync(browser ?? "", args, { encoding: "utf8" }).stdout).toContain("<title>shown 1 wide false</title>");
  },
  180_000,
);

test("--stdlib has a heading a namespace and full names (08 14.7)", async () => {
  const { stdout, code } = await scratch.hale(["doc", "--stdlib"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# API — std\n/);
  expect(stdout).toMatch(/^## std::str\n/m);
  expect(stdout).toMatch(/^### std::test::assert_eq_int\n/m);
  expect(stdout).not.toMatch(/^### .*::__/m);
});

test("docs/std.md is what --stdlib says, and names what the library lacks", async () => {
  const { stdout } = await scratch.hale(["doc", "--stdlib"]);
  const root = path.resolve(import.meta.dirname, "../..");
  const written = readFileSync(path.join(root, "docs/std.md"), "utf8");
  expect(written === stdout, "run `bin/hale doc --stdlib -o docs/std.md`").toBe(true);
  expect(stdout).toMatch(/^## not supported yet\n/m);
  expect(stdout).toMatch(/^std::ts::parse_go$/m);
});

test("a report takes no source's place", async () => {
  const source = scratch.write("a.hl", SOURCE);
  expect(await scratch.hale(["doc", "-o", "a.hl"])).toMatchObject({
    code: 1,
    stderr: "hale doc: could not write a.hl: a.hl is a Hale source\n",
  });
  expect((await scratch.hale(["test", "--junit", "a.hl"])).code).toBe(2);
  expect(readFileSync(source, "utf8")).toBe(SOURCE);
});
