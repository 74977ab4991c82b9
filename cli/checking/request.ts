// What a `check` or `verify` command line asks for.
import type { CheckOptions } from "../../compiler/index.ts";
import type { Arguments } from "../arguments.ts";
import { CHECK } from "../catalog.ts";
import type { Format } from "./findings-report.ts";

export type CheckArguments = Arguments<keyof typeof CHECK.flags>;

export interface CheckRequest {
  readonly operands: readonly string[];
  readonly format: Format;
  readonly options: Pick<CheckOptions, "analyses" | "allowUnownedSubscribers">;
  readonly artifacts: Artifacts;
  readonly env: string | undefined;
}

/** What is printed or compared beside the findings. */
export interface Artifacts {
  readonly sealable: boolean;
  readonly flows: boolean;
  readonly dumpEffects: boolean;
  /** A path to compare with. */
  readonly checkEffects: string | undefined;
  readonly dumpBudget: boolean;
  readonly checkBudget: string | undefined;
  readonly dumpAllocations: boolean;
  /** A path to write to; empty: stdout. */
  readonly dumpTopology: string | undefined;
  /** Paths to compare with. */
  readonly checkTopology: string | undefined;
  readonly checkTopologyShape: string | undefined;
}

const PER_SEED = [
  "dumpEffects",
  "checkEffects",
  "dumpBudget",
  "checkBudget",
  "dumpAllocations",
  "dumpTopology",
  "checkTopology",
  "checkTopologyShape",
] as const;

/** The request, or why the command line cannot be taken. */
export function readRequest(given: CheckArguments): CheckRequest | { readonly problem: string } {
  const format = formatOf(given);
  if (typeof format === "object") return format;
  const conflict = conflictIn(given);
  if (conflict !== undefined) return { problem: conflict };
  return {
    operands: given.operands,
    format,
    options: {
      allowUnownedSubscribers: given.has("allowUnowned"),
      analyses: {
        advisories: true,
        survey: !given.has("noSurvey"),
        resourceLeaks: given.has("resourceLeak"),
        strictSecrets: given.has("strictSecret"),
      },
    },
    artifacts: {
      sealable: given.has("sealable"),
      flows: given.has("flows"),
      dumpEffects: given.has("dumpEffects"),
      checkEffects: given.value("checkEffects"),
      dumpBudget: given.has("dumpBudget"),
      checkBudget: given.value("checkBudget"),
      dumpAllocations: given.has("dumpAllocations"),
      dumpTopology: given.value("dumpTopology"),
      checkTopology: given.value("checkTopology"),
      checkTopologyShape: given.value("checkTopologyShape"),
    },
    env: given.value("env"),
  };
}

function formatOf(given: CheckArguments): Format | { readonly problem: string } {
  const format = given.value("format");
  if (format === undefined) return given.has("json") ? "json" : "text";
  if (format !== "text" && format !== "json" && format !== "github" && format !== "sarif") {
    return { problem: `no format \`${format}\`: text, json, github or sarif` };
  }
  if (given.has("json") && format !== "json") return { problem: `--json and --format ${format} exclude each other` };
  return format;
}

/** Flags that cannot stand together (reference 11, "Commands"). */
function conflictIn(given: CheckArguments): string | undefined {
  const many = given.has("workspace") ? "workspace" : given.has("matrix") ? "matrix" : undefined;
  if (!many) return undefined;
  const perSeed = PER_SEED.find((key) => given.has(key));
  if (perSeed) return `${CHECK.flags[perSeed].names[0]} is per seed: it cannot go with --${many}`;
  if (given.has("env")) return `--env is per seed: it cannot go with --${many}`;
  if (given.has("workspace") && given.has("matrix")) return "--workspace and --matrix exclude each other";
  return undefined;
}
