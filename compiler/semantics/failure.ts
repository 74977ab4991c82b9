// `violate` and the recovery statements of `on_failure` (05b 5b.6, 5b.9).
import type { LocusDecl, OnFailureDecl, Stmt } from "../syntax/index.ts";
import type { Body } from "./body.ts";
import { inlineClosure } from "./closures.ts";
import type { Context } from "./context.ts";
import { checkValue, withoutParens } from "./expressions.ts";
import { injectedError } from "./injected.ts";
import { INT, isPoison } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedStmt } from "./typed.ts";
import type { LocusType } from "./types.ts";

export function checkViolate(body: Body, statement: Stmt & { readonly kind: "violate" }): TypedStmt | undefined {
  const { cx, self } = body;
  const payload = statement.payload && checkValue(body, statement.payload);
  if (!self) {
    cx.error("E0606", statement.span, "`violate` needs a locus; use `fail`");
    return undefined;
  }
  if (body.fn.role === "on_failure") {
    cx.error("E0606", statement.span, "`violate` is not allowed in `on_failure`; use `bubble`");
    return undefined;
  }
  const closure = inlineClosure(cx, self, statement.closure);
  return closure && { kind: "violate", closure, payload, span: statement.span };
}

export function checkRecovery(body: Body, statement: Stmt & { readonly kind: "recovery" }): TypedStmt | undefined {
  const { cx } = body;
  const { action, span, limit } = statement;
  const args = statement.args.map((arg) => checkValue(body, arg));
  const [argument, second] = args;
  if (body.fn.role !== "on_failure") {
    cx.error("E0608", statement.actionSpan, `\`${action}\` is only valid in on_failure`);
    return undefined;
  }
  if (action === "reorganize") {
    cx.error(
      "E0608",
      statement.actionSpan,
      "`reorganize` is not available; use `restart`, `restart_in_place`, `quarantine` or `bubble`",
    );
    return undefined;
  }
  if (!argument || second) {
    cx.error(
      "E0608",
      statement.actionSpan,
      `\`${action}\` takes one argument, ${action === "bubble" ? "the violation" : "the failed child"}`,
    );
    return undefined;
  }
  const [child, violation] = body.fn.params;
  const wanted = action === "bubble" ? violation : child;
  const written = statement.args[0] && withoutParens(statement.args[0]);
  const isWanted =
    action === "bubble" ? argument.type === wanted?.type : argument.kind === "local" && argument.local === wanted;
  if (!isWanted && !isPoison(argument.type)) {
    cx.error(
      "E0608",
      written?.span ?? span,
      `\`${action}\` takes the handler's own parameter \`${wanted?.name ?? ""}\``,
    );
    return undefined;
  }
  if (!limit) return { kind: "recovery", action, argument, limit: undefined, span };
  if (limit.kind === "until" || action === "quarantine" || action === "bubble") {
    checkValue(body, limit.value);
    cx.error(
      "E0608",
      limit.value.span,
      `\`${action}(..) ${limit.kind} ..\` is not available; only \`restart\` and \`restart_in_place\` take \`for <count>\``,
    );
    return undefined;
  }
  const count = checkValue(body, limit.value);
  if (count.type !== INT && !isPoison(count.type))
    cx.error("E0608", count.span, `\`for\` takes an Int, not \`${typeText(count.type)}\``);
  return { kind: "recovery", action, argument, limit: count, span };
}

/** The parameters of the handlers, and one handler per child type (05b 5b.8). */
export function checkHandlers(cx: Context, type: LocusType, decl: LocusDecl): void {
  const decls = decl.members.filter((member): member is OnFailureDecl => member.kind === "on_failure");
  const violation = injectedError(cx, "ClosureViolation");
  type.onFailure.forEach((handler, i) => {
    const written = decls[i];
    if (!written) return;
    const [child, record] = handler.params;
    if (!child || !record || handler.params.length !== 2) {
      cx.error(
        "E0609",
        written.nameSpan,
        "`on_failure` takes exactly two parameters: a child locus and a `ClosureViolation`",
      );
      return;
    }
    if (child.type.kind !== "locus" && !isPoison(child.type))
      cx.error(
        "E0609",
        written.params[0]?.type.span ?? child.span,
        `the first parameter of \`on_failure\` is a locus, not \`${typeText(child.type)}\``,
      );
    if (record.type !== violation && !isPoison(record.type))
      cx.error(
        "E0609",
        written.params[1]?.type.span ?? record.span,
        "the second parameter of `on_failure` is a `ClosureViolation`",
      );
    const earlier = type.onFailure.slice(0, i).find((other) => other.params[0]?.type === child.type);
    if (earlier && !isPoison(child.type)) {
      cx.error(
        "E0609",
        written.nameSpan,
        `\`${typeText(type)}\` already handles failures of \`${typeText(child.type)}\``,
        { related: [{ span: earlier.nameSpan, note: "the other handler" }] },
      );
    }
  });
}
