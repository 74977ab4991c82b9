// What messages call the things of a program: `Locus::method`, `alias::name`, `std::a::b::name` (11.1, "Whose findings").
import type { LocusType, TypedFunction } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";

/** A locus without its type arguments. */
export function locusName(locus: LocusType): string {
  const arguments_ = locus.displayName.indexOf("<");
  return arguments_ < 0 ? locus.displayName : locus.displayName.slice(0, arguments_);
}

/** A free function by its name, a member as `Locus::member`; instances of a generic one are not told apart. */
export function functionName(fn: TypedFunction): string {
  if (fn.self) return `${locusName(fn.self)}::${memberName(fn)}`;
  const written = textOf(fn.nameSpan);
  const start = fn.name.lastIndexOf("::") < 0 ? 0 : fn.name.lastIndexOf("::") + 2;
  const isInstance = fn.name.slice(start).startsWith(`${written}_`);
  return isInstance ? fn.name.slice(0, start) + written : fn.name;
}

/** The last part: `on_order`, `run`. */
export function memberName(fn: TypedFunction): string {
  if (fn.role === "on_failure") return "on_failure";
  return fn.name.slice(Math.max(fn.name.lastIndexOf("."), fn.name.lastIndexOf("::") + 1) + 1);
}

/** The most functions of a way that a message shows. */
const MOST_SHOWN = 24;

/** `a -> b -> c`; the middle of a long way is left out. */
export function wayText(names: readonly string[]): string {
  return shortened(names).join(" -> ");
}

/** The hops of a way that a message shows; `arrow` ends what stands for those that are left out. */
export function shortened(hops: readonly string[], arrow = ""): readonly string[] {
  if (hops.length <= MOST_SHOWN) return hops;
  const half = MOST_SHOWN / 2;
  return [...hops.slice(0, half), `(${hops.length - 2 * half} more)${arrow}`, ...hops.slice(-half)];
}

export function textOf({ file, start, end }: Span): string {
  return file.text.slice(start, end);
}

/** Whether the checker made a function itself: it has no name of its own in the source. */
export function isGenerated({ span, nameSpan }: TypedFunction): boolean {
  return span.file === nameSpan.file && span.start === nameSpan.start && span.end === nameSpan.end;
}

/** Whether a place lies inside another one. */
export function isWithin(span: Span, outer: Span): boolean {
  return span.file === outer.file && span.start >= outer.start && span.end <= outer.end;
}
