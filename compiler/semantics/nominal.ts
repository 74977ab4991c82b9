// Records, enums, interfaces, perspectives and aliases: from declaration (and type arguments) to type. A type object is registered before its parts
// are resolved, so declarations may refer to each other in any order.
import type { FunctionDecl } from "../syntax/index.ts";
import { type Context, type Env, NO_GENERICS, withArguments } from "./context.ts";
import { checkBound, resolveType, valueType } from "./resolve-types.ts";
import {
  type AliasSymbol,
  type EnumSymbol,
  type InterfaceSymbol,
  type PerspectiveSymbol,
  qualified,
  type RecordSymbol,
} from "./symbols.ts";
import { POISON, UNIT } from "./type-table.ts";
import { joinedName, typeText } from "./type-text.ts";
import type {
  EnumType,
  FieldInfo,
  InterfaceType,
  MethodSignature,
  PerspectiveType,
  RecordType,
  Type,
  VariantInfo,
} from "./types.ts";

export { locusType } from "./locus-type.ts";
export { scalarType } from "./scalar-type.ts";

/** The record type of a declaration and its arguments. */
export function recordType(cx: Context, symbol: RecordSymbol, args: readonly Type[]): RecordType {
  const key = instanceKey(cx, args);
  const known = symbol.instances.get(key);
  if (known) return known;
  const type: RecordType = { kind: "record", ...instanceNames(symbol, args), span: symbol.span, fields: [] };
  symbol.instances.set(key, type);
  const env = instanceEnv(symbol, args);
  cx.recordOrigins.set(type, { symbol, args, env });
  type.fields = resolveFields(cx, symbol, env);
  return type;
}

function resolveFields(cx: Context, symbol: RecordSymbol, env: Env): FieldInfo[] {
  const fields: FieldInfo[] = [];
  const seen = new Map<string, FieldInfo>();
  for (const field of symbol.decl.fields) {
    const name = field.name.text;
    const type = recordFieldType(cx, env, field.type, name, symbol.name);
    const info: FieldInfo = {
      name,
      type,
      span: field.name.span,
      hasDefault: field.defaultValue !== undefined,
      ...(field.tag === undefined ? {} : { tag: field.tag }),
    }; // prettier-ignore
    const earlier = seen.get(name);
    if (earlier) {
      cx.error("E0303", field.name.span, `field \`${name}\` is already declared in \`${symbol.name}\``, {
        related: [{ span: earlier.span, note: "first declared" }],
      });
      continue;
    }
    seen.set(name, info);
    fields.push(info);
  }
  return fields;
}

function recordFieldType(
  cx: Context,
  env: Env,
  expr: Parameters<typeof valueType>[2],
  field: string,
  record: string,
): Type {
  const type = valueType(cx, env, expr, "field");
  if (type.kind !== "locus" && type.kind !== "perspective") return type;
  cx.error(
    "E0321",
    expr.span,
    `field \`${field}\` of \`${record}\` cannot hold a locus; hold it in a locus, or through an interface`,
  );
  return POISON;
}

/** The enum type of a declaration and its arguments. */
export function enumType(cx: Context, symbol: EnumSymbol, args: readonly Type[]): EnumType {
  const key = instanceKey(cx, args);
  const known = symbol.instances.get(key);
  if (known) return known;
  const type: EnumType = { kind: "enum", ...instanceNames(symbol, args), span: symbol.span, variants: [] };
  symbol.instances.set(key, type);
  const env = instanceEnv(symbol, args);
  cx.enumOrigins.set(type, { symbol, args, env });
  const variants: VariantInfo[] = [];
  for (const variant of symbol.decl.variants) {
    if (variants.some((earlier) => earlier.name === variant.name.text)) {
      cx.error(
        "E0303",
        variant.name.span,
        `variant \`${variant.name.text}\` is already declared in \`${symbol.name}\``,
      );
      continue;
    }
    const payload = variant.payload.map((expr) => {
      const part = valueType(cx, env, expr);
      if (part.kind !== "locus" && part.kind !== "perspective") return part;
      cx.error("E0321", expr.span, `\`${typeText(part)}\` cannot be a payload of \`${symbol.name}\``);
      return POISON;
    });
    variants.push({ name: variant.name.text, payload });
  }
  type.variants = variants;
  return type;
}

