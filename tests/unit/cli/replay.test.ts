// Recordings as `hale replay` reads and compares them, byte by byte and entry by entry.
import { expect, test } from "vitest";
import { compareRecordings } from "../../../cli/replay/compare.ts";
import { type ConsumerRecord, parseRecording, type Recording } from "../../../cli/replay/recording.ts";

const RECORD: ConsumerRecord = {
  consumes: [{ sender: 16, number: 1n, receiver: "Sink", subject: "lines" }],
  events: [{ kind: "send", subject: "lines", receiver: "" }],
  payloads: [{ subject: "lines", number: 1n, size: 8 }],
  inputs: [{ kind: "env.var", args: Buffer.from("HOME"), isWithheld: false, result: Buffer.from("/root") }],
  steps: [{ what: "start", sender: 1, number: 2n }],
};

function recording(changes: Partial<ConsumerRecord>, isTruncated = false): Recording {
  return {
    bytes: Buffer.alloc(0),
    isTruncated,
    identity: undefined,
    withholdsEnvironment: false,
    consumers: new Map([[16, { ...RECORD, ...changes }]]),
  };
}

/** What the parts of a record look like when they differ; each holds what is compared later, too. */
const CHANGES = {
  consumes: { consumes: [{ sender: 16, number: 1n, receiver: "Other", subject: "lines" }] },
  events: { events: [{ kind: "send", subject: "rows", receiver: "" }] },
  steps: { steps: [{ what: "resume", sender: 1, number: 2n }] },
  payloads: { payloads: [{ subject: "lines", number: 1n, size: 16 }] },
  inputs: { inputs: [{ kind: "env.var", args: Buffer.from("HOME"), isWithheld: true, result: Buffer.alloc(0) }] },
} as const satisfies Record<string, Partial<ConsumerRecord>>;

const WORDS = [
  "queued consume #1 was message 1 of consumer 16 (`lines`) by Sink, replayed message 1 of consumer 16 (`lines`) by Other",
  "public bus event #1 was a send on `lines`, replayed a send on `rows`",
  "async schedule step #1 was start of job 2 of consumer 1, replayed resume of job 2 of consumer 1",
  "payload #1 was message 1 on `lines` (8 bytes), replayed message 1 on `lines` (16 bytes)",
  'journal read #1 was env.var(HOME) = "/root", replayed env.var(HOME) = withheld',
];

test("the first category that differs decides (06b 6b.6.2, 06b 6b.6.3, 06b 6b.6.4, 06b 6b.6.5, 06b 6b.6.6)", () => {
  const all = Object.values(CHANGES);
  for (const [index, words] of WORDS.entries()) {
    const changes: Partial<ConsumerRecord> = Object.assign({}, ...all.slice(index));
    expect(compareRecordings(recording({}), recording(changes))).toEqual({ difference: `consumer 16: ${words}` });
    // The other way round, too.
    expect(compareRecordings(recording(changes), recording({}))).toHaveProperty("difference");
  }
});

test("more or less of a category differs; of a truncated recording a replay may have more (06b 6b.6)", () => {
  for (const [index, part] of (["consumes", "events", "steps", "payloads", "inputs"] as const).entries()) {
    const none = recording({ [part]: [] });
    const noun = ["queued consumes", "public bus events", "async schedule steps", "payloads", "journal reads"][index];
    expect(compareRecordings(none, recording({}))).toEqual({
      difference: `consumer 16: 0 ${noun} recorded, 1 replayed`,
    });
    expect(compareRecordings(recording({ [part]: [] }, true), recording({}))).toHaveProperty("match");
    expect(compareRecordings(recording({}, true), none)).toEqual({
      difference: `consumer 16: 1 ${noun?.replace(/s$/, "")} recorded, 0 replayed`,
    });
  }
  expect(compareRecordings(recording({}), recording({}))).toEqual({
    match: Object.fromEntries(Object.keys(CHANGES).map((part) => [part, { compared: true, count: 1, consumers: 1 }])),
  });
});

/** A header, one entry of 24 bytes each with `words`, and a trailer that counts `counted` entries. */
function fileOf(words: readonly number[], counted?: number): Buffer {
  const header = Buffer.alloc(96);
  header.write("HALEREC0", 0, "latin1");
  header.writeUInt16LE(1, 8);
  header.writeUInt32LE(96, 12);
  const entries = words.map((word) => {
    const entry = Buffer.alloc(24);
    entry.writeUInt32LE(24, 0);
    entry.writeUInt16LE(99, 4);
    entry.writeUInt32LE(word, 16);
    return entry;
  });
  const trailer = Buffer.alloc(counted === undefined ? 0 : 16);
  if (counted !== undefined) {
    trailer.write("HALEEND0", 0, "latin1");
    trailer.writeBigUInt64LE(BigInt(counted), 8);
  }
  return Buffer.concat([header, ...entries, trailer]);
}

test("clean: parsed exactly up to a trailer whose count agrees (06b 6b.8.1)", () => {
  expect(parseRecording(fileOf([1, 2, 3], 3))).toMatchObject({ isTruncated: false });
  const broken = { problem: "is broken: bytes are missing from its middle" };
  expect(parseRecording(fileOf([1, 2, 3], 4))).toEqual(broken);
  expect(parseRecording(fileOf([1, 2], 3))).toEqual(broken);
  const whole = fileOf([1, 2, 3], 3);
  expect(parseRecording(Buffer.concat([whole.subarray(0, 104), whole.subarray(112)]))).toEqual(broken);
});

test("truncated: no trailer; read up to the first entry that is not whole (06b 6b.8.2)", () => {
  const whole = fileOf([1, 2, 3], 3);
  for (let length = 96; length < whole.length; length++)
    expect(parseRecording(whole.subarray(0, length)), `${length} bytes`).toMatchObject({ isTruncated: true });
  for (const bytes of [whole.subarray(0, 95), Buffer.alloc(0), Buffer.from("x".repeat(200))])
    expect(parseRecording(bytes)).toEqual({ problem: "is not a hale recording" });
});
