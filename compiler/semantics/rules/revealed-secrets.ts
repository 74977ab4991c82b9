// What `reveal` and `reveal_text` of a Credential give leaves at once: it is used in the statement that reveals it, in a method of a locus (reference 10 12.4).
import type { Context } from "../context.ts";
import { typeText } from "../type-text.ts";
import type { TypedExpr, TypedFunction } from "../typed.ts";
import { walkBlock } from "../walk.ts";

type Call = TypedExpr & { readonly kind: "call" };

/** Network writes, and which of their arguments is the payload. */
const PAYLOADS: ReadonlyMap<string, readonly number[]> = new Map([
  ["std::io::tcp::send_fd", [1]],
  ["std::io::tcp::Stream.send", [0]],
  ["std::io::tcp::Stream.send_bytes", [0]],
  ["std::io::tls::send_bytes", [1]],
  ["std::io::udp::send", [3]],
  ["std::http::post", [1, 2]],
  ["std::http::Client.post", [1, 2]],
]);

/** Fields of a `std::http::ClientRequest` that may carry a secret. */
const REQUEST_FIELDS: ReadonlySet<string> = new Set(["headers", "body"]);

export function checkRevealedSecrets(cx: Context): void {
  for (const fn of cx.functions) if (!fn.span.file.isStd) checkFunction(cx, fn);
}

function checkFunction(cx: Context, fn: TypedFunction): void {
  const consumed = new Set<TypedExpr>();
  walkBlock(fn.body, {
    expr: (expr) => {
      for (const part of consumedParts(expr)) markRevealed(part, consumed);
      if (!isReveal(expr)) return undefined;
      if (fn.self === undefined || fn.role === "initialiser")
        cx.error("E0906", expr.span, "a secret is revealed only in a method of a locus");
      else if (!consumed.has(expr))
        cx.error("E0906", expr.span, "a revealed secret must be used in the statement that reveals it");
      return undefined;
    },
  });
}

/** The parts of an expression in which a revealed secret ends: payloads of network writes, whole-value comparisons, `@secret` arguments. */
function consumedParts(expr: TypedExpr): readonly TypedExpr[] {
  switch (expr.kind) {
    case "call":
      return consumedArguments(expr);
    case "record":
      if (typeText(expr.type) !== "std::http::ClientRequest" || expr.type.kind !== "record") return [];
      return expr.type.fields.flatMap((field, i) => (REQUEST_FIELDS.has(field.name) ? (expr.fields[i] ?? []) : []));
    case "binary":
      if (expr.operation !== "equal" && expr.operation !== "not-equal") return [];
      return [expr.left, expr.right].filter(isReveal);
    case "match":
      return isReveal(expr.scrutinee) && expr.arms.every((arm) => arm.pattern.kind !== "bind") ? [expr.scrutinee] : [];
    default:
      return [];
  }
}

function consumedArguments(call: Call): readonly TypedExpr[] {
  const { callee } = call;
  if (callee.kind !== "function" && callee.kind !== "method") return [];
  const payloads = PAYLOADS.get(callee.function.name) ?? [];
  return call.args.filter((_, i) => payloads.includes(i) || callee.function.params[i]?.isSecret === true);
}

/** Revealed secrets that a payload is made of: joined with other text, or turned into bytes, on the way. */
function markRevealed(expr: TypedExpr, consumed: Set<TypedExpr>): void {
  if (isReveal(expr)) consumed.add(expr);
  else if (expr.kind === "concat") for (const part of expr.parts) markRevealed(part, consumed);
  else if (expr.kind === "convert" || expr.kind === "to-text") markRevealed(expr.operand, consumed);
  else if (expr.kind === "binary" && expr.operation === "concat")
    for (const part of [expr.left, expr.right]) markRevealed(part, consumed);
  else if (isEncoding(expr)) for (const arg of expr.args) markRevealed(arg, consumed);
}

/** A pure library function that gives the secret another form. */
function isEncoding(expr: TypedExpr): expr is Call {
  return (
    expr.kind === "call" &&
    expr.callee.kind === "function" &&
    /^std::(bytes|text::base64)::/.test(expr.callee.function.name)
  );
}

function isReveal(expr: TypedExpr): boolean {
  return (
    expr.kind === "call" &&
    expr.callee.kind === "method" &&
    /^std::secret::Credential\.reveal(_text)?$/.test(expr.callee.function.name)
  );
}
