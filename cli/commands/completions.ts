import type { Arguments, CommandSpec, Completion, FlagSpec } from "../arguments.ts";
import { COMMANDS, COMPLETIONS } from "../catalog.ts";
import { EXIT } from "../exit-status.ts";
import { commandUsage } from "../help.ts";
import { complain, print } from "../output.ts";

/** `hale completions`: a script for a shell, made from the table of commands and flags. */
export async function completions(given: Arguments<never>): Promise<number> {
  const [shell] = given.operands;
  const script = given.operands.length === 1 ? scriptFor(shell) : undefined;
  if (script === undefined) {
    complain(`hale completions takes one shell: bash, zsh or fish\n${commandUsage(COMPLETIONS)}`);
    return EXIT.usage;
  }
  print(script);
  return EXIT.success;
}

function scriptFor(shell: string | undefined): string | undefined {
  switch (shell) {
    case "bash":
      return bashScript();
    case "zsh":
      return zshScript();
    case "fish":
      return fishScript();
    default:
      return undefined;
  }
}

const GENERAL_FLAGS = ["--help", "--version"];

function flagsOf(spec: CommandSpec): FlagSpec[] {
  return [...Object.values(spec.flags), { names: ["--help"], help: "what the command does" }];
}

/** The bash way to complete words of this kind; `$current` is the word so far. */
function bashWords(complete: Completion | undefined): string {
  if (complete === undefined) return "COMPREPLY=()";
  if (complete === "file") return 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))';
  if (complete === "directory") return 'compopt -o filenames; COMPREPLY=($(compgen -d -- "$current"))';
  return `COMPREPLY=($(compgen -W "${complete.join(" ")}" -- "$current"))`;
}

function bashScript(): string {
  const values = COMMANDS.flatMap((spec) =>
    flagsOf(spec)
      .filter((flag) => flag.value !== undefined && !flag.optional)
      .map(
        (flag) =>
          `    ${flag.names.map((name) => `${spec.name}:${name}`).join("|")}) ${bashWords(flag.complete)}; return ;;`,
      ),
  );
  const perCommand = COMMANDS.map((spec) => {
    const names = flagsOf(spec)
      .flatMap((flag) => flag.names)
      .join(" ");
    return `    ${spec.name}) flags="${names}" ;;`;
  });
  const operands = COMMANDS.map((spec) => `    ${spec.name}) ${bashWords(spec.operands?.complete)} ;;`);
  return `# Completion of the hale command for bash.
_hale() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...COMMANDS.map(({ name }) => name), ...GENERAL_FLAGS].join(" ")}" -- "$current"))
    return
  fi
  case "$command:$previous" in
${values.join("\n")}
  esac
  case "$command" in
${perCommand.join("\n")}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
    return
  fi
  case "$command" in
${operands.join("\n")}
  esac
}
complete -F _hale hale
`;
}

function zshAction(complete: Completion | undefined): string {
  if (complete === undefined) return " ";
  if (complete === "file") return "_files";
  if (complete === "directory") return "_files -/";
  return `(${complete.join(" ")})`;
}

/** Text between the brackets of a zsh description. */
function zshText(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&").replace(/'/g, "'\\''");
}

function zshFlag(flag: FlagSpec): string[] {
  const value = flag.value === undefined ? "" : `:${flag.value}:${zshAction(flag.complete)}`;
  const join = flag.optional ? "=-" : "";
  return flag.names.map((name) => `'${name}${join}[${zshText(flag.help)}]${join && ":"}${value}'`);
}

function zshScript(): string {
  const commands = COMMANDS.map(({ name, summary }) => `    '${name}:${zshText(summary)}'`);
  const cases = COMMANDS.map((spec) => {
    const operand = spec.operands ? [`'*:operand:${zshAction(spec.operands.complete)}'`] : [];
    return `    ${spec.name}) _arguments ${[...flagsOf(spec).flatMap(zshFlag), ...operand].join(" \\\n      ")} ;;`;
  });
  return `#compdef hale
# Completion of the hale command for zsh.
_hale() {
  local -a commands
  commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
_hale "$@"
`;
}

function fishQuote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** `--list`: long; `-j`: short; `-run`: what fish calls an old-style option. */
function fishName(name: string): string {
  if (name.startsWith("--")) return `-l ${name.slice(2)}`;
  return name.length === 2 ? `-s ${name.slice(1)}` : `-o ${name.slice(1)}`;
}

function fishValue({ value, complete, optional }: FlagSpec): string {
  if (value === undefined || optional) return "";
  if (complete === "file") return " -r -F";
  if (complete === "directory") return " -x -a '(__fish_complete_directories)'";
  return complete === undefined ? " -x" : ` -x -a ${fishQuote(complete.join(" "))}`;
}

function fishScript(): string {
  const lines = ["# Completion of the hale command for fish.", "complete -c hale -f"];
  for (const { name, summary } of COMMANDS) {
    lines.push(`complete -c hale -n __fish_use_subcommand -a ${name} -d ${fishQuote(summary)}`);
  }
  for (const spec of COMMANDS) {
    const when = `complete -c hale -n '__fish_seen_subcommand_from ${spec.name}'`;
    for (const flag of flagsOf(spec)) {
      lines.push(`${when} ${flag.names.map(fishName).join(" ")}${fishValue(flag)} -d ${fishQuote(flag.help)}`);
    }
    const operand = spec.operands?.complete;
    if (operand === "file") lines.push(`${when} -F`);
    else if (operand === "directory") lines.push(`${when} -a '(__fish_complete_directories)'`);
    else if (operand !== undefined) lines.push(`${when} -a ${fishQuote(operand.join(" "))}`);
  }
  return `${lines.join("\n")}\n`;
}
