// What the decorators of a function promise (11.10), read into one shape.
import type { TypedFunction } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import type { Decorator, EffectSetItem } from "../syntax/index.ts";

/** A class as a set names it. */
export interface NamedClass {
  readonly name: string;
  readonly argument: string | undefined;
}

export type Assertion =
  | {
      readonly kind: "none" | "only" | "is" | "causes";
      readonly classes: readonly NamedClass[];
      readonly label: string;
      readonly span: Span;
    }
  /** Topics by path, or wire subjects as strings. */
  | { readonly kind: "publish"; readonly items: readonly EffectSetItem[]; readonly label: string; readonly span: Span }
  | { readonly kind: "no_panic"; readonly label: string; readonly span: Span };

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  no_syscall: ["syscall"],
  no_block: ["block"],
  no_ffi: ["ffi"],
  no_publish: ["publish"],
  no_spawn: ["spawn"],
  no_recursion: ["recursion"],
  deterministic: ["time", "entropy", "env"],
};

const known = new WeakMap<TypedFunction, readonly Assertion[]>();
const NO_ASSERTIONS: readonly Assertion[] = [];

export function assertionsOf(fn: TypedFunction): readonly Assertion[] {
  if (fn.decorators.length === 0) return NO_ASSERTIONS;
  const earlier = known.get(fn);
  if (earlier) return earlier;
  const assertions = fn.decorators.flatMap(read);
  known.set(fn, assertions);
  return assertions;
}

function read(decorator: Decorator): Assertion[] {
  const { name, span } = decorator;
  if (name === "no_panic") return [{ kind: "no_panic", label: "@no_panic", span }];
  const flag = FLAGS[name];
  if (flag) {
    const classes = flag.map((each) => ({ name: each, argument: undefined }));
    return [{ kind: "none", classes, label: `@${name}`, span }];
  }
  if (decorator.name !== "effects") return [];
  return decorator.entries.flatMap(({ key, set }): Assertion[] => {
    const label = `@effects(${key.text}: {${set.map(itemText).join(", ")}})`;
    switch (key.text) {
      case "none":
      case "only":
      case "is":
      case "causes":
        return [{ kind: key.text, classes: classesIn(set), label, span }];
      case "publish":
        return [{ kind: "publish", items: set, label, span }];
      default:
        return [];
    }
  });
}

/** The classes that a set names. */
export function classesIn(set: readonly EffectSetItem[]): NamedClass[] {
  return set.map((item) =>
    item.kind === "string"
      ? { name: item.value, argument: undefined }
      : { name: item.path.segments.map((segment) => segment.text).join("::"), argument: item.argument?.text },
  );
}

export function itemText(item: EffectSetItem): string {
  if (item.kind === "string") return `"${item.value}"`;
  const path = item.path.segments.map((segment) => segment.text).join("::");
  return item.argument ? `${path}(${item.argument.text})` : path;
}

export function namedText({ name, argument }: NamedClass): string {
  return argument === undefined ? name : `${name}(${argument})`;
}
