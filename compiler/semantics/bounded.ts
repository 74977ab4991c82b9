// `bounded[T; N]`: operations written as free calls (07 10).
import type { Name } from "../syntax/index.ts";
import { type Body, poison } from "./body.ts";
import { type CallExpr, checkArguments } from "./calls.ts";
import { checkExpr, checkValue } from "./expressions.ts";
import { injectedError } from "./injected.ts";
import type { MemberCallee } from "./methods.ts";
import { INT, UNIT } from "./type-table.ts";
import type { BuiltinName, TypedExpr } from "./typed.ts";
import type { BoundedType, Type } from "./types.ts";

interface Operation {
  readonly builtin: BuiltinName;
  readonly params: readonly Type[];
  readonly result: Type;
  readonly fails?: "CapacityError" | "IndexError";
}

function operation(name: string, { element }: BoundedType): Operation | undefined {
  switch (name) {
    case "push":
      return { builtin: "bounded-push", params: [element], result: UNIT, fails: "CapacityError" };
    case "at":
      return { builtin: "bounded-at", params: [INT], result: element, fails: "IndexError" };
    case "set":
      return { builtin: "bounded-set", params: [INT, element], result: UNIT, fails: "IndexError" };
    case "count":
      return { builtin: "bounded-count", params: [], result: INT };
    case "clear":
      return { builtin: "bounded-clear", params: [], result: UNIT };
    case "truncate":
      return { builtin: "bounded-truncate", params: [INT], result: INT };
    default:
      return undefined;
  }
}

/** The built-in that a call of one of the six names means, also where the program has a function of that name; undefined: its first argument is no bounded place. */
export function boundedCall(body: Body, expr: CallExpr, name: Name): TypedExpr | undefined {
  const [target, ...rest] = expr.args;
  if (!target || (target.kind !== "path" && target.kind !== "member")) return undefined;
  const buffer = probePlace(body, target);
  if (buffer?.type.kind !== "bounded") return undefined;
  const op = operation(name.text, buffer.type);
  if (!op) return undefined;
  const params = [buffer.type, ...op.params];
  const given = [buffer, ...rest.map((arg, i) => checkValue(body, arg, op.params[i]))];
  const args = checkArguments(body, { name: name.text, params, span: name.span, site: "value" }, expr.args, given);
  if (!args) return poison(expr.span);
  const fallible = op.fails && injectedError(body.cx, op.fails);
  return { kind: "builtin", name: op.builtin, args, fallible, type: op.result, span: expr.span };
}

/** The first argument, when it begins with a local or `self`: only then can it be a bounded place, and only then is it safe to look twice. */
function probePlace(body: Body, target: CallExpr["args"][number]): TypedExpr | undefined {
  let root = target;
  while (root.kind === "member") root = root.receiver;
  const isPlace =
    root.kind === "self" ||
    (root.kind === "path" &&
      root.path.segments.length === 1 &&
      body.lookup(root.path.segments[0]?.text ?? "") !== undefined);
  return isPlace ? checkExpr(body, target) : undefined;
}

/** `f.get(i)`. */
export function boundedMethod(
  body: Body,
  expr: CallExpr,
  callee: MemberCallee,
  receiver: TypedExpr,
  type: BoundedType,
): TypedExpr | undefined {
  if (callee.name.text !== "get") return undefined;
  const args = checkArguments(body, { name: "get", params: [INT], span: callee.name.span }, expr.args);
  if (!args) return poison(expr.span);
  return {
    kind: "builtin",
    name: "bounded-at",
    args: [receiver, ...args],
    fallible: injectedError(body.cx, "IndexError"),
    type: type.element,
    span: expr.span,
  };
}