export function interfaceType(cx: Context, symbol: InterfaceSymbol): InterfaceType {
  if (symbol.type) return symbol.type;
  const displayName = qualified(symbol.scope, symbol.name);
  const type: InterfaceType = { kind: "interface", name: symbol.name, displayName, span: symbol.span, methods: [] };
  symbol.type = type;
  type.methods = resolveMethods(cx, { scope: symbol.scope, generics: NO_GENERICS }, symbol.decl.methods, symbol.name);
  return type;
}

export function perspectiveType(cx: Context, symbol: PerspectiveSymbol): PerspectiveType {
  if (symbol.type) return symbol.type;
  const displayName = qualified(symbol.scope, symbol.name);
  const type: PerspectiveType = { kind: "perspective", name: symbol.name, displayName, span: symbol.span, methods: [] };
  symbol.type = type;
  const methods = symbol.decl.members.filter((member) => member.kind === "function");
  type.methods = resolveMethods(cx, { scope: symbol.scope, generics: NO_GENERICS }, methods, symbol.name);
  return type;
}

function resolveMethods(cx: Context, env: Env, decls: readonly FunctionDecl[], owner: string): MethodSignature[] {
  const methods: MethodSignature[] = [];
  for (const decl of decls) {
    const name = decl.name.text;
    if (methods.some((earlier) => earlier.name === name)) {
      cx.error("E0303", decl.name.span, `method \`${name}\` is already declared in \`${owner}\``);
      continue;
    }
    methods.push({
      name,
      params: decl.params.map((param) => valueType(cx, env, param.type, "param")),
      result: decl.result ? resolveType(cx, env, decl.result) : UNIT,
      fallible: decl.fallible ? valueType(cx, env, decl.fallible) : undefined,
      span: decl.name.span,
    });
  }
  return methods;
}

/** What an alias stands for (03 14). */
export function aliasTarget(cx: Context, symbol: AliasSymbol): Type {
  if (symbol.target === "resolving") {
    cx.error("E0319", symbol.span, `alias \`${symbol.name}\` stands for itself`);
    symbol.target = POISON;
    return POISON;
  }
  if (symbol.target) return symbol.target;
  symbol.target = "resolving";
  const target = resolveType(cx, { scope: symbol.scope, generics: NO_GENERICS }, symbol.decl.target);
  symbol.target = target;
  return target;
}

// ---------------------------------------------------------------- instances

interface Generic {
  readonly name: string;
  readonly scope: RecordSymbol["scope"];
  readonly decl: { readonly generics: readonly { readonly name: { readonly text: string } }[] };
}

export function instanceKey(cx: Context, args: readonly Type[]): string {
  return args.map((arg) => cx.types.idOf(arg)).join(",");
}

/** `Box_Int` for programs and `Box<Int>` for messages. */
export function instanceNames(symbol: Generic, args: readonly Type[]): { readonly name: string; displayName: string } {
  const display = qualified(symbol.scope, symbol.name);
  if (args.length === 0) return { name: symbol.name, displayName: display };
  return {
    name: [symbol.name, ...args.map(joinedName)].join("_"),
    displayName: `${display}<${args.map(typeText).join(", ")}>`,
  };
}

export function instanceEnv(symbol: Generic, args: readonly Type[]): Env {
  if (args.length === 0) return { scope: symbol.scope, generics: NO_GENERICS };
  return withArguments({ scope: symbol.scope, generics: NO_GENERICS }, symbol.decl, args);
}

/** Reports bounds that do not exist in a declaration's type parameters. */
export function checkGenericBounds(
  cx: Context,
  decl: { readonly generics: readonly { readonly bound?: Parameters<typeof checkBound>[1] }[] },
): void {
  for (const generic of decl.generics) if (generic.bound) checkBound(cx, generic.bound);
}
