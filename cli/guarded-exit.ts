import { EXIT } from "./exit-status.ts";
import { complain, errorCode, stdoutProblem, systemMessage } from "./output.ts";

/** What the system may refuse at any moment, which is no bug. */
const LIMITS: Partial<{ [code: string]: string }> = {
  EMFILE: "the limit on open files is too low",
  ENFILE: "the system's limit on open files is reached",
  EAGAIN: "the limit on processes or threads is reached",
  ENOMEM: "out of memory",
  ENOSPC: "the disk is full",
};

/**
 * Ends the process with the status that `command` resolves to. A bug of the toolchain is told in words, with the status 70, never as a
 * bare stack trace.
 */
export async function exitWith(command: () => Promise<number>): Promise<never> {
  // Rejections that nobody handles arrive here too.
  process.on("uncaughtException", (error) => {
    const limit = LIMITS[errorCode(error)];
    if (limit === undefined) reportBug(error);
    else complain(`hale: ${limit}: ${systemMessage(error)}\n`);
    process.exit(limit === undefined ? EXIT.internal : EXIT.fault);
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
