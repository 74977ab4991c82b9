// What a command line means, read from the one table of commands and flags (`catalog.ts`) that help and completions read too.

/** How a shell completes a value or an operand. */
export type Completion = "file" | "directory" | readonly string[];

/** One flag of a command. */
export interface FlagSpec {
  /** Every spelling; the first is the one that help shows first. */
  readonly names: readonly string[];
  /** What the value is called in the usage, without brackets; missing for a switch. */
  readonly value?: string;
  /** The value may be left out, and stands only behind `=`: `--dump[=path]`. */
  readonly optional?: boolean;
  /** The value may follow the first name directly: `-j4`. */
  readonly joined?: boolean;
  /** The message when the value is missing; `<flag> requires a <value>` by default. */
  readonly missing?: string;
  readonly complete?: Completion;
  readonly help: string;
}

export interface HelpSection {
  readonly title: string;
  /** Pairs are laid out in two columns, strings are whole lines. */
  readonly rows: readonly (readonly [string, string] | string)[];
}

/** One command: all that its parsing, its help and its completion need. `Key` names its flags in code. */
export interface CommandSpec<Key extends string = string> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly synopsis: readonly string[];
  readonly description: readonly string[];
  readonly flags: Readonly<Record<Key, FlagSpec>>;
  readonly operands?: { readonly complete: Completion };
  /** Everything after the first operand belongs to the program that is run. */
  readonly firstOperandEndsFlags?: boolean;
  /** The words of a usage error: the published text differs from command to command. */
  readonly unknownFlag: (flag: string) => string;
  /** Stands before a usage error that is not `unknownFlag`'s. */
  readonly errorPrefix: string;
  readonly sections?: readonly HelpSection[];
}

/** A command line that cannot be taken: exit status 2. */
export interface UsageProblem {
  readonly problem: string;
  /** The flag that is not known, for a suggestion. */
  readonly unknownFlag?: string;
}

/** A command line that fits its command's table. Of a repeated flag the last one counts. */
export class Arguments<Key extends string> {
  readonly operands: readonly string[];
  readonly #flags: ReadonlyMap<string, string>;

  constructor(operands: readonly string[], flags: ReadonlyMap<string, string>) {
    this.operands = operands;
    this.#flags = flags;
  }

  has(key: Key): boolean {
    return this.#flags.has(key);
  }

  value(key: Key): string | undefined {
    return this.#flags.get(key);
  }
}

/** Reads `argv` (without the command's name) by the command's table. */
export function parseArguments<Key extends string>(
  spec: CommandSpec<Key>,
  argv: readonly string[],
): Arguments<Key> | UsageProblem {
  const operands: string[] = [];
  const flags = new Map<string, string>();
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (argument === "--") {
      operands.push(...argv.slice(index + 1));
      break;
    }
    if (!argument.startsWith("-") || argument === "-") {
      if (spec.firstOperandEndsFlags) {
        operands.push(...argv.slice(index));
        break;
      }
      operands.push(argument);
      continue;
    }
    const match = matchFlag(spec, argument);
    if (!match) return { problem: spec.unknownFlag(argument), unknownFlag: argument };
    if (match.flag.value === undefined) {
      flags.set(match.key, "");
    } else if (match.value !== undefined) {
      flags.set(match.key, match.value);
    } else if (match.flag.optional) {
      flags.set(match.key, "");
    } else {
      const value = argv[++index];
      if (value === undefined) return { problem: spec.errorPrefix + missingValue(match.flag, argument) };
      flags.set(match.key, value);
    }
  }
  return new Arguments(operands, flags);
}

interface FlagMatch {
  readonly key: string;
  readonly flag: FlagSpec;
  /** From `--flag=value` or `-fvalue`. */
  readonly value?: string;
}

function matchFlag(spec: CommandSpec, argument: string): FlagMatch | undefined {
  const equals = argument.indexOf("=");
  for (const [key, flag] of Object.entries(spec.flags)) {
    if (flag.names.includes(argument)) return { key, flag };
    if (flag.value === undefined) continue;
    if (equals > 0 && flag.names.includes(argument.slice(0, equals))) {
      return { key, flag, value: argument.slice(equals + 1) };
    }
    const [short] = flag.names;
    if (flag.joined && short !== undefined && argument.startsWith(short)) {
      return { key, flag, value: argument.slice(short.length) };
    }
  }
  return undefined;
}

function missingValue(flag: FlagSpec, argument: string): string {
  return flag.missing ?? `${argument} requires a ${flag.value}`;
}
