// What a file declares, as its readers see it: the entries of `hale doc` (08 14).
import type { SourceFile } from "../source/index.ts";
import type { Declaration, FileAst, FunctionDecl, LocusDecl, TypeExpr } from "./ast.ts";
import { docCommentOf } from "./doc-comments.ts";

/** `missing`: names that the library lacks. */
export type DocKind = "fn" | "type" | "locus" | "interface" | "topic" | "const" | "missing";

/** One declaration. `doc` is "" when nothing stands above it. */
export interface DocEntry {
  readonly kind: DocKind;
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
  /** The methods of a locus. */
  readonly members: readonly { readonly signature: string; readonly doc: string }[];
}

/** The entries of a file in source order; modules are looked into, for they open no namespace (08 3). */
export function documentationOf(file: SourceFile, ast: FileAst): readonly DocEntry[] {
  return entriesOf(file, ast.declarations);
}

function entriesOf(file: SourceFile, declarations: readonly Declaration[]): readonly DocEntry[] {
  return declarations.flatMap((declaration) => {
    if (declaration.kind === "module") return entriesOf(file, declaration.declarations);
    const shown = describe(declaration);
    if (!shown || declaration.kind === "claims") return [];
    const members = declaration.kind === "locus" ? membersOf(file, declaration) : [];
    return [{ ...shown, name: declaration.name.text, doc: docCommentOf(file, declaration.span.start), members }];
  });
}

function describe(declaration: Declaration): { readonly kind: DocKind; readonly signature: string } | undefined {
  switch (declaration.kind) {
    case "function":
      return isShown(declaration) ? { kind: "fn", signature: functionSignature(declaration) } : undefined;
    case "record":
      return { kind: "type", signature: `type ${declaration.name.text} {${fields(declaration.fields)} }` };
    case "enum":
      return {
        kind: "type",
        signature: `type ${declaration.name.text} = enum { ${declaration.variants.map((variant) => variant.name.text).join(" | ")} }`,
      };
    case "alias":
      return { kind: "type", signature: `type ${declaration.name.text} = ${typeText(declaration.target)}` };
    case "scalar":
      return { kind: "type", signature: `type ${declaration.name.text} = ${typeText(declaration.base)}` };
    case "locus":
      return { kind: "locus", signature: locusSignature(declaration) };
    case "interface":
      return {
        kind: "interface",
        signature: `interface ${declaration.name.text} {${declaration.methods.map((method) => ` ${functionSignature(method)};`).join("")} }`,
      };
    case "topic": {
      const key = declaration.keyedBy ? `; keyed_by ${declaration.keyedBy.text}` : "";
      return {
        kind: "topic",
        signature: `topic ${declaration.name.text} { payload: ${typeText(declaration.payload)}${key} }`,
      };
    }
    case "const":
      return { kind: "const", signature: `const ${declaration.name.text}: ${typeText(declaration.type)}` };
    default:
      return undefined;
  }
}

function isShown(declaration: FunctionDecl): boolean {
  return declaration.name.text !== "main" && !declaration.name.text.startsWith("__");
}

function functionSignature(declaration: FunctionDecl): string {
  const params = declaration.params.map((param) => `${param.name.text}: ${typeText(param.type)}`).join(", ");
  const result = declaration.result ? ` -> ${typeText(declaration.result)}` : "";
  const fallible = declaration.fallible ? ` fallible(${typeText(declaration.fallible)})` : "";
  return `fn ${declaration.name.text}(${params})${result}${fallible}`;
}

function locusSignature(declaration: LocusDecl): string {
  const params = declaration.members.flatMap((member) => (member.kind === "params" ? member.fields : []));
  if (params.length === 0) return `locus ${declaration.name.text}`;
  const shown = params.map((param) => `${param.name.text}: ${param.type ? typeText(param.type) : "…"}`).join("; ");
  return `locus ${declaration.name.text} { params { ${shown} } }`;
}

function membersOf(file: SourceFile, declaration: LocusDecl): DocEntry["members"] {
  return declaration.members.flatMap((member) => {
    if (member.kind !== "function" || member.name.text.startsWith("__")) return [];
    return [{ signature: functionSignature(member), doc: docCommentOf(file, member.span.start) }];
  });
}

function fields(list: readonly { readonly name: { readonly text: string }; readonly type: TypeExpr }[]): string {
  return list.map((field) => ` ${field.name.text}: ${typeText(field.type)};`).join("");
}

/** Primitives and (qualified) names as written; every other type is shown as `…`. */
function typeText(type: TypeExpr): string {
  if (type.kind !== "named" || type.args.length > 0) return "…";
  return type.path.segments.map((segment) => segment.text).join("::");
}
