import { EXIT } from "./exit-status.ts";
import { complain, stdoutProblem } from "./output.ts";

/**
 * Ends the process with the status that `command` resolves to. A bug of the toolchain is told in words, with the status 70, never as a
 * bare stack trace.
 */
export async function exitWith(command: () => Promise<number>): Promise<never> {
  // Rejections that nobody handles arrive here too.
  process.on("uncaughtException", (error) => {
    reportBug(error);
    process.exit(EXIT.internal);
  });
  process.exit(settle(await command()));
}

/** The status with which the process ends when its command says `status`. */
function settle(status: number): number {
  const problem = stdoutProblem();
  if (problem === undefined || problem === "EPIPE") return status;
  complain(`hale: could not write to stdout: ${problem}\n`);
  return status === EXIT.success ? EXIT.fault : status;
}

function reportBug(error: unknown): void {
  complain(`hale: internal error: ${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env["HALE_DEBUG"] && error instanceof Error) complain(`${error.stack ?? ""}\n`);
  else
    complain(
      "This is a bug of the toolchain; please report it with the command and its input. HALE_DEBUG=1 shows where it happened.\n",
    );
}
