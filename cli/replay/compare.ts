// `hale replay --diff` (reference 06b 6b.6): two recordings, consumer by consumer; the first difference decides.
import type { BusEvent, ConsumerRecord, Recording } from "./recording.ts";
import { counted } from "./counts.ts";

/** What was compared of one category. */
export interface Category {
  readonly compared: boolean;
  readonly count: number;
  readonly consumers: number;
}

export interface Match {
  readonly events: Category;
  readonly payloads: Category;
  readonly consumes: Category;
  readonly steps: Category;
  readonly inputs: Category;
}

type Part = keyof ConsumerRecord;

const ORDER: readonly { readonly part: Part; readonly noun: string }[] = [
  { part: "consumes", noun: "queued consume" },
  { part: "events", noun: "public bus event" },
  { part: "steps", noun: "async schedule step" },
  { part: "payloads", noun: "payload" },
  { part: "inputs", noun: "journal read" },
];

const NOTHING: ConsumerRecord = { consumes: [], events: [], payloads: [], inputs: [], steps: [] };

/** The first difference in words, or what was compared. */
export function compareRecordings(
  recorded: Recording,
  replayed: Recording,
): { readonly match: Match } | { readonly difference: string } {
  const numbers = [...new Set([...recorded.consumers.keys(), ...replayed.consumers.keys()])].sort((a, b) => a - b);
  for (const { part, noun } of ORDER) {
    for (const number of numbers) {
      const before = recorded.consumers.get(number) ?? NOTHING;
      const now = replayed.consumers.get(number) ?? NOTHING;
      const difference = differenceOf(before, now, part, noun, recorded.isTruncated);
      if (difference !== undefined) return { difference: `consumer ${number}: ${difference}` };
    }
  }
  const category = (part: Part): Category => {
    const counts = [...recorded.consumers.values()].map((record) => record[part].length).filter((count) => count > 0);
    return {
      compared: counts.length > 0,
      count: counts.reduce((sum, each) => sum + each, 0),
      consumers: counts.length,
    };
  };
  return {
    match: {
      events: category("events"),
      payloads: category("payloads"),
      consumes: category("consumes"),
      steps: category("steps"),
      inputs: category("inputs"),
    },
  };
}

/** A truncated recording may be the beginning of what was replayed. */
function differenceOf(
  before: ConsumerRecord,
  now: ConsumerRecord,
  part: Part,
  noun: string,
  isPrefix: boolean,
): string | undefined {
  const left = textsOf(before, part);
  const right = textsOf(now, part);
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    if (left[index] !== right[index]) return `${noun} #${index + 1} was ${left[index]}, replayed ${right[index]}`;
  }
  if (left.length === right.length || (isPrefix && left.length < right.length)) return undefined;
  return `${counted(left.length, noun)} recorded, ${right.length} replayed`;
}

function textsOf(record: ConsumerRecord, part: Part): string[] {
  switch (part) {
    case "consumes":
      return record.consumes.map(
        ({ sender, number, receiver, subject }) =>
          `message ${number} of consumer ${sender} (\`${subject}\`) by ${receiver}`,
      );
    case "events":
      return record.events.map(eventText);
    case "steps":
      return record.steps.map(({ what, sender, number }) => `${what} of job ${number} of consumer ${sender}`);
    case "payloads":
      return record.payloads.map(({ subject, number, size }) => `message ${number} on \`${subject}\` (${size} bytes)`);
    case "inputs":
      return record.inputs.map(
        ({ kind, args, isWithheld, result }) =>
          `${kind}(${args.toString("latin1")}) = ${isWithheld ? "withheld" : JSON.stringify(result.toString("latin1"))}`,
      );
  }
}

function eventText({ kind, subject, receiver }: BusEvent): string {
  return kind === "send" ? `a send on \`${subject}\`` : `a delivery of \`${subject}\` to ${receiver}`;
}
