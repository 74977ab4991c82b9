import type { Prepared } from "./prepare.ts";

/** Why there is no executable, as lines for stderr. `source` is the path as the user wrote it. */
export function rejectionText(command: string, source: string, prepared: Exclude<Prepared, { kind: "ready" }>): string {
  switch (prepared.kind) {
    case "rejected":
      return `${prepared.text}\n`;
    case "unreadable":
      return `${command}: could not read ${source}: ${prepared.message}\n`;
    case "no-sources":
      return `no .hl files in ${source}\n`;
    case "failed":
      return `${command}: ${prepared.message}\n`;
  }
}
