// `--env` of commands that compile (reference 11b 11b.8.6): the program is judged under the environment's law first.
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { complain } from "../output.ts";
import { reportFindings } from "../single-file.ts";
import { lawOf } from "./environments.ts";

/** The status that ends the command when an environment is named and the program may not go there; undefined: it may. */
export async function refusedByEnvironment(
  command: string,
  target: string,
  name: string | undefined,
): Promise<number | undefined> {
  if (name === undefined) return undefined;
  const law = lawOf(command, target, name);
  if ("problem" in law) return usage(law.problem);
  const door = await loadCompiler();
  const { diagnostics, model } = door.checkTarget(target, { mode: "program", analyses: law });
  if (model && !model.loci.some((locus) => locus.isMain))
    return usage(`${command}: ${target} is no entrypoint: it has no main locus of its own`);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return reportFindings(door, errors) ? undefined : EXIT.fault;
}

function usage(problem: string): number {
  complain(`${problem}\n`);
  return EXIT.usage;
}
