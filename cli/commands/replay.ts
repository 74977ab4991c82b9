import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Arguments } from "../arguments.ts";
import { REPLAY } from "../catalog.ts";
import { type Compilation, compileProgram, loadCompiler } from "../compiler.ts";
import { EXIT } from "../exit-status.ts";
import { commandUsage } from "../help.ts";
import { complain, errorCode, print, systemMessage } from "../output.ts";
import { createPrivateDirectory, noPrivateDirectory, type PrivateDirectory } from "../private-directory.ts";
import { compareRecordings } from "../replay/compare.ts";
import { counted, readCounts, type ReplayCounts, summaryOf } from "../replay/counts.ts";
import { matchJson, matchText } from "../replay/diff-report.ts";
import { parseRecording, type Recording } from "../replay/recording.ts";
import { exitOnTermination, onTermination } from "../signals.ts";
import { type Ended, startProgram } from "../start-program.ts";
import { targetOf } from "../targets.ts";

type ReplayArguments = Arguments<keyof typeof REPLAY.flags>;

/** `hale replay` (reference 06b 6b.5); the steps come in the order that is told there. */
export async function replay(given: ReplayArguments): Promise<number> {
  const problem = usageProblem(given);
  if (problem !== undefined) return refuse(problem, EXIT.usage);
  const [file, source, ...rest] = given.operands;
  if (file === undefined || source === undefined) {
    complain(commandUsage(REPLAY));
    return EXIT.usage;
  }
  const [extra] = rest;
  if (extra !== undefined) return refuse(`unexpected argument \`${extra}\``, EXIT.usage);
  const target = targetOf(given.value("target"));
  if (typeof target === "object") return refuse(target.problem, EXIT.usage);
  const recording = openRecording(file);
  if ("problem" in recording) return refuse(recording.problem);
  if (recording.isTruncated) {
    if (!given.has("allowTruncated")) {
      return refuse(
        `${file} is truncated: the recorded run was killed; pass --allow-truncated to replay what there is`,
      );
    }
    complain(`hale replay: note: ${file} is truncated; what was recorded is replayed\n`);
  }
  if (!existsSync(source)) return refuse(`not a file: ${source}`);
  if (statSync(source).isDirectory()) return refuse(`${source} is a directory; a replay takes the program's file`);
  if (!statSync(source).isFile()) return refuse(`could not read ${source}: not a regular file`);
  const profile = given.has("release") ? "release" : "dev";
  // The optimiser has files and a process of its own.
  const termination = profile === "release" ? exitOnTermination() : undefined;
  const compiled = await compileProgram(path.resolve(source), {
    target,
    profile,
    advisories: true,
    asksForLiveEffects: true,
  });
  termination?.release();
  await showDiagnostics(compiled);
  const { executable } = compiled;
  if (!executable) return EXIT.fault;
  const refusal = refusalOf(given, recording, compiled);
  if (refusal !== undefined) return refuse(refusal);
  if (isWithholding(recording)) {
    complain(
      "hale replay: note: this recording withholds env VALUES (LOTUS_OBS_RECORD_ENV=full records them); env reads will replay as named withheld divergences\n",
    );
  }
  let directory: PrivateDirectory;
  try {
    directory = createPrivateDirectory("replay");
  } catch (error) {
    return refuse(noPrivateDirectory(error));
  }
  try {
    return await runReplay(
      given,
      recording,
      executable,
      target === "wasm",
      directory.path,
      path.basename(source, ".hl"),
    );
  } finally {
    directory.remove();
  }
}

function refuse(problem: string, status: number = EXIT.fault): number {
  complain(`hale replay: ${problem}\n`);
  return status;
}

function usageProblem(given: ReplayArguments): string | undefined {
  const at = given.value("at");
  if (at !== undefined && !/^(?:\d+:)?0*[1-9]\d*$/.test(at)) {
    return `--at takes a positive number or <consumer>:<number>, got \`${at}\``;
  }
  if (given.has("feed") && (given.has("diff") || at !== undefined)) return "--feed goes with neither --diff nor --at";
  if (given.has("json") && !given.has("diff")) return "--json goes with --diff only";
  if (at !== undefined) return "not supported yet: --at";
  if (given.has("feed") || given.has("allowUnmatchedFeed")) return "not supported yet: --feed";
  return undefined;
}

/** Reads the file once: what happens to it later changes nothing. A symbolic link is refused. */
function openRecording(file: string): Recording | { readonly problem: string } {
  let bytes: Buffer;
  try {
    // Opening a named pipe does not wait for a writer.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(descriptor).isFile()) return { problem: `could not read ${file}: not a regular file` };
      bytes = readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === "ELOOP") return { problem: `${file} is a symbolic link` };
    return { problem: `could not read ${file}: ${systemMessage(error)}` };
  }
  const recording = parseRecording(bytes);
  return "problem" in recording ? { problem: `${file} ${recording.problem}` } : recording;
}

