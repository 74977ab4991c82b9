// What names in contracts and claims mean: they are those of the seed that wrote them (11b.6).
import type { TopicInfo, TypedProgram, TypedSeed } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import type { Path } from "../syntax/index.ts";

/** The seed that a place belongs to; undefined in the library. */
export function seedOf({ seeds }: TypedProgram, { file }: Span): TypedSeed | undefined {
  return seeds.find((seed) => seed.files.includes(file));
}

/** The topic that `T` or `alias::T` names. */
export function topicAt(seed: TypedSeed, path: Path): TopicInfo | undefined {
  const [first, second, beyond] = path.segments;
  if (!first || beyond) return undefined;
  return second ? seed.imports.get(first.text)?.topics.get(second.text) : seed.topics.get(first.text);
}

/** A path as written. */
export function pathOf(path: Path): string {
  return path.segments.map((segment) => segment.text).join("::");
}
