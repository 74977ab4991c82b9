import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Arguments } from "../arguments.ts";
import type { FMT } from "../catalog.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { temporaryBeside } from "../replacement.ts";
import { complain, print, systemMessage, visible } from "../output.ts";
import { type FoundFile, findFiles, statOf } from "../source-files.ts";

type Door = Awaited<ReturnType<typeof loadCompiler>>;

/** A file whose canonical text is another one. */
interface Change {
  readonly file: FoundFile;
  readonly before: string;
  readonly after: string;
}

/** `hale fmt` (reference 02 1). */
export async function fmt(given: Arguments<keyof typeof FMT.flags>): Promise<number> {
  const door = await loadCompiler();
  if (given.has("stdin")) return formatStdin(door);
  const { files, isComplete } = filesOf(given.operands);
  const changes: Change[] = [];
  let sound = isComplete;
  for (const file of files) {
    const change = changeOf(door, file);
    if (change === "broken") sound = false;
    else if (change) changes.push(change);
  }
  const isTrial = given.has("check") || given.has("diff");
  if (given.has("diff")) print(changes.map(diffOf).join(""));
  if (given.has("check")) print(changes.map(({ file }) => `${visible(file.shown)}\n`).join(""));
  if (!isTrial) for (const change of changes) if (!write(change)) sound = false;
  return sound && !(given.has("check") && changes.length > 0) ? EXIT.success : EXIT.fault;
}

/** Only `.hl` files count. A path that does not exist is told and changes nothing else. */
function filesOf(operands: readonly string[]): { files: readonly FoundFile[]; isComplete: boolean } {
  const targets = operands.length > 0 ? operands : [process.cwd()];
  for (const target of targets) if (!existsSync(target)) complain(`hale fmt: ${target} not found\n`);
  const { files, problems } = findFiles(
    targets.filter((target) => existsSync(target) && (target.endsWith(".hl") || statOf(target)?.isDirectory())),
    { file: (name) => name.endsWith(".hl"), skipped: ["vendor", "node_modules"] },
  );
  for (const problem of problems) complain(`hale fmt: ${problem}\n`);
  return { files, isComplete: problems.length === 0 };
}

function changeOf(door: Door, file: FoundFile): Change | "broken" | undefined {
  const read = door.readSource(file.canonical);
  if ("problem" in read) {
    complain(`hale fmt: could not read ${file.shown}: ${read.problem.message}\n`);
    return "broken";
  }
  const result = door.formatSource(read.file);
  if ("lexErrors" in result) {
    complain(`hale fmt: ${file.shown}: does not lex — skipped\n`);
    return "broken";
  }
  if ("internalError" in result) {
    complain(`hale fmt: ${file.shown}: internal error: ${result.internalError}; the file is left as it is\n`);
    return "broken";
  }
  const before = read.file.text;
  return result.text === before ? undefined : { file, before, after: result.text };
}

/** Writes through a temporary file, so that no failure can cost the source. */
function write({ file, after }: Change): boolean {
  const { canonical, shown } = file;
  const temporary = temporaryBeside(canonical);
  try {
    writeFileSync(temporary, after);
    chmodSync(temporary, statSync(canonical).mode & 0o7777);
    renameSync(temporary, canonical);
  } catch (error) {
    rmSync(temporary, { force: true });
    complain(`hale fmt: could not write ${shown}: ${systemMessage(error)}\n`);
    return false;
  }
  print(`formatted ${visible(shown)}\n`);
  return true;
}

/** Lines paired by their number; one that is missing counts as empty. */
function diffOf({ file, before, after }: Change): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let text = `--- ${visible(file.shown)}\n`;
  for (let index = 0; index < Math.max(old.length, now.length); index++) {
    const left = old[index] ?? "";
    const right = now[index] ?? "";
    if (left !== right) text += `${index + 1}: - ${left}\n${index + 1}: + ${right}\n`;
  }
  return text;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function formatStdin(door: Door): number {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(0));
  } catch (error) {
    complain(
      `hale fmt: could not read <stdin>: ${error instanceof TypeError ? "not valid UTF-8" : systemMessage(error)}\n`,
    );
    return EXIT.fault;
  }
  const result = door.formatSource(new door.SourceFile("<stdin>", text));
  if ("text" in result) {
    print(result.text);
    return EXIT.success;
  }
  if ("internalError" in result) complain(`hale fmt: internal error: ${result.internalError}\n`);
  else complain(result.lexErrors.map((each) => `hale fmt: ${door.renderDiagnostic(each)}\n`).join(""));
  return EXIT.fault;
}
