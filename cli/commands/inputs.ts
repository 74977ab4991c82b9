import type { Arguments } from "../arguments.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { complain, print } from "../output.ts";
import { reportFindings } from "../single-file.ts";

/** `hale inputs` (reference 08 15): the files that a build of the target would read. */
export async function inputs(given: Arguments<never>): Promise<number> {
  const [target] = given.operands;
  if (target === undefined || given.operands.length > 1) {
    complain(`hale inputs takes one target, got ${given.operands.length}\n`);
    return EXIT.usage;
  }
  const door = await loadCompiler();
  const { reads, diagnostics } = door.checkTarget(target, { mode: "seed" });
  print(reads.map((file) => `${file}\n`).join(""));
  // What is wrong inside of a file does not matter here; a file that is missing does.
  const missing = diagnostics.filter(({ code }) => code.startsWith("E02"));
  return reportFindings(door, missing) ? EXIT.success : EXIT.fault;
}
