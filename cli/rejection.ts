import type { Rejection } from "./compile-outcome.ts";

/** Why there is no executable, as lines for stderr. `source` is the path as the user wrote it. */
export function rejectionText(command: string, source: string, rejection: Rejection): string {
  switch (rejection.kind) {
    case "rejected":
      return `${rejection.all}\n`;
    case "unreadable":
      return `${command}: could not read ${source}: ${rejection.message}\n`;
    case "no-sources":
      return `no .hl files in ${source}\n`;
    case "failed":
      return `${command}: ${rejection.message}\n`;
  }
}
