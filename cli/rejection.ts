import type { Rejection } from "./compile-outcome.ts";

/** Why there is no executable, as lines for stderr. `source` is the path as the user wrote it, `output` that of the executable if he named one. */
export function rejectionText(command: string, source: string, rejection: Rejection, output?: string): string {
  switch (rejection.kind) {
    case "rejected":
      return `${rejection.all}\n`;
    case "unreadable":
      return `${command}: could not read ${source}: ${rejection.message}\n`;
    case "no-sources":
      return `no .hl files in ${source}\n`;
    case "unwritable":
      return `${command}: could not write ${output ?? rejection.file}: ${rejection.message}\n`;
    case "failed":
      return `${command}: ${rejection.message}\n`;
  }
}