async function showDiagnostics({ diagnostics }: Compilation): Promise<void> {
  if (diagnostics.length === 0) return;
  const { renderDiagnostic } = await loadCompiler();
  complain(`${diagnostics.map(renderDiagnostic).join("\n")}\n`);
}

/** Why this recording is not replayed with this program; a warning where that is accepted. */
function refusalOf(given: ReplayArguments, recording: Recording, compiled: Compilation): string | undefined {
  const live = compiled.liveEffects ?? [];
  if (live.length > 0 && !given.has("allowLive")) {
    return `this program can reach the live world during re-execution ({${live.join(", ")}}) — unclassified calls may do anything, and syscall/ffi writes repeat. Refusing by default; pass --allow-live-effects if you accept that`;
  }
  const mayBeAnother = given.has("allowUnverified");
  const { identity } = recording;
  if (!identity) {
    return mayBeAnother ? undefined : "the recording carries no identity; pass --allow-unverified-model to replay it";
  }
  const own = Buffer.from(compiled.identity ?? []);
  if (own.toString("hex", 32) !== identity.shape) {
    return "the program's shape is not that of the recorded one: its loci, topics or placements are others";
  }
  if (own.toString("hex", 0, 32) === identity.digest) return undefined;
  const words = "the recording was made from different build inputs (sources, options or toolchain)";
  if (!mayBeAnother) return `${words}; pass --allow-unverified-model to replay it nevertheless`;
  complain(`hale replay: warning: ${words}\n`);
  return undefined;
}

function isWithholding({ consumers }: Recording): boolean {
  return [...consumers.values()].some(({ inputs }) => inputs.some((input) => input.isWithheld));
}

async function runReplay(
  given: ReplayArguments,
  recording: Recording,
  executable: Uint8Array,
  isScript: boolean,
  directory: string,
  name: string,
): Promise<number> {
  const program = path.join(directory, name);
  const recorded = path.join(directory, "recorded.halerec");
  const replayed = path.join(directory, "replayed.halerec");
  const counts = path.join(directory, "counts");
  writeFileSync(program, executable, { mode: 0o700 });
  writeFileSync(recorded, recording.bytes, { mode: 0o600 });
  const environment = {
    LOTUS_REPLAY: recorded,
    HALE_REPLAY_COUNTS: counts,
    // The program's own recording would replace the caller's.
    LOTUS_OBS_RECORD: given.has("diff") ? replayed : "",
    LOTUS_OBS_RECORD_ENV: recording.withholdsEnvironment ? "" : "full",
  };
  let child: { kill(signal: NodeJS.Signals): boolean } | undefined;
  onTermination((signal) => {
    if (signal === "SIGTERM" || signal === "SIGHUP") child?.kill(signal);
  });
  const command = isScript ? { file: process.execPath, args: [program] } : { file: program, args: [] };
  const ended = await startProgram(command, [], environment, (started) => {
    child = started;
  });
  const status = statusOfReplay(ended);
  const result = readCounts(counts, recording.isTruncated);
  if (recording.isTruncated && result.beyondEnd > 0) {
    complain(`hale replay: ${counted(result.beyondEnd, "event")} past the end of the truncated recording ran live\n`);
  }
  complain(summaryOf(result));
  if (!given.has("diff")) return status;
  return reportDiff(given, recording, replayed, result) ? status : EXIT.fault;
}

/** The program's own status; 1 when a signal ended it. */
function statusOfReplay(ended: Ended): number {
  if ("code" in ended) return ended.code;
  if ("problem" in ended) complain(`hale replay: could not start the program: ${ended.problem}\n`);
  return EXIT.fault;
}

/** Tells how the replayed run's own recording stands to the one that it repeated; true when they match. */
function reportDiff(given: ReplayArguments, recording: Recording, replayed: string, counts: ReplayCounts): boolean {
  const outcome = differenceOf(recording, replayed, counts);
  if ("match" in outcome) {
    const text = given.has("json") ? matchJson : matchText;
    print(text(outcome.match, recording.isTruncated));
    return true;
  }
  complain(`replay DIVERGED: ${outcome.difference}\n`);
  if (given.has("json")) print(`${JSON.stringify({ result: "diverged", reason: outcome.difference })}\n`);
  return false;
}

function differenceOf(recording: Recording, replayed: string, counts: ReplayCounts) {
  if (counts.total > 0) {
    return { difference: `${counted(counts.total, "runtime divergence")} (see the summary above)` };
  }
  const own = openRecording(replayed);
  if ("problem" in own) return { difference: `the replay could not be recorded: ${own.problem}` };
  return compareRecordings(recording, own);
}
