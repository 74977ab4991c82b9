// What `hale replay --diff` prints (reference 06b 6b.6).
import type { Category, Match } from "./compare.ts";

const WHY_NOT = {
  events: "no message was sent or delivered",
  payloads: "no message was sent",
  consumes:
    "no queued consumer deliveries were recorded; dispatch was direct (valid — a synchronous delivery has no queue order to enforce), so no queued delivery order was verified",
  steps: "no async pool scheduling steps were recorded",
  inputs: "no time, randomness or env reads were journaled",
} as const satisfies Record<keyof Match, string>;

const LABELS = {
  events: "public bus events:",
  payloads: "payloads:",
  consumes: "queued consumes:",
  steps: "async schedule steps:",
  inputs: "journal reads:",
} as const satisfies Record<keyof Match, string>;

const LABEL_WIDTH = 22;
const ORDER = ["events", "payloads", "consumes", "steps", "inputs"] as const;

export function matchText(match: Match, isPrefix: boolean): string {
  const lines = ORDER.map((key) => `  ${LABELS[key].padEnd(LABEL_WIDTH)} ${categoryText(key, match[key])}\n`);
  const prefix = isPrefix ? ", as far as it goes" : "";
  return `replay matches the recording (${match.events.count + match.consumes.count} ring records)${prefix}. Compared, by category:\n${lines.join("")}A category reported as not exercised was NOT verified by this match.\n`;
}

function categoryText(key: keyof Match, { compared, count, consumers }: Category): string {
  if (!compared) return `not exercised: ${WHY_NOT[key]}`;
  if (key === "payloads") return `${count} (sizes and identities; contents not canonicalised)`;
  const detail = key === "events" ? " (publish + deliver, subject-aligned)" : "";
  return `${count} across ${consumers} ${consumers === 1 ? "consumer" : "consumers"}${detail}`;
}

export function matchJson(match: Match, isPrefix: boolean): string {
  const entries = ORDER.map((key) => {
    const { compared, count, consumers } = match[key];
    const extra = key === "payloads" ? { contents_canonicalised: 0, metadata_only: count } : {};
    return [
      JSON_KEYS[key],
      { compared, count, consumers, not_exercised_because: compared ? null : WHY_NOT[key], ...extra },
    ];
  });
  return `${JSON.stringify({
    result: "match",
    ring_records: match.events.count + match.consumes.count,
    recorded_prefix_only: isPrefix,
    ...Object.fromEntries(entries),
  })}\n`;
}

const JSON_KEYS = {
  events: "public_bus_events",
  payloads: "payloads",
  consumes: "queued_consumes",
  steps: "async_schedule_steps",
  inputs: "journal_reads",
} as const satisfies Record<keyof Match, string>;
