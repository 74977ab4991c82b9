// Checking one target: findings, reports, gates, exit status.
import type { AnalysisOptions, CheckedProgram, CheckOptions } from "../../compiler/index.ts";
import { EXIT } from "../exit-status.ts";
import { complain } from "../output.ts";
import { compareArtifacts, finishEarly } from "./artifacts.ts";
import type { Door, FindingsReport } from "./findings-report.ts";
import type { Gate } from "./gate.ts";
import type { CheckRequest } from "./request.ts";
import { passTopology } from "./topology.ts";
import { statOf } from "../source-files.ts";

export interface TargetRun {
  readonly door: Door;
  readonly gate: Gate;
  readonly request: CheckRequest;
  readonly report: FindingsReport;
  /** Constitutions that an environment adds; then the target needs a main locus of its own. */
  readonly demanded?: AnalysisOptions["demanded"];
  /** Looks at the checked program before it is reported. */
  readonly seen?: (program: CheckedProgram) => void;
}

export function checkOne({ door, gate, request, report, demanded, seen }: TargetRun, target: string): number {
  const analyses = { ...request.options.analyses, ...(demanded ? { demanded } : {}) };
  const program = door.checkTarget(target, { mode: modeOf(target), ...request.options, analyses });
  seen?.(program);
  if (demanded && program.model && !program.model.loci.some((locus) => locus.isMain)) {
    complain(`hale ${gate.name}: ${target} is no entrypoint: it has no main locus of its own\n`);
    return EXIT.usage;
  }
  const early = finishEarly(door, gate.name, program, request.artifacts);
  if (early !== undefined) return early;
  const topology = passTopology(door, gate.name, target, program, request.artifacts, demanded);
  if (topology !== undefined) return topology;
  const artifacts = compareArtifacts(door, gate.name, program, request.artifacts);
  const { diagnostics } = program;
  report.add(diagnostics);
  const failed = diagnostics.some(gate.fails);
  // Of a target that is not there, that it is not there is all there is to say.
  const isThere = !diagnostics.some((each) => each.kind === "io error" && program.ownFiles.length === 0);
  if (report.isForPeople && isThere) complain(failed ? gate.failed(diagnostics.length) : gate.clean(program));
  return failed ? EXIT.fault : artifacts;
}

/** A test file is a program of its own, a bench file one without an entry; another file may be one of many of its seed. */
function modeOf(target: string): CheckOptions["mode"] {
  if (target.endsWith("_test.hl")) return "program";
  if (target.endsWith("_bench.hl") || statOf(target)?.isDirectory()) return "seed";
  return "file";
}
