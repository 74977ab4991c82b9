// `--warn-resource-leak` (11.14): descriptors opened again and again and kept in `self`.
import type { TypedExpr, TypedFunction, TypedStmt } from "../semantics/index.ts";
import { walkBlock, walkExpr } from "../semantics/index.ts";
import type { Span } from "../source/index.ts";
import { startsWithSelf } from "./body-facts.ts";
import type { Findings } from "./findings.ts";
import { functionName } from "./names.ts";

const OPENERS =
  /^std::io::(file::open|(tcp|unix)::_*(connect|connect_wait|listen_socket|accept_one)|udp::_*bind|tls::(connect|upgrade))$/;

/** A call that opens a descriptor: a file, a connection, a listener. */
export function opensDescriptor(expr: TypedExpr): boolean {
  return expr.kind === "call" && expr.callee.kind === "function" && OPENERS.test(expr.callee.function.name);
}

/** `repeated`: the functions that are invoked without bound (11.7). */
export function findDescriptorLeaks(
  functions: readonly TypedFunction[],
  repeated: ReadonlySet<TypedFunction>,
  findings: Findings,
): void {
  for (const fn of functions) {
    for (const span of storedOpenings(fn, repeated.has(fn))) {
      findings.warn(
        "W1111",
        span,
        `\`${functionName(fn)}\` opens a descriptor here again and again and keeps it in \`self\`: close the one before`,
      );
    }
  }
}

function storedOpenings(fn: TypedFunction, isRepeated: boolean): Span[] {
  const found: Span[] = [];
  const visit = (block: Parameters<typeof walkBlock>[0], repeats: boolean): void => {
    walkBlock(block, {
      statement: (statement) => {
        if (repeats && statement.kind === "assign" && startsWithSelf(statement.place))
          found.push(...openingsIn(statement.value));
        const loops = statement.kind === "while" || statement.kind === "for-each" || statement.kind === "for-range";
        if (repeats || !loops || isShort(statement)) return undefined;
        visit(statement.body, true);
        return false;
      },
      expr: (expr) => {
        if (repeats && expr.kind === "call" && expr.callee.kind === "form" && startsWithSelf(expr.callee.receiver))
          for (const arg of expr.args) found.push(...openingsIn(arg));
        return undefined;
      },
    });
  };
  visit(fn.body, isRepeated);
  return found;
}

/** A `for` over two literals ends soon. */
function isShort(statement: TypedStmt): boolean {
  return statement.kind === "for-range" && statement.low.kind === "int" && statement.high.kind === "int";
}

function openingsIn(value: TypedExpr): Span[] {
  const found: Span[] = [];
  walkExpr(value, {
    expr: (expr) => {
      if (opensDescriptor(expr)) found.push(expr.span);
      return undefined;
    },
  });
  return found;
}
