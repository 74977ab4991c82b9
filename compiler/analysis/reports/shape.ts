// The shape of a program (06b 6b.5): its loci, who publishes and hears what, where they live. What happens inside of functions is no part of it.
import type { LocusType, TypedProgram } from "../../semantics/index.ts";
import { typeText } from "../../semantics/index.ts";

/** A text that is the same for programs of one shape. */
export function programShape(program: TypedProgram): string {
  const loci = program.loci.filter(({ isStd }) => !isStd).map(locusShape);
  const topics = program.topics.map(({ subject, payload, keyField, onUnmatched, bounded }) =>
    [subject, typeText(payload), keyField ?? "", onUnmatched, bounded ?? ""].join(" "),
  );
  return JSON.stringify([loci.sort(), topics.sort()]);
}

function locusShape(locus: LocusType): string {
  const fields = locus.fields.map(({ name, type }) => `${name}: ${typeText(type)}`);
  const heard = locus.subscriptions.map(({ subject, payload, handler }) => [subject, typeText(payload), handler.name]);
  const published = locus.publications.map(({ subject, payload }) => [subject, typeText(payload)]);
  const places = locus.placements.map(({ field, place, pool, replicas, asyncIo }) => [
    field.name,
    place,
    pool,
    replicas,
    asyncIo,
  ]);
  return JSON.stringify([locus.name, locus.isMain, fields, heard, published, places]);
}
