// A locus declaration (and its type arguments) as a type: fields, methods, hooks, slots. What relates loci to each other (accept, bus, closures,
// placement) is added by `finishLocus` once every declared locus has its members.
import type { FunctionDecl, LifecycleDecl, LocusMember, ModeDecl, OnFailureDecl, ParamField } from "../syntax/index.ts";
import type { Span } from "../source/index.ts";
import { type Context, type Env, withArguments } from "./context.ts";
import type { GenericFunction } from "./generics.ts";
import { finishLocus } from "./loci.ts";
import { instanceEnv, instanceKey, instanceNames } from "./nominal.ts";
import { resolveType, valueType } from "./resolve-types.ts";
import { joinedName, typeText } from "./type-text.ts";
import { initialiserOf, makeFunction, memberName } from "./signatures.ts";
import type { LocusSymbol } from "./symbols.ts";
import { isPoison, POISON, UNIT } from "./type-table.ts";
import type { TypedFunction } from "./typed.ts";
import type { LocusField, LocusType, Type } from "./types.ts";

/** The locus type of a declaration and its arguments. */
export function locusType(cx: Context, symbol: LocusSymbol, args: readonly Type[]): LocusType {
  const key = instanceKey(cx, args);
  const known = symbol.instances.get(key);
  if (known) return known;
  const type: LocusType = {
    kind: "locus",
    ...instanceNames(symbol, args),
    span: symbol.span,
    isMain: symbol.decl.isMain && symbol.scope.isRoot,
    isStd: symbol.scope.kind === "library",
    decl: symbol.decl,
    fields: [],
    methods: new Map(),
    hooks: {},
    accepts: undefined,
    releases: undefined,
    onFailure: [],
    closures: [],
    birthChecks: [],
    subscriptions: [],
    publications: [],
    placements: [],
    serves: [],
    form: undefined,
    slots: [],
    isSealed: symbol.decl.decorators.some((decorator) => decorator.name === "sealed"),
  };
  symbol.instances.set(key, type);
  const env = instanceEnv(symbol, args);
  cx.locusOrigins.set(type, { symbol, args, env });
  fillMembers(cx, type, env, symbol.decl.members);
  cx.unfinishedLoci.push(() => finishLocus(cx, type, symbol.decl, env));
  if (cx.areDeclarationsComplete) cx.completeLoci();
  return type;
}

/** Names that every locus has already (05 5.1.4). */
const SYNTHETIC_MEMBERS: ReadonlySet<string> = new Set(["children", "k_max", "draining"]);

function fillMembers(cx: Context, type: LocusType, env: Env, members: readonly LocusMember[]): void {
  const fields: LocusField[] = [];
  const methods = new Map<string, TypedFunction>();
  const onFailure: TypedFunction[] = [];
  for (const member of members) {
    switch (member.kind) {
      case "params":
        for (const field of member.fields) addField(cx, type, env, fields, field);
        break;
      case "function":
        addMethod(cx, type, env, methods, member);
        break;
      case "mode":
        addMode(cx, type, env, methods, member);
        break;
      case "lifecycle":
        addHook(cx, type, env, member);
        break;
      case "on_failure":
        onFailure.push(onFailureHandler(cx, type, env, member));
        break;
      case "const":
      case "record":
      case "enum":
      case "alias":
      case "scalar":
        cx.error(
          "E0503",
          member.span,
          `\`${member.name.text}\` cannot be declared inside a locus; declare it at the top level`,
        );
        break;
      default:
        break;
    }
    // The fields found so far are visible while the next member is looked at.
    type.fields = fields;
  }
  type.methods = methods;
  type.onFailure = onFailure;
}

function refuseReserved(cx: Context, name: string, span: Span): boolean {
  if (!SYNTHETIC_MEMBERS.has(name)) return false;
  cx.error("E0501", span, `\`${name}\` is reserved: every locus has a member of that name`);
  return true;
}

// ---------------------------------------------------------------- fields

function addField(cx: Context, type: LocusType, env: Env, fields: LocusField[], decl: ParamField): void {
  const name = decl.name.text;
  if (refuseReserved(cx, name, decl.name.span)) return;
  const earlier = fields.find((field) => field.name === name);
  if (earlier) {
    cx.error("E0502", decl.name.span, `param \`${name}\` is already declared in \`${type.name}\``, {
      related: [{ span: earlier.span, note: "first declared" }],
    });
    return;
  }
  const declared = decl.type ? valueType(cx, env, decl.type, "field") : POISON;
  const field: LocusField = {
    name,
    type: declared,
    span: decl.name.span,
    index: fields.length,
    defaultValue: undefined,
    implicitDefault: false,
  };
  fields.push(field);
  if (declared.kind === "bounded") {
    field.implicitDefault = true;
    if (decl.defaultValue)
      cx.error("E0807", decl.defaultValue.span, "a bounded field starts empty; change it with push/set/clear");
    return;
  }
  if (!decl.defaultValue) {
    if (!decl.type) cx.untypedFields.set(field, { owner: type, env, kind: "use" });
    return;
  }
  if (!decl.type) cx.untypedFields.set(field, { owner: type, env, kind: "default", expr: decl.defaultValue });
  else {
    field.defaultValue = initialiserOf(cx, env, {
      name: memberName(type, name),
      self: type,
      result: declared,
      expr: decl.defaultValue,
      field,
    });
    if (isPoison(declared)) field.implicitDefault = true;
  }
}

