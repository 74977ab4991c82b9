// What the library says of its effects (`/// effects: ..`) is what its code does (reference 10 section 14, 11 11.9).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkTarget, libraryFiles } from "../../../compiler/index.ts";
import { factsOf } from "../../../compiler/analysis/body-facts.ts";
import { builtIn, NONE } from "../../../compiler/analysis/classes.ts";
import { Effects } from "../../../compiler/analysis/effects.ts";
import { statedEffects } from "../../../compiler/analysis/library-effects.ts";
import type { TypedFunction, TypedProgram } from "../../../compiler/semantics/index.ts";

const CLASSES = ["syscall", "block", "time", "entropy", "env"] as const;

/** Where the reference decides, or the runtime's function waits only when it is told to. */
const DECIDED: ReadonlySet<string> = new Set([
  // 10 14: syscall, though it touches nothing; time, too; every member of the namespace.
  "std::io::fs::extension",
  "std::time::sleep",
  "std::time::__sleep",
  "std::io::stdin::read_line_status",
  "std::diag::syscall_count",
  "std::process::dump_pool_residency",
  "std::process::dump_arena_residency",
  // 10 14: syscall and block, though a deadline is measured, and a full pipe or socket may wait.
  "std::io::tcp::connect_wait",
  "std::io::unix::connect_wait",
  "std::http::write_response",
  "std::http::__send_request",
  // The runtime's function waits when its last argument says so.
  "std::process::wait",
  "std::process::__pipe_read",
  // 10 12.6: secret_use alone; `ready` nothing.
  "std::secret::Credential.ready",
  "std::secret::Credential.matches",
  "std::secret::Credential.fingerprint",
  "std::secret::Credential.write_private",
]);

/** A program that names every public function of the library without type parameters, and builds every locus whose params all have defaults. */
function everything(): string {
  const lines: string[] = [];
  for (const { namespace, ast } of libraryFiles()) {
    if (namespace === "prelude") continue;
    for (const declaration of ast.declarations) {
      if (declaration.kind !== "function" && declaration.kind !== "locus") continue;
      const name = declaration.name.text;
      if (name.startsWith("__") || declaration.generics.length > 0) continue;
      if (declaration.kind === "function") lines.push(callOf(namespace, declaration));
      else
        lines.push(
          ...declaration.members.flatMap((member) =>
            member.kind === "function" ? [methodCall(namespace, name, member)] : [],
          ),
        );
    }
  }
  return `${lines.map((line, i) => `fn use${i}${line}`).join("\n")}\nfn main() { }\n`;
}

type FunctionDecl = Extract<
  ReturnType<typeof libraryFiles>[number]["ast"]["declarations"][number],
  { kind: "function" }
>;

function callOf(namespace: string, decl: FunctionDecl): string {
  return wrapper(namespace, [], `std::${namespace}::${decl.name.text}`, decl);
}

function methodCall(namespace: string, locus: string, decl: FunctionDecl): string {
  return wrapper(namespace, [`it_: std::${namespace}::${locus}`], `it_.${decl.name.text}`, decl);
}

/** A function that passes its parameters on. Types of the library's own namespace are written with their path. */
function wrapper(namespace: string, before: readonly string[], callee: string, decl: FunctionDecl): string {
  const own = new Set(
    libraryFiles()
      .find((file) => file.namespace === namespace)
      ?.ast.declarations.flatMap((each) => ("name" in each ? [each.name.text] : [])),
  );
  const typeText = (span: { readonly file: { readonly text: string }; readonly start: number; readonly end: number }) =>
    span.file.text
      .slice(span.start, span.end)
      .replace(/(?<![\w:])[A-Z]\w*/g, (name) => (own.has(name) ? `std::${namespace}::${name}` : name));
  const params = [...before, ...decl.params.map(({ name, type }) => `p_${name.text}: ${typeText(type.span)}`)];
  const call = `${callee}(${decl.params.map(({ name }) => `p_${name.text}`).join(", ")})`;
  const isUnit = !decl.result || typeText(decl.result.span) === "()";
  const or = decl.fallible ? (isUnit ? " or discard" : " or raise") : "";
  const failure = decl.fallible && !isUnit ? ` fallible(${typeText(decl.fallible.span)})` : "";
  return `(${params.join(", ")})${isUnit ? "" : ` -> ${typeText(decl.result?.span ?? decl.span)}`}${failure} { ${isUnit ? "" : "return "}${call}${or}; }`;
}

function program(): TypedProgram {
  const directory = mkdtempSync(path.join(tmpdir(), "hale-effects-"));
  try {
    const file = path.join(directory, "main.hl");
    // What cannot be written so is left out, line by line.
    let lines = everything().split("\n");
    for (;;) {
      writeFileSync(file, lines.join("\n"));
      const { model, diagnostics } = checkTarget(file, { mode: "program" });
      if (model) return model;
      const bad = new Set(
        diagnostics.map(({ span }) => (span && !span.file.isStd ? span.file.positionAt(span.start).line - 1 : -1)),
      );
      if (bad.has(-1) || bad.size === 0)
        throw new Error(`the library is not sound: ${diagnostics.map(({ message }) => message).join("; ")}`);
      lines = lines.filter((_, i) => !bad.has(i));
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What the body has, its own statement aside. */
function done(effects: Effects, fn: TypedFunction): string[] {
  let set = NONE;
  for (const event of factsOf(fn).events) {
    set |= effects.ownClasses(event, fn);
    if (event.kind === "call")
      for (const target of effects.targetsOf(event, fn).functions) if (target !== fn) set |= effects.reached(target);
    if (event.kind === "const") set |= effects.reached(event.function);
  }
  return CLASSES.filter((name) => (set & builtIn(name)) !== NONE);
}

test("every statement is what the body does (10 14)", () => {
  const checked = program();
  const effects = new Effects(checked);
  const library = checked.functions.filter((fn) => fn.span.file.isStd && fn.body);
  expect(library.length).toBeGreaterThan(300);
  const wrong: string[] = [];
  for (const fn of library) {
    const stated = statedEffects(fn);
    if (!stated || DECIDED.has(fn.name)) continue;
    const told = CLASSES.filter((name) => stated.includes(name));
    const found = done(effects, fn);
    if (told.join() !== found.join()) wrong.push(`${fn.name} states {${told.join(", ")}}, does {${found.join(", ")}}`);
  }
  expect(wrong).toEqual([]);
});
