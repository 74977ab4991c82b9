import type { FunctionType, Type } from "./types.ts";

/** Tuples and function types that nest deeper than this are shown as `..`. */
const SHOWN_DEPTH = 8;

/** A type as messages show it. */
export function typeText(type: Type): string {
  return textAt(type, 0);
}

function textAt(type: Type, depth: number): string {
  const part = (inner: Type): string => textAt(inner, depth + 1);
  if (depth > SHOWN_DEPTH && (type.kind === "tuple" || type.kind === "function")) return "..";
  switch (type.kind) {
    case "primitive":
      return type.name;
    case "tuple":
      return `(${type.members.map(part).join(", ")})`;
    case "array":
      return type.length === undefined ? `[${part(type.element)}]` : `[${part(type.element)}; ${type.length}]`;
    case "bounded":
      return `bounded[${part(type.element)}; ${type.capacity}]`;
    case "function":
      return functionText(type, part);
    case "perspective":
      return `perspective(${type.displayName})`;
    case "record":
    case "enum":
    case "interface":
    case "locus":
    case "scalar":
      return type.displayName;
    case "cell":
      return `Cell<${part(type.element)}>`;
    case "children":
      return "the children";
    case "error":
      return "?";
  }
}

function functionText({ params, result }: FunctionType, part: (inner: Type) => string): string {
  const returns = result.kind === "primitive" && result.name === "()" ? "" : ` -> ${part(result)}`;
  return `fn(${params.map(part).join(", ")})${returns}`;
}

/** Instances whose joined name would be longer than this are taken for an endless series of them. */
const MAX_NAME_LENGTH = 2000;

/** Whether type arguments have grown so far that instances seem to have no end. */
export function seemEndless(args: readonly Type[]): boolean {
  return args.some((arg) => nameLength(arg) > MAX_NAME_LENGTH);
}

const nameLengths = new WeakMap<Type, number>();

/** About the length of a type's joined name, found without making it: tuples of tuples can be longer than any String. */
function nameLength(type: Type): number {
  const known = nameLengths.get(type);
  if (known !== undefined) return known;
  const length =
    1 + partsOf(type).reduce((sum, part) => sum + nameLength(part), 0) + ("name" in type ? type.name.length : 6);
  nameLengths.set(type, length);
  return length;
}

function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case "tuple":
      return type.members;
    case "array":
    case "bounded":
    case "cell":
      return [type.element];
    case "function":
      return [...type.params, type.result];
    default:
      return [];
  }
}

/** A type's part in the joined name of a generic instance: `Int`, `Box_Int` (03 12.4.2). */
export function joinedName(type: Type): string {
  switch (type.kind) {
    case "primitive":
      return type.name === "()" ? "Unit" : type.name;
    case "tuple":
      return ["Tuple", ...type.members.map(joinedName)].join("_");
    case "array":
      return `Array_${joinedName(type.element)}_${type.length ?? ""}`;
    case "bounded":
      return `Bounded_${joinedName(type.element)}_${type.capacity}`;
    case "function":
      return ["Fn", ...type.params.map(joinedName), joinedName(type.result)].join("_");
    case "record":
    case "enum":
    case "interface":
    case "perspective":
    case "locus":
    case "scalar":
      return type.name;
    case "cell":
      return `Cell_${joinedName(type.element)}`;
    case "children":
    case "error":
      return "unknown";
  }
}

/** `a`, `b` and `c` in messages. */
export function listText(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** `an `Int``, `a `String``. */
export function withArticle(type: Type): string {
  const text = typeText(type);
  return `${/^[AEIOUaeiou]/.test(text) ? "an" : "a"} \`${text}\``;
}
