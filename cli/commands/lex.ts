import type { Arguments } from "../arguments.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { print } from "../output.ts";
import { readOperand, reportFindings } from "../single-file.ts";

/** `hale lex` (reference 08 15): one token a line. */
export async function lex(given: Arguments<never>): Promise<number> {
  const door = await loadCompiler();
  const file = readOperand(door, "lex", given.operands);
  if (typeof file === "number") return file;
  const { tokens, diagnostics } = door.lex(file);
  let text = "";
  // The last one marks the end of the file.
  for (let index = 0; index < tokens.count - 1; index++) {
    const { line, column } = file.positionAt(tokens.starts[index] ?? 0);
    text += `${String(line).padStart(4)}:${String(column).padEnd(3)} ${door.describeToken(tokens, index)}\n`;
  }
  print(text);
  return reportFindings(door, diagnostics) ? EXIT.success : EXIT.fault;
}
