import { existsSync } from "node:fs";
import { checkMatrix } from "../checking/matrix.ts";
import { lawOf } from "../checking/environments.ts";
import { reportIn } from "../checking/findings-report.ts";
import { CHECK_GATE, type Gate, VERIFY_GATE } from "../checking/gate.ts";
import { checkOne, type TargetRun } from "../checking/one-target.ts";
import { type CheckArguments, readRequest } from "../checking/request.ts";
import { checkWorkspace } from "../checking/workspace.ts";
import { loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { complain } from "../output.ts";

/** `hale check` (reference 08 7): errors fail. */
export function check(given: CheckArguments): Promise<number> {
  return checkWith(CHECK_GATE, given);
}

/** `hale verify` (reference 08 8): any finding fails. */
export function verify(given: CheckArguments): Promise<number> {
  return checkWith(VERIFY_GATE, given);
}

async function checkWith(gate: Gate, given: CheckArguments): Promise<number> {
  const request = readRequest(given);
  if ("problem" in request) return usage(`hale ${gate.name}: ${request.problem}`);
  const isMany = given.has("workspace") || given.has("matrix");
  const [target] = request.operands;
  if (!isMany && target === undefined)
    return usage(`hale ${gate.name} needs a target (a .hl file or a seed directory).`);
  if (!isMany && request.operands.length > 1) {
    return usage(`hale ${gate.name} takes ONE target, got ${request.operands.length}: ${request.operands.join(" ")}`);
  }
  const door = await loadCompiler();
  const report = reportIn(request.format, door);
  const run: TargetRun = { door, gate, request, report };
  const status = given.has("workspace")
    ? checkWorkspace(run)
    : given.has("matrix")
      ? checkMatrix(run)
      : checkTarget(run, target ?? "");
  report.finish();
  return status;
}

function usage(problem: string): number {
  complain(`${problem}\n`);
  return EXIT.usage;
}

/** One target, under an environment's law when one is named. */
function checkTarget(run: TargetRun, target: string): number {
  const { env } = run.request;
  if (env === undefined || !existsSync(target)) return checkOne(run, target);
  const law = lawOf(`hale ${run.gate.name}`, target, env);
  return "problem" in law ? usage(law.problem) : checkOne({ ...run, ...law }, target);
}
