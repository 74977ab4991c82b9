import { expect } from "vitest";
import { type Diagnostic, SourceFile } from "../../../compiler/source/index.ts";
import {
  type Block,
  type Declaration,
  type Disposition,
  type Expr,
  type FileAst,
  lex,
  parseFile,
  type Path,
  type Pattern,
  type Stmt,
  type TypeExpr,
} from "../../../compiler/syntax/index.ts";

/** `line:column message` of a diagnostic. */
export function placed({ span, message }: Diagnostic): string {
  if (!span) return message;
  const { line, column } = span.file.positionAt(span.start);
  return `${line}:${column} ${message}`;
}

/** The places of the errors in a text, `line:column`. */
export function errorPlaces(text: string): string[] {
  return parseFile(new SourceFile("test.hl", text)).diagnostics.map((item) => placed(item).split(" ", 1)[0] ?? "");
}

/** The errors in a text, each as `line:column message`. */
export function errorsOf(text: string): string[] {
  return parseFile(new SourceFile("test.hl", text)).diagnostics.map(placed);
}

/** The lexical errors in a text, each as `line:column message`. */
export function lexErrorsOf(text: string): string[] {
  return lex(new SourceFile("test.hl", text)).diagnostics.map(placed);
}

/** The tree of a text that must parse. */
export function parsed(text: string): FileAst {
  const { ast, diagnostics } = parseFile(new SourceFile("test.hl", text));
  expect(diagnostics.map(placed)).toEqual([]);
  return ast;
}

/** The one declaration of a text, which must be of this kind. */
export function declaration<Kind extends Declaration["kind"]>(
  text: string,
  kind: Kind,
): Extract<Declaration, { kind: Kind }> {
  const [found] = parsed(text).declarations;
  if (found?.kind !== kind) throw new Error(`expected a ${kind}, got ${found?.kind}`);
  return found as Extract<Declaration, { kind: Kind }>;
}

/** The body of `fn main() { <text> }`. */
export function bodyOf(text: string): Block {
  const { body } = declaration(`fn main() { ${text} }`, "function");
  if (!body) throw new Error("no body");
  return body;
}

/** How the initialiser of `let x = <text>;` is read. */
export function exprShape(text: string): string {
  const [statement] = bodyOf(`let x = ${text};`).statements;
  if (statement?.kind !== "let") throw new Error("no let");
  return showExpr(statement.value);
}

/** How the statements of a body are read. */
export function bodyShape(text: string): string {
  return showBlock(bodyOf(text));
}

/** How a type is read. */
export function typeShape(text: string): string {
  const [statement] = bodyOf(`let x: ${text} = 1;`).statements;
  if (statement?.kind !== "let" || !statement.type) throw new Error("no type");
  return showType(statement.type);
}

function list(...parts: readonly (string | undefined)[]): string {
  return `(${parts.filter((part) => part !== undefined && part !== "").join(" ")})`;
}

function showPath(path: Path): string {
  return path.segments.map(({ text }) => text).join("::");
}

const utf8 = new TextDecoder();

export function showExpr(expr: Expr): string {
  switch (expr.kind) {
    case "int":
    case "float":
    case "bool":
      return String(expr.value);
    case "decimal":
      return `${expr.units}e-9`;
    case "quantity":
      return `${expr.magnitude}${expr.unit}`;
    case "string":
      return JSON.stringify(utf8.decode(expr.value));
    case "bytes":
      return list("bytes", ...[...expr.value].map((byte) => byte.toString(16).padStart(2, "0")));
    case "time":
      return `\`${expr.text}\``;
    case "nil":
    case "self":
      return expr.kind;
    case "path":
      return showPath(expr.path);
    case "fstring":
      return list("f", ...expr.parts.map((part) => showPart(part)));
    case "literal":
      return list(showPath(expr.path), "{", ...expr.fields.map((f) => `${f.name.text}:${showExpr(f.value)}`), "}");
    case "tuple":
      return list("tuple", ...expr.members.map(showExpr));
    case "array":
      return list("array", ...expr.elements.map(showExpr));
    case "repeat":
      return list("repeat", showExpr(expr.value), String(expr.count.value));
    case "block":
      return showBlock(expr.block);
    case "if":
      return list("if", showExpr(expr.condition), showBlock(expr.then), showElse(expr.otherwise));
    case "match":
      return showMatch(expr);
    case "unary":
      return list(expr.operator, showExpr(expr.operand));
    case "binary":
      return list(expr.operator, showExpr(expr.left), showExpr(expr.right));
    case "range":
      return list(expr.inclusive ? "..=" : "..", showExpr(expr.low), showExpr(expr.high));
    case "or":
      return list("or", showExpr(expr.operand), showDisposition(expr.disposition));
    case "member":
      return `${showExpr(expr.receiver)}.${expr.name.text}`;
    case "element":
      return `${showExpr(expr.receiver)}.${expr.index}`;
    case "scope":
      return `${showExpr(expr.receiver)}::${expr.name.text}`;
    case "index":
      return `${showExpr(expr.receiver)}[${showExpr(expr.index)}]`;
    case "call":
      return list("call", showExpr(expr.callee), ...expr.args.map(showExpr));
    case "aggregate":
      return list(expr.operation, showExpr(expr.operand));
    case "paren":
      return list("paren", showExpr(expr.inner));
    case "chain":
      return list(
        "chain",
        showExpr(expr.source),
        ...expr.stages.map((stage) => list(stage.kind, stage.argument && showExpr(stage.argument))),
        list(
          expr.terminal.kind,
          ...expr.terminal.args.map(showExpr),
          expr.terminal.body && showBlock(expr.terminal.body),
        ),
      );
    default:
      return expr satisfies never;
  }
}

