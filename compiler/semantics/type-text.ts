import type { FunctionType, Type } from "./types.ts";

/** A type as messages show it. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case "primitive":
      return type.name;
    case "tuple":
      return `(${type.members.map(typeText).join(", ")})`;
    case "array":
      return type.length === undefined ? `[${typeText(type.element)}]` : `[${typeText(type.element)}; ${type.length}]`;
    case "bounded":
      return `bounded[${typeText(type.element)}; ${type.capacity}]`;
    case "function":
      return functionText(type);
    case "perspective":
      return `perspective(${type.displayName})`;
    case "record":
    case "enum":
    case "interface":
    case "locus":
    case "scalar":
      return type.displayName;
    case "cell":
      return `Cell<${typeText(type.element)}>`;
    case "children":
      return "the children";
    case "error":
      return "?";
  }
}

function functionText({ params, result }: FunctionType): string {
  const returns = result.kind === "primitive" && result.name === "()" ? "" : ` -> ${typeText(result)}`;
  return `fn(${params.map(typeText).join(", ")})${returns}`;
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
