// `--sealable` (11.14): which loci could be `@sealed` today, and what keeps the others from it.
import type { LocusType, TypedFunction, TypedProgram } from "../../semantics/index.ts";
import { walkBlock } from "../../semantics/index.ts";
import type { Span } from "../../source/index.ts";
import { functionName, locusName } from "../names.ts";
import { PlaceOrder } from "../place-order.ts";

interface Access {
  readonly span: Span;
  readonly field: string;
  readonly by: TypedFunction;
}

export function sealability(program: TypedProgram): string {
  const order = new PlaceOrder(program);
  const own = order.sorted(
    program.loci.filter((locus) => program.seeds[0]?.files.includes(locus.span.file)),
    (locus) => locus.span,
  );
  const accesses = new Map<string, Access[]>(own.map((locus) => [locusName(locus), []]));
  for (const fn of program.functions) if (!fn.span.file.isStd) collect(fn, accesses);
  const names = [...accesses.keys()];
  const free = names.filter((name) => (accesses.get(name) ?? []).length === 0 && !exposes(own, name));
  const lines = [`sealability: ${free.length} of ${names.length} loci can be \`@sealed\` today`];
  for (const name of free) lines.push(`  ${name}`);
  for (const name of names) {
    if (free.includes(name)) continue;
    lines.push(`  ${name} would break:`);
    if (exposes(own, name)) lines.push("    its contract exposes a param");
    for (const { span, field, by } of order.sorted(accesses.get(name) ?? [], (access) => access.span)) {
      const { line, column } = span.file.positionAt(span.start);
      lines.push(`    .${field} in ${functionName(by)} at ${span.file.path}:${line}:${column}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function exposes(loci: readonly LocusType[], name: string): boolean {
  const locus = loci.find((candidate) => locusName(candidate) === name);
  return (
    locus?.decl.members.some(
      (member) => member.kind === "contract" && member.items.some(({ direction }) => direction === "expose"),
    ) === true
  );
}

/** Reads and writes of params of a locus in bodies of others. */
function collect(fn: TypedFunction, accesses: ReadonlyMap<string, Access[]>): void {
  const add = (receiver: { readonly type: { readonly kind: string } }, field: string, span: Span) => {
    if (!isLocus(receiver.type) || receiver.type.decl === fn.self?.decl) return;
    accesses.get(locusName(receiver.type))?.push({ span, field, by: fn });
  };
  walkBlock(fn.body, {
    expr: (expr) => {
      if (expr.kind === "field") add(expr.receiver, expr.field.name, expr.span);
      return undefined;
    },
    statement: (statement) => {
      if ((statement.kind === "assign" || statement.kind === "update") && statement.place.kind === "field") {
        add(statement.place.base, statement.place.field.name, statement.place.span);
      }
      return undefined;
    },
  });
}

function isLocus(type: { readonly kind: string }): type is LocusType {
  return type.kind === "locus";
}