function showPart(part: Extract<Expr, { kind: "fstring" }>["parts"][number]): string {
  if (part.kind === "text") return JSON.stringify(utf8.decode(part.value));
  const { span: _, ...format } = part.format ?? { span: undefined };
  return part.format ? list(showExpr(part.expr), JSON.stringify(format)) : list(showExpr(part.expr));
}

function showElse(otherwise: Extract<Expr, { kind: "if" }>["otherwise"]): string | undefined {
  return otherwise && (otherwise.kind === "if" ? showExpr(otherwise) : showBlock(otherwise));
}

function showMatch(expr: Extract<Expr, { kind: "match" }>): string {
  const arms = expr.arms.map(({ pattern, guard, body }) =>
    list(pattern && showPattern(pattern), guard && `if ${showExpr(guard)}`, "->", showExpr(body)),
  );
  return list("match", expr.scrutinee && showExpr(expr.scrutinee), ...arms);
}

function showDisposition(disposition: Disposition): string {
  switch (disposition.kind) {
    case "value":
      return showExpr(disposition.value);
    case "fail":
      return list("fail", showExpr(disposition.value));
    default:
      return `:${disposition.kind}`;
  }
}

export function showPattern(pattern: Pattern): string {
  switch (pattern.kind) {
    case "wildcard":
      return "_";
    case "binding":
      return pattern.name.text;
    case "value":
      return showExpr(pattern.value);
    case "tuple":
      return list("tuple", ...pattern.members.map(showPattern));
    case "variant":
      return pattern.payload
        ? list(showPath(pattern.path), ...pattern.payload.map(showPattern))
        : `${showPath(pattern.path)}!`;
    default:
      return pattern satisfies never;
  }
}

export function showType(type: TypeExpr): string {
  switch (type.kind) {
    case "named":
      return type.args.length > 0 ? list(showPath(type.path), ...type.args.map(showType)) : showPath(type.path);
    case "tuple":
      return list("tuple", ...type.members.map(showType));
    case "array":
      return list("array", showType(type.element), type.length && showExpr(type.length));
    case "bounded":
      return list("bounded", showType(type.element), String(type.capacity.value));
    case "function":
      return list("fn", ...type.params.map(showType), type.result && `-> ${showType(type.result)}`);
    case "perspective":
      return list("perspective", showPath(type.path));
    case "projection":
      return list(type.projection, showType(type.inner));
    default:
      return type satisfies never;
  }
}

/** `{stmt; stmt; => tail}` */
export function showBlock(block: Block): string {
  const items = block.statements.map(showStmt);
  if (block.tail) items.push(`=> ${showExpr(block.tail)}`);
  return `{${items.join("; ")}}`;
}

function showStmt(stmt: Stmt): string {
  switch (stmt.kind) {
    case "let": {
      const names = stmt.isTuple ? list(...stmt.names.map(({ text }) => text)) : stmt.names[0]?.text;
      return list(
        stmt.mutable ? "let mut" : "let",
        names,
        stmt.type && `: ${showType(stmt.type)}`,
        showExpr(stmt.value),
      );
    }
    case "assign":
      return list(stmt.operator, showExpr(stmt.target), showExpr(stmt.value));
    case "expr":
    case "if":
    case "match":
      return showExpr(stmt.expr);
    case "while":
      return list("while", showExpr(stmt.condition), showBlock(stmt.body));
    case "for":
      return list("for", stmt.variable.text, showExpr(stmt.source), showBlock(stmt.body));
    case "return":
      return list("return", stmt.value && showExpr(stmt.value));
    case "break":
    case "continue":
    case "yield":
    case "terminate":
      return list(stmt.kind);
    case "block":
      return showBlock(stmt.block);
    case "recovery":
      return list(
        stmt.action,
        ...stmt.args.map(showExpr),
        stmt.limit && `${stmt.limit.kind} ${showExpr(stmt.limit.value)}`,
      );
    case "fail":
      return list("fail", showExpr(stmt.value));
    case "violate":
      return list("violate", stmt.closure.text, stmt.payload && showExpr(stmt.payload));
    case "reperspective":
      return list("reperspective", stmt.field.text, showPath(stmt.implementation));
    case "send":
      return list("<-", showExpr(stmt.subject), showExpr(stmt.value), stmt.or && `or ${showDisposition(stmt.or)}`);
    case "ring_write":
      return list("write", stmt.topic.text, showExpr(stmt.count), stmt.variable.text, showBlock(stmt.body));
    default:
      return stmt satisfies never;
  }
}
