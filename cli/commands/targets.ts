import { EXIT } from "../exit-status.ts";
import { print } from "../output.ts";
import { defaultTarget, TARGETS } from "../targets.ts";

/** `hale targets` (reference 08 15). */
export async function targets(): Promise<number> {
  for (const { name, summary } of TARGETS) {
    print(`${name.padEnd(8)}${summary}${name === defaultTarget() ? " (default)" : ""}\n`);
  }
  return EXIT.success;
}
