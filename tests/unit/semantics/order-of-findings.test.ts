// What is reported together, in which order and under which kind (08 5.1).
import { expect, test } from "vitest";
import { checkFiles } from "./support.ts";

function kinds(files: Readonly<Record<string, string>>, target: string): string[] {
  return checkFiles(files, target, "seed", { advisories: true }).diagnostics.map(
    ({ kind, severity, span, message }) => {
      const name = span?.file.path.split("/").at(-1);
      const line = span?.file.positionAt(span.start).line;
      return `${name}:${line} ${kind} ${severity}: ${message}`;
    },
  );
}

test("each phase has its kind (08 5.1.2)", () => {
  expect(kinds({ "a.hl": "fn f() { 'x' }\n" }, "a.hl").map((found) => found.split(":").slice(0, 2).join(":"))).toEqual([
    "a.hl:1 lex error error",
  ]);
  expect(kinds({ "a.hl": "fn f( { }\n" }, "a.hl")).toEqual([
    "a.hl:1 parse error error: expected the name of a parameter, found `{`",
  ]);
  expect(kinds({ "a.hl": "fn f() -> Int { return true; }\n" }, "a.hl")).toEqual([
    "a.hl:1 type error error: return: expected `Int`, got `Bool`",
  ]);
  const plain = 'fn f() { let name = "Bo"; println("hi {name}"); }\n';
  expect(kinds({ "a.hl": plain }, "a.hl").map((found) => found.split(":")[1])).toEqual(["1 warning warning"]);
  const [unread] = checkFiles({ "a.hl": "" }, "missing.hl", "seed").diagnostics;
  expect(unread?.kind).toBe("io error");
});

test("a syntax error in one file stops the checks of the whole program; within a phase, files and places are in order (08 5.1.4)", () => {
  const wrong = "fn g() -> Int { return true; }\nfn h() { let x: Int = 1.5; }\n";
  const broken = "fn one( { }\nfn two() { let }\n";
  const found = kinds({ "seed/b.hl": wrong, "seed/a.hl": "fn f() { nowhere(); }\n" }, "seed");
  expect(found).toEqual([
    "a.hl:1 type error error: unknown name `nowhere`",
    "b.hl:1 type error error: return: expected `Int`, got `Bool`",
    "b.hl:2 type error error: expected `Int`, got `Float`",
  ]);
  expect(kinds({ "seed/b.hl": wrong, "seed/a.hl": broken }, "seed").map((line) => line.slice(0, 18))).toEqual([
    "a.hl:1 parse error",
    "a.hl:2 parse error",
  ]);
});
