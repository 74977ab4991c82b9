// Room: the command line.
// In:  arguments, environment, files, signals.
// Out: reports and listings on stdout, diagnostics and progress on stderr, an exit status.
// Never knows the language; the compiler is loaded only by commands that find work for it.
import { stdoutProblem, complain } from "./output.ts";
import { EXIT } from "./exit-status.ts";
import { dispatch } from "./dispatch.ts";

process.on("uncaughtException", (error) => {
  reportBug(error);
  process.exit(EXIT.internal);
});

process.exit(settle(await dispatch(process.argv.slice(2))));

/** The status with which the process ends when its command says `status`. */
function settle(status: number): number {
  const problem = stdoutProblem();
  if (problem === undefined || problem === "EPIPE") return status;
  complain(`hale: could not write to stdout: ${problem}\n`);
  return status === EXIT.success ? EXIT.fault : status;
}

function reportBug(error: unknown): void {
  const words = error instanceof Error ? error.message : String(error);
  complain(`hale: internal error: ${words}\n`);
  if (process.env["HALE_DEBUG"] && error instanceof Error) complain(`${error.stack ?? ""}\n`);
  else
    complain(
      "This is a bug of the toolchain; please report it with the command and its input (HALE_DEBUG=1 shows where it happened).\n",
    );
}
