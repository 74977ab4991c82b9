import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SourceFile } from "../../../compiler/source/index.ts";

const root = path.resolve(import.meta.dirname, "../../conformance");

/** Every `.hl` file of the conformance programs. */
export function hlFiles(): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".hl"))
    .sort()
    .map((name) => new SourceFile(path.join(root, name), readFileSync(path.join(root, name), "utf8")));
}

/** One line of a program's header, `// key: value`. */
export function header({ text }: SourceFile, key: string): string | undefined {
  return new RegExp(`^// ${key}: (.*)$`, "m").exec(text)?.[1];
}
