// Rules that need every body checked. Each looks at the typed program by itself; their order does not matter.
import type { Context } from "../context.ts";
import { checkBorrows } from "./borrows.ts";
import { checkBusCycles } from "./bus-cycles.ts";
import { checkConstruction } from "./construction.ts";
import { checkRevealedSecrets } from "./revealed-secrets.ts";
import { checkSupervision } from "./supervision.ts";
import { checkThreads } from "./threads.ts";

export function checkWholeProgram(cx: Context): void {
  checkConstruction(cx);
  checkBorrows(cx);
  checkBusCycles(cx);
  checkSupervision(cx);
  checkThreads(cx);
  checkRevealedSecrets(cx);
}
