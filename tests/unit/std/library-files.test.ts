// The text of the standard library: every file parses, every public name is documented, every foreign function is an export of the runtime.
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile, renderDiagnostic } from "../../../compiler/source/index.ts";
import type { FunctionDecl } from "../../../compiler/syntax/ast.ts";
import { parseFile } from "../../../compiler/syntax/index.ts";

const library = join(import.meta.dirname, "../../../std");
const runtime = join(import.meta.dirname, "../../../dist/runtime.wasm");

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : path.endsWith(".hl") ? [path] : [];
  });
}

const files = filesBelow(library).map((path) => {
  const name = relative(library, path);
  const text = readFileSync(path, "utf8");
  return { name, text, ...parseFile(new SourceFile(`std/${name}`, text, true)) };
});

function foreignFunctions(): { file: string; fn: FunctionDecl }[] {
  return files.flatMap(({ name, ast }) =>
    ast.declarations.flatMap((declaration) =>
      declaration.kind === "function" && declaration.decorators.some((d) => d.name === "ffi")
        ? [{ file: name, fn: declaration }]
        : [],
    ),
  );
}

describe("the standard library", () => {
  it.each(files.map(({ name, diagnostics }) => [name, diagnostics] as const))("%s parses", (_, diagnostics) => {
    expect(diagnostics.map((diagnostic) => renderDiagnostic(diagnostic))).toEqual([]);
  });

  it("declares only foreign functions that the runtime exports", () => {
    const exports = new Set(
      WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(runtime))).map((entry) => entry.name),
    );
    const missing = foreignFunctions().filter(({ fn }) => !exports.has(fn.name.text));
    expect(missing.map(({ file, fn }) => `${file}: ${fn.name.text}`)).toEqual([]);
  });

  it("declares each foreign function with one signature", () => {
    const signatures = new Map<string, string>();
    const different: string[] = [];
    for (const { file, fn } of foreignFunctions()) {
      const text = files.find(({ name }) => name === file)?.text ?? "";
      const written = text.slice(fn.span.start, fn.span.end).replaceAll(/\w+:/g, ":");
      if ((signatures.get(fn.name.text) ?? written) !== written) different.push(`${file}: ${fn.name.text}`);
      signatures.set(fn.name.text, written);
    }
    expect(different).toEqual([]);
  });

  it("keeps foreign functions without an effect line clear of those with one", () => {
    // A doc comment is found by stepping up over lines that begin with `@` (01 1.7): the next function would inherit it.
    const inheriting = files.flatMap(({ name, text }) => {
      const lines = text.split("\n");
      return lines
        .filter((line, i) => {
          if (!line.startsWith("@ffi") || !lines[i - 1]?.startsWith("@")) return false;
          let at = i;
          while (lines[at - 1]?.startsWith("@")) at--;
          return lines[at - 1]?.startsWith("///") ?? false;
        })
        .map((line) => `${name}: ${line}`);
    });
    expect(inheriting).toEqual([]);
  });

  it("documents every public function with an example", () => {
    const bare: string[] = [];
    for (const { name, ast, text } of files) {
      if (name.startsWith("tests/")) continue;
      for (const declaration of ast.declarations) {
        if (declaration.kind !== "function" || declaration.name.text.startsWith("__")) continue;
        const before = text.slice(0, declaration.span.start).trimEnd().split("\n");
        let at = before.length;
        while (at > 0 && (before[at - 1] ?? "").startsWith("///")) at--;
        if (!before.slice(at).some((line) => line.startsWith("/// Example: ")))
          bare.push(`${name}: ${declaration.name.text}`);
      }
    }
    expect(bare).toEqual([]);
  });
});
