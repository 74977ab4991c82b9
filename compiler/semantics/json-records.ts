// `T::from_json` and `T::to_json` of records with `json:` tags (09-std-a2 3): Hale functions over std::json, written out for each record.
import { parseFile, type Path } from "../syntax/index.ts";
import { SourceFile } from "../source/index.ts";
import { type Body, poison } from "./body.ts";
import { type CallExpr, checkArguments, giveUp, signatureOf } from "./calls.ts";
import type { Context } from "./context.ts";
import { injectedError } from "./injected.ts";
import { libraryScope, pathText } from "./lookup.ts";
import { makeFunction } from "./signatures.ts";
import { BOOL, FLOAT, INT, STRING } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr, TypedFunction } from "./typed.ts";
import type { FieldInfo, RecordType, Type } from "./types.ts";

export type JsonFunction = "from_json" | "to_json";

export function isJsonFunction(name: string): name is JsonFunction {
  return name === "from_json" || name === "to_json";
}

/** A call of one of the two functions of a record. */
export function jsonCall(body: Body, expr: CallExpr, path: Path, type: RecordType, name: JsonFunction): TypedExpr {
  const { cx } = body;
  if (!isDerived(cx, type)) {
    cx.error(
      "E0905",
      path.span,
      `\`${typeText(type)}\` has no \`${name}\`: it needs a \`json:\` tag and only Int, Float, Bool, String and tagged record fields`,
    );
    return giveUp(body, expr);
  }
  const fn = name === "from_json" ? derivedFunctions(cx, type).from : derivedFunctions(cx, type).to;
  cx.reach(fn);
  const args = checkArguments(body, signatureOf(body, fn, pathText(path), path.span), expr.args);
  if (!args) return poison(expr.span);
  return {
    kind: "call",
    callee: { kind: "function", function: fn },
    args,
    fallible: fn.fallible,
    type: fn.result,
    span: expr.span,
  };
}

/** The key that a field has in JSON: its tag's, or its name. */
function jsonKey({ name, tag }: FieldInfo): string {
  return jsonTag(tag) ?? name;
}

function jsonTag(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : /(?:^|\s)json:"([^"]*)"/.exec(tag)?.[1];
}

/** Whether a record gets the functions: some field has a `json:` tag, and every field is one of four types or such a record. */
function isDerived(cx: Context, type: RecordType, seen = new Set<RecordType>()): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  const isGeneric = (cx.recordOrigins.get(type)?.args.length ?? 0) > 0;
  if (isGeneric || !type.fields.some((field) => jsonTag(field.tag) !== undefined)) return false;
  return type.fields.every(
    (field) => isPlain(field.type) || (field.type.kind === "record" && isDerived(cx, field.type, new Set(seen))),
  );
}

function isPlain(type: Type): boolean {
  return type === INT || type === FLOAT || type === BOOL || type === STRING;
}

// ---------------------------------------------------------------- the functions

function derivedFunctions(cx: Context, type: RecordType): { readonly from: TypedFunction; readonly to: TypedFunction } {
  const known = cx.jsonFunctions.get(type);
  if (known) return known;
  const scope = libraryScope(cx, "json");
  if (!scope) throw new Error("unreachable: the library has std::json");
  const file = new SourceFile(`std/json.hl (${type.name})`, `${decoder(cx, type)}\n${encoder(type)}\n`, true);
  const { ast } = parseFile(file);
  const generics = new Map<string, Type>([["T", type]]);
  for (const [i, field] of type.fields.entries()) generics.set(`T${i}`, field.type);
  injectedError(cx, "JsonError");
  const [from, to] = ast.declarations.flatMap((decl) =>
    decl.kind === "function"
      ? [
          makeFunction(cx, {
            name: `${typeText(type)}::${decl.name.text}`,
            role: "free",
            env: { scope, generics },
            params: decl.params,
            result: decl.result,
            fallible: decl.fallible,
            body: decl.body,
            span: decl.span,
            nameSpan: decl.name.span,
          }),
        ]
      : [],
  ); // prettier-ignore
  if (!from || !to) throw new Error("unreachable: a derived function does not parse");
  const made = { from, to };
  cx.jsonFunctions.set(type, made);
  return made;
}

/** Reading: the members are walked once, the last of equal keys counts; then what is missing; then the nested records, in order. */
function decoder(cx: Context, type: RecordType): string {
  const fields = type.fields.map((field, i) => ({
    field,
    i,
    key: haleString(jsonKey(field)),
    preset: bareDefault(cx, type, field),
  }));
  const lines = ["fn from_json(s: String) -> T fallible(JsonError) {"];
  for (const { field, i, preset } of fields)
    lines.push(`let mut f${i} = ${preset ?? zero(field.type)};`, `let mut h${i} = ${preset !== undefined};`);
  lines.push("let mut it = __record_members(s);", "while !it.done {");
  for (const { field, i, key } of fields)
    lines.push(`if obj_key_eq(it, s, ${key}) { f${i} = ${reading(field.type)}; h${i} = true; }`);
  lines.push("it = object_next(it, s);", "}");
  for (const { i, key } of fields) lines.push(`if !h${i} { fail JsonError { kind: "missing_field", field: ${key} }; }`);
  for (const { field, i } of fields)
    if (field.type.kind === "record") lines.push(`let n${i} = T${i}::from_json(f${i}) or raise;`);
  const inits = fields.map(({ field, i }) => `${field.name}: ${field.type.kind === "record" ? "n" : "f"}${i}`);
  lines.push(`return T { ${inits.join(", ")} };`, "}");
  return lines.join("\n");
}

function reading(type: Type): string {
  if (type === INT) return "obj_value_int(it, s)";
  if (type === FLOAT) return "obj_value_float(it, s)";
  if (type === BOOL) return "obj_value_bool(it, s)";
  return type === STRING ? "__between_ends(obj_value_raw(it, s))" : "obj_value_raw(it, s)";
}

function zero(type: Type): string {
  if (type === INT) return "0";
  if (type === FLOAT) return "0.0";
  return type === BOOL ? "false" : `""`;
}

/** A default that makes a field optional: a literal as it stands, of one of the four types. */
function bareDefault(cx: Context, type: RecordType, field: FieldInfo): string | undefined {
  const decl = cx.recordOrigins.get(type)?.symbol.decl.fields.find((candidate) => candidate.name.text === field.name);
  const value = decl?.defaultValue;
  if (!value || !isPlain(field.type)) return undefined;
  switch (value.kind) {
    case "int":
      return field.type === FLOAT ? `${value.value}.0` : String(value.value);
    case "float":
    case "string":
      return value.span.file.text.slice(value.span.start, value.span.end);
    case "bool":
      return String(value.value);
    default:
      return undefined;
  }
}

/** Writing: every field in order of declaration, no spaces. */
function encoder(type: RecordType): string {
  const parts = type.fields.map(
    (field, i) => `${haleString(`${i === 0 ? "{" : ","}"${jsonKey(field)}":`)} + ${writing(field, i)}`,
  );
  return `fn to_json(v: T) -> String {\nreturn ${parts.join(" + ")} + "}";\n}`;
}

function writing({ name, type }: FieldInfo, i: number): string {
  if (type === STRING) return `"\\"" + escape_string(v.${name}) + "\\""`;
  return isPlain(type) ? `to_string(v.${name})` : `T${i}::to_json(v.${name})`;
}

/** A text as a Hale string literal. */
function haleString(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}
