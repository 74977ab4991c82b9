// The packages that `[deps]` of hale.toml names (reference 08 4.2).
import type { Toml, TomlValue } from "../toml.ts";

/** Which state of the repository is wanted: a commit, a tag or a branch; its default branch where none is named. */
export type Revision =
  | { readonly kind: "rev" | "tag" | "branch"; readonly name: string }
  | { readonly kind: "default" };

export interface Dependency {
  readonly name: string;
  /** What `git clone` takes. */
  readonly git: string;
  readonly revision: Revision;
}

const REVISIONS = ["rev", "tag", "branch"] as const;

/** The packages in order of name, or what is wrong with one. */
export function dependenciesOf(toml: Toml): readonly Dependency[] | { readonly problem: string } {
  const [scalar] = toml.get("deps")?.keys() ?? [];
  if (scalar !== undefined) return { problem: `deps.${scalar} is a table: ${scalar} = { git = ".." }` };
  const found: Dependency[] = [];
  for (const [table, entries] of toml) {
    if (!table.startsWith("deps.")) continue;
    const dependency = dependencyOf(table.slice("deps.".length), entries);
    if ("problem" in dependency) return dependency;
    found.push(dependency);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function dependencyOf(
  name: string,
  entries: ReadonlyMap<string, TomlValue>,
): Dependency | { readonly problem: string } {
  const fail = (words: string) => ({ problem: `deps.${name}${words}` });
  // The name becomes a directory, and the values words of a command line.
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) return fail(": the name is letters, digits, `_`, `-` and `.`");
  for (const [key, value] of entries) {
    if (key !== "git" && !REVISIONS.some((each) => each === key)) return fail(`: unknown key \`${key}\``);
    if (typeof value !== "string" || value === "" || value.startsWith("-"))
      return fail(`.${key} is a text that does not begin with \`-\``);
  }
  const git = entries.get("git");
  if (typeof git !== "string") return fail(" states no `git`");
  const named = REVISIONS.flatMap((kind) => {
    const value = entries.get(kind);
    return typeof value === "string" ? [{ kind, name: value }] : [];
  });
  if (named.length > 1) return fail(" states more than one of `rev`, `tag` and `branch`");
  return { name, git, revision: named[0] ?? { kind: "default" } };
}
