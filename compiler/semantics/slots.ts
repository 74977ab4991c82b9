// Raw capacity slots: `self.X.acquire()` and its kin (05 5.16, 07 13).
import { type Body, poison } from "./body.ts";
import { type CallExpr, giveUp } from "./calls.ts";
import { checkValue } from "./expressions.ts";
import type { MemberCallee } from "./methods.ts";
import { isPoison, UNIT } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";

const METHODS = { pool: { make: "acquire", take: "release" }, heap: { make: "alloc", take: "free" } } as const;

/** A call of a slot's method; undefined: the receiver is no slot of this locus. */
export function slotCall(body: Body, expr: CallExpr, callee: MemberCallee): TypedExpr | undefined {
  const { receiver } = callee;
  if (receiver.kind !== "member" || receiver.receiver.kind !== "self" || !body.self || body.self.form) return undefined;
  const slot = body.self.slots.find((candidate) => candidate.name === receiver.name.text);
  if (!slot || body.self.fields.some((field) => field.name === slot.name)) return undefined;
  const { cx, self } = body;
  const name = callee.name.text;
  const methods = METHODS[slot.kind];
  if (name !== methods.make && name !== methods.take) {
    cx.error(
      "E0521",
      callee.name.span,
      `\`${slot.name}\` is a ${slot.kind}; ${slot.kind} slots use ${methods.make}/${methods.take}`,
    );
    return giveUp(body, expr);
  }
  const cell = cx.types.cell(`${self.name}.${slot.name}`, slot.element);
  const owner: TypedExpr = { kind: "self", type: self, span: receiver.receiver.span };
  const wanted = name === methods.make ? 0 : 1;
  if (expr.args.length !== wanted) {
    cx.error("E0521", callee.name.span, `\`${name}\` takes ${wanted === 0 ? "no argument" : "one cell"}`);
    return giveUp(body, expr);
  }
  const args = expr.args.map((arg) => checkValue(body, arg));
  const [given] = args;
  if (given && given.type !== cell && !isPoison(given.type)) {
    cx.error("E0521", given.span, `\`${typeText(given.type)}\` is no cell of \`${slot.name}\``);
    return poison(expr.span);
  }
  const type = wanted === 0 ? cell : UNIT;
  return {
    kind: "call",
    callee: { kind: "form", operation: name, receiver: owner, slot: slot.name },
    args,
    fallible: undefined,
    type,
    span: expr.span,
  };
}
