// The topology artifact of one target, and its gates (reference 11b 11b.9).
import { readFileSync } from "node:fs";
import path from "node:path";
import type { AnalysisOptions, CheckedProgram } from "../../compiler/index.ts";
import { EXIT } from "../exit-status.ts";
import { replaceFile } from "../replacement.ts";
import { complain, print, systemMessage } from "../output.ts";
import { nearestManifest } from "./environments.ts";
import type { Door } from "./findings-report.ts";
import type { Artifacts } from "./request.ts";

/** Writes and compares what is asked for; an exit status that ends the command, or undefined when the check goes on. */
export function passTopology(
  door: Door,
  command: string,
  target: string,
  { model }: CheckedProgram,
  { dumpTopology, checkTopology, checkTopologyShape }: Artifacts,
  demanded: AnalysisOptions["demanded"] = [],
): number | undefined {
  if (dumpTopology === undefined && checkTopology === undefined && checkTopologyShape === undefined) return undefined;
  const refuse = (problem: string, status: number = EXIT.fault): number => {
    complain(`hale ${command}: ${problem}\n`);
    return status;
  };
  if (!model) {
    // The findings follow.
    complain(`hale ${command}: no topology of a program that has errors\n`);
    return undefined;
  }
  const { text, shapeHash } = door.topology(model, workspaceOf(target), demanded);
  if (dumpTopology === "") print(text);
  else if (dumpTopology !== undefined) {
    const problem = write(dumpTopology, text);
    if (problem !== undefined) return refuse(problem);
  }
  if (checkTopology !== undefined) {
    const kept = read(checkTopology);
    if ("problem" in kept) return refuse(kept.problem);
    if (kept.text !== text)
      return refuse(`the topology differs from ${checkTopology}:\n${difference(kept.text, text)}`);
  }
  if (checkTopologyShape !== undefined) {
    const kept = read(checkTopologyShape);
    if ("problem" in kept) return refuse(kept.problem);
    const shape = door.shapeOfArtifact(kept.text);
    if (shape === undefined)
      return refuse(`${checkTopologyShape} is no topology artifact, or was changed by hand`, EXIT.usage);
    if (shape !== shapeHash) return refuse(`the shape is ${shapeHash}, in ${checkTopologyShape} it is ${shape}`);
  }
  return undefined;
}

/** The nearest directory at or above the target that has a `hale.toml`; else the target's own. */
function workspaceOf(target: string): string {
  const { own, file } = nearestManifest(target);
  return file === undefined ? own : path.dirname(file);
}

function read(file: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: readFileSync(file, "utf8") };
  } catch (error) {
    return { problem: `could not read ${file}: ${systemMessage(error)}` };
  }
}

function write(file: string, text: string): string | undefined {
  const problem = replaceFile(file, text);
  return problem === undefined ? undefined : `could not write ${file}: ${problem}`;
}

/** Lines that only one of the two has, in their order. */
function difference(before: string, after: string): string {
  const old = before.split("\n");
  const now = after.split("\n");
  const inOld = new Set(old);
  const inNow = new Set(now);
  return [
    ...old.filter((line) => !inNow.has(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !inOld.has(line)).map((line) => `+ ${line}`),
  ].join("\n");
}