// ---------------------------------------------------------------- methods, modes

function addMethod(
  cx: Context,
  type: LocusType,
  env: Env,
  methods: Map<string, TypedFunction>,
  decl: FunctionDecl,
): void {
  const name = decl.name.text;
  if (refuseReserved(cx, name, decl.name.span)) return;
  const generic = cx.genericMethods.get(type);
  const earlier = methods.get(name)?.nameSpan ?? generic?.get(name)?.decl.name.span;
  if (earlier) {
    cx.error("E0502", decl.name.span, `\`${type.name}\` already has a method \`${name}\``, {
      related: [{ span: earlier, note: "first declared" }],
    });
    return;
  }
  if (decl.generics.length > 0)
    cx.genericMethods.set(type, new Map(generic).set(name, genericMethod(cx, type, env, methods, decl)));
  else methods.set(name, methodOf(cx, type, env, decl, memberName(type, name)));
}

/** A method with type parameters of its own: each list of type arguments makes a method (04 2.2). */
function genericMethod(
  cx: Context,
  type: LocusType,
  env: Env,
  methods: Map<string, TypedFunction>,
  decl: FunctionDecl,
): GenericFunction {
  const instanceOf = (args: readonly Type[]): TypedFunction => {
    const key = `${decl.name.text}<${instanceKey(cx, args)}>`;
    const known = methods.get(key);
    if (known) return known;
    const name = [memberName(type, decl.name), ...args.map(joinedName)].join("_");
    const method = methodOf(cx, type, withArguments(env, decl, args), decl, name);
    methods.set(key, method);
    return method;
  };
  return { decl, env, instanceOf };
}

function methodOf(cx: Context, type: LocusType, env: Env, decl: FunctionDecl, name: string): TypedFunction {
  const method = makeFunction(cx, {
    name,
    role: "method",
    env,
    self: type,
    params: decl.params,
    result: decl.result,
    fallible: decl.fallible,
    body: decl.body,
    decorators: decl.decorators,
    span: decl.span,
    nameSpan: decl.name.span,
  }); // prettier-ignore
  if (decl.result && method.result.kind === "locus") {
    cx.error(
      "E0507",
      decl.result.span,
      "methods may not return a locus; return data, own the child as a field, or publish",
    );
  }
  if (decl.fallible && method.fallible?.kind === "locus")
    cx.error("E0507", decl.fallible.span, "a method may not fail with a locus");
  return method;
}

function addMode(cx: Context, type: LocusType, env: Env, methods: Map<string, TypedFunction>, decl: ModeDecl): void {
  if (methods.has(decl.mode)) {
    cx.error("E0502", decl.nameSpan, `\`${type.name}\` already has a mode \`${decl.mode}\``);
    return;
  }
  const mode = makeFunction(cx, {
    name: memberName(type, decl.mode),
    role: "mode",
    env,
    self: type,
    params: decl.params,
    result: decl.result,
    body: decl.body,
    span: decl.span,
    nameSpan: decl.nameSpan,
  }); // prettier-ignore
  methods.set(decl.mode, mode);
}

// ---------------------------------------------------------------- hooks

function addHook(cx: Context, type: LocusType, env: Env, decl: LifecycleDecl): void {
  if (type.hooks[decl.hook]) {
    cx.error("E0504", decl.nameSpan, `\`${type.name}\` already has \`${decl.hook}\`; a hook may stand once`);
    return;
  }
  const takesChild = decl.hook === "accept" || decl.hook === "release";
  if (takesChild && decl.params.length !== 1)
    cx.error("E0505", decl.nameSpan, `\`${decl.hook}\` takes exactly one parameter, the child`);
  if (!takesChild && decl.params.length > 0) cx.error("E0505", decl.nameSpan, `\`${decl.hook}\` takes no parameters`);
  if (decl.result && resolveType(cx, env, decl.result) !== UNIT)
    cx.error("E0506", decl.result.span, `\`${decl.hook}\` has no result`);
  const hook = makeFunction(cx, {
    name: memberName(type, decl.hook),
    role: "hook",
    env,
    self: type,
    params: decl.params,
    body: decl.body,
    span: decl.span,
    nameSpan: decl.nameSpan,
    decorators: decl.unbounded ? [{ name: "unbounded", span: decl.span }] : [],
  }); // prettier-ignore
  type.hooks[decl.hook] = hook;
  const child = hook.params[0];
  if (!takesChild || !child || isPoison(child.type)) return;
  if (child.type.kind !== "locus")
    cx.error("E0505", child.span, `\`${decl.hook}\` takes a child locus, not \`${typeText(child.type)}\``);
  else if (decl.hook === "accept") type.accepts = child.type;
  else type.releases = child.type;
}

function onFailureHandler(cx: Context, type: LocusType, env: Env, decl: OnFailureDecl): TypedFunction {
  const child = decl.params[0]?.type;
  const suffix = child?.kind === "named" ? `_${child.path.segments.at(-1)?.text ?? ""}` : "";
  return makeFunction(cx, {
    name: memberName(type, `on_failure${suffix}`),
    role: "on_failure",
    env,
    self: type,
    params: decl.params,
    body: decl.body,
    span: decl.span,
    nameSpan: decl.nameSpan,
  }); // prettier-ignore
}
