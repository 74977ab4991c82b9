import type { CommandSpec, FlagSpec, HelpSection } from "./arguments.ts";
import { COMMANDS } from "./catalog.ts";

/** `hale --help`: what there is. */
export function generalUsage(): string {
  return [
    "hale - the Hale toolchain",
    "",
    "Usage:",
    "  hale <command> [arguments]",
    "",
    ...section({ title: "Commands", rows: COMMANDS.map(({ name, summary }) => [name, summary] as const) }),
    "",
    ...section({
      title: "More",
      rows: [
        ["hale <command> --help", "what a command does, its flags, its exit status"],
        ["hale --version", "the version"],
      ],
    }),
    "",
  ].join("\n");
}

/** `hale <command> --help`: one command's page. */
export function commandHelp(spec: CommandSpec): string {
  const flags = Object.values(spec.flags).map((flag) => [spellings(flag), flag.help] as const);
  const flagRows = [...flags, ["-h, --help", "this page"] as const];
  return [
    `hale ${spec.name} - ${spec.summary}`,
    "",
    "Usage:",
    ...spec.synopsis.map((line) => `  ${line}`),
    "",
    ...spec.description,
    "",
    ...section({ title: "Flags", rows: flagRows }),
    ...(spec.sections ?? []).flatMap((each) => ["", ...section(each)]),
    "",
  ].join("\n");
}

/** The first lines of a command's page: what a usage error ends with. */
export function commandUsage(spec: CommandSpec): string {
  return [
    "Usage:",
    ...spec.synopsis.map((line) => `  ${line}`),
    "",
    `\`hale ${spec.name} --help\` tells more.`,
    "",
  ].join("\n");
}

function spellings(flag: FlagSpec): string {
  const names = flag.names.join(", ");
  if (flag.value === undefined) return names;
  return flag.optional ? `${names}[=<${flag.value}>]` : `${names} <${flag.value}>`;
}

function section({ title, rows }: HelpSection): string[] {
  const width = Math.max(0, ...rows.map((row) => (typeof row === "string" ? 0 : row[0].length)));
  return [
    `${title}:`,
    ...rows.map((row) => `  ${typeof row === "string" ? row : `${row[0].padEnd(width)}  ${row[1]}`}`),
  ];
}
