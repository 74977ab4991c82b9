import { type Arguments, type CommandSpec, parseArguments, type UsageProblem } from "./arguments.ts";
import * as catalog from "./catalog.ts";
import { EXIT } from "./exit-status.ts";
import { commandHelp, commandUsage, generalUsage } from "./help.ts";
import { complain, print, systemMessage } from "./output.ts";

declare const __HALE_VERSION__: string;

/** Runs the command that `argv` names and resolves to the exit status. */
export async function dispatch(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  switch (name) {
    case undefined:
      complain(generalUsage());
      return EXIT.usage;
    case "--help":
    case "-h":
    case "help":
      return help(rest[0]);
    case "--version":
    case "-V":
    case "version":
      print(`hale ${__HALE_VERSION__}\n`);
      return EXIT.success;
    default:
      return command(name, rest);
  }
}

const programs = () => import("./commands/programs.ts");
const sources = () => import("./commands/sources.ts");

async function command(name: string, argv: readonly string[]): Promise<number> {
  switch (name) {
    case "test":
      return withArguments(catalog.TEST, argv, async (given) => (await programs()).test(given));
    case "run":
      return withArguments(catalog.RUN, argv, async (given) => (await programs()).run(given));
    case "replay":
      return withArguments(catalog.REPLAY, argv, async (given) => (await import("./commands/replay.ts")).replay(given));
    case "build":
      return withArguments(catalog.BUILD, argv, async (given) => (await programs()).build(given));
    case "check":
      return withArguments(catalog.CHECK, argv, async (given) => (await sources()).check(given));
    case "verify":
      return withArguments(catalog.VERIFY, argv, async (given) => (await sources()).verify(given));
    case "bench":
      return withArguments(catalog.BENCH, argv, async (given) => (await import("./commands/bench.ts")).bench(given));
    case "fmt":
      return withArguments(catalog.FMT, argv, async (given) => (await sources()).fmt(given));
    case "doc":
      return withArguments(catalog.DOC, argv, async (given) => (await sources()).doc(given));
    case "lex":
      return withArguments(catalog.LEX, argv, async (given) => (await sources()).lex(given));
    case "parse":
      return withArguments(catalog.PARSE, argv, async (given) => (await sources()).parse(given));
    case "init":
      return withArguments(catalog.INIT, argv, async (given) => (await sources()).init(given));
    case "fetch":
      return withArguments(catalog.FETCH, argv, async (given) => (await import("./commands/fetch.ts")).fetch(given));
    case "inputs":
      return withArguments(catalog.INPUTS, argv, async (given) => (await sources()).inputs(given));
    case "targets":
      return withArguments(catalog.TARGETS, argv, async () => (await sources()).targets());
    case "completions":
      return withArguments(catalog.COMPLETIONS, argv, async (given) => (await sources()).completions(given));
    default:
      return unknownCommand(name);
  }
}

/** Reads the command's own arguments; answers `--help` and usage errors itself. */
async function withArguments<Key extends string>(
  spec: CommandSpec<Key>,
  argv: readonly string[],
  body: (given: Arguments<Key>) => Promise<number>,
): Promise<number> {
  if (asksForHelp(spec, argv)) {
    print(commandHelp(spec));
    return EXIT.success;
  }
  const given = parseArguments(spec, argv);
  if (!("problem" in given)) {
    const [operand] = given.operands;
    if (spec.operands !== undefined || operand === undefined) return hasWorkingDirectory() ? body(given) : EXIT.usage;
    return usageError(spec, { problem: `${spec.errorPrefix}unexpected argument \`${operand}\`` });
  }
  // Only here is it known not to be some flag's value: `-run -h`.
  if (given.unknownFlag !== "-h") return usageError(spec, given);
  print(commandHelp(spec));
  return EXIT.success;
}

/** Whether there is a current directory; says so when it has been removed. What is looked for there would seem to be missing. */
function hasWorkingDirectory(): boolean {
  try {
    process.cwd();
    return true;
  } catch (error) {
    complain(`hale: the current directory cannot be used: ${systemMessage(error)}\n`);
    return false;
  }
}

/** `--help` counts wherever it stands, but not among the arguments of a program that is run. */
function asksForHelp(spec: CommandSpec, argv: readonly string[]): boolean {
  if (argv[0] === "--help" || argv[0] === "-h") return true;
  if (spec.firstOperandEndsFlags) return false;
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--help");
}

function help(name: string | undefined): number {
  const spec = catalog.COMMANDS.find((each) => each.name === name);
  if (spec === undefined && name !== undefined) {
    complain(`unknown command: ${name}\n\n${generalUsage()}`);
    return EXIT.usage;
  }
  print(spec ? commandHelp(spec) : generalUsage());
  return EXIT.success;
}

async function unknownCommand(name: string): Promise<number> {
  const names = [...catalog.COMMANDS.map((each) => each.name), "help", "version"];
  complain(`unknown command: ${name}\n${await suggestion(name, names)}\n${generalUsage()}`);
  return EXIT.usage;
}

async function usageError(spec: CommandSpec, { problem, unknownFlag }: UsageProblem): Promise<number> {
  const names = Object.values(spec.flags).flatMap((flag) => flag.names);
  // Of one letter, every other is as near.
  const tellsNothing = unknownFlag === undefined || unknownFlag.length <= 2;
  const hint = tellsNothing ? "" : await suggestion(unknownFlag.replace(/=.*/s, ""), names);
  complain(`${problem}\n${hint}${hint ? "" : `\n${commandUsage(spec)}`}`);
  return EXIT.usage;
}

async function suggestion(name: string, candidates: readonly string[]): Promise<string> {
  const { nearestName } = await (await import("./compiler.ts")).loadCompiler();
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : `  did you mean \`${nearest}\`?\n`;
}
