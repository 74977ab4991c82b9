import type { LocusType, TypedFunction, TypedProgram } from "../semantics/index.ts";
import type { Diagnostic } from "../source/index.ts";
import { findUnpacedSends, findForeignPayloads } from "./back-pressure.ts";
import { checkBudgets } from "./budgets.ts";
import { findBusCycles } from "./bus-cycles.ts";
import { BusGraph } from "./bus-graph.ts";
import { checkCauses, checkDepends } from "./causality.ts";
import { type Demanded, judgeClaims, resolveGroups } from "./claims/index.ts";
import { checkDeclaredClasses } from "./classes.ts";
import { checkEffectAssertions } from "./effect-assertions.ts";
import { Effects } from "./effects.ts";
import { Findings } from "./findings.ts";
import { findHotPathWork, isHot } from "./hot-paths.ts";
import { isGenerated } from "./names.ts";
import { checkNoPanic } from "./no-panic.ts";
import { findOrphanSubjects } from "./orphan-subjects.ts";
import { checkPhaseEffects } from "./phase-effects.ts";
import { PlaceOrder } from "./place-order.ts";
import { checkSecrets, findExposedSecrets } from "./secrets.ts";
import { Shadow } from "./shadow.ts";
import { AllocationSurvey } from "./allocation-survey.ts";
import { findDescriptorLeaks } from "./resource-leaks.ts";
import { checkDeadReceivers, findThreadTrouble } from "./threads.ts";

export interface AnalysisOptions {
  /** Without advisories only broken laws are looked for: what `test` and `run` need. */
  readonly advisories: boolean;
  /** The survey of allocations without bound (11.7); an advisory. */
  readonly survey: boolean;
  /** `--warn-resource-leak` */
  readonly resourceLeaks: boolean;
  /** `--strict-secret` */
  readonly strictSecrets: boolean;
  /** Constitutions that the deployment's environment adds (11b.8). */
  readonly demanded: readonly Demanded[];
  /** The program is one file of what may be a larger seed: names that nothing declares are left alone (11.2.5). */
  readonly isPart: boolean;
}

/** Everything that the analyses find in a sound program, in the order of their passes (reference 11 11.1). */
export function analyse(program: TypedProgram, options: AnalysisOptions): readonly Diagnostic[] {
  return runPasses(program, options, true);
}

/** What can be judged beside errors (11.2.4): everything but claims. What an error hides is not seen, so nothing is reported that may come of it. */
export function analyseBeside(
  sketch: TypedProgram,
  errors: readonly Diagnostic[],
  options: AnalysisOptions,
): readonly Diagnostic[] {
  const shadow = new Shadow(sketch, errors);
  return runPasses(sketch, options, false).filter((finding) => !shadow.covers(finding));
}

function runPasses(program: TypedProgram, options: AnalysisOptions, isSound: boolean): readonly Diagnostic[] {
  const findings = new Findings(options.isPart);
  const order = new PlaceOrder(program);
  const functions = order.sorted(program.functions.filter(isJudged), (fn) => fn.nameSpan);
  const loci = order.sorted(
    program.loci.filter((locus) => !locus.isStd),
    (locus) => locus.span,
  );
  const effects = new Effects(program);
  const bus = new BusGraph(program);

  const dead = checkDeadReceivers(effects, findings);
  if (options.advisories) findThreadTrouble(effects, dead, findings);
  for (const fn of functions) if (options.advisories || isHot(fn)) findHotPathWork(fn, findings);
  checkBudgets(effects, bus, functions, findings);
  checkContracts(effects, bus, functions, loci, findings);
  const groups = resolveGroups(effects, findings);
  if (options.advisories) {
    if (!options.strictSecrets) for (const fn of functions) findExposedSecrets(fn, findings);
    findOrphanSubjects(bus, order, findings);
    findBusCycles(bus, order, findings);
    findUnpacedSends(effects, functions, findings);
    findForeignPayloads(bus, findings);
  }
  if (isSound) judgeClaims(effects, bus, groups, options.demanded, findings);
  if (options.survey || options.resourceLeaks) {
    const survey = new AllocationSurvey(effects, functions);
    if (options.survey) survey.report(findings);
    if (options.resourceLeaks) findDescriptorLeaks(functions, survey.unbounded, findings);
  }
  if (options.strictSecrets) for (const fn of functions) checkSecrets(fn, findings);
  return findings.items;
}

/**
 * What can be judged where names were left alone, whose calls are lost: effects, budgets, phases, hot functions. Each is judged by what is reached, so what
 * is hidden can only make the findings fewer.
 */
export function analyseContracts(program: TypedProgram): readonly Diagnostic[] {
  const findings = new Findings();
  const order = new PlaceOrder(program);
  const functions = order.sorted(program.functions.filter(isJudged), (fn) => fn.nameSpan);
  const effects = new Effects(program);
  for (const fn of functions) if (isHot(fn)) findHotPathWork(fn, findings);
  checkBudgets(effects, new BusGraph(program), functions, findings);
  checkEffectAssertions(effects, functions, findings);
  for (const fn of functions) checkNoPanic(fn, findings);
  checkPhaseEffects(
    effects,
    program.loci.filter((locus) => !locus.isStd),
    findings,
  );
  return findings.items;
}

/** Functions that somebody wrote in the program: not the library's, not the checker's, not expressions. */
function isJudged(fn: TypedFunction): boolean {
  return !fn.span.file.isStd && !isGenerated(fn) && fn.role !== "initialiser" && fn.role !== "const";
}

function checkContracts(
  effects: Effects,
  bus: BusGraph,
  functions: readonly TypedFunction[],
  loci: readonly LocusType[],
  findings: Findings,
): void {
  checkDeclaredClasses(effects.program, effects.classes, findings);
  checkEffectAssertions(effects, functions, findings);
  for (const fn of functions) checkNoPanic(fn, findings);
  checkPhaseEffects(effects, loci, findings);
  checkCauses(effects, bus, functions, findings);
  checkDepends(effects, bus, loci, findings);
}
