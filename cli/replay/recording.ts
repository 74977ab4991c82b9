// A recording as the tool reads it (layout: runtime/guest/recording.ts; reference 06b 6b.8).

/** Kinds of entries. */
const KIND = { consume: 1, send: 2, delivery: 3, input: 4, named: 6, step: 9, asyncConsume: 10 } as const;

const HEADER_SIZE = 96;
/** Of the header: u32 the sum of all other bytes, u32 1 when there is one. */
const SUM_FIELD = 24;
const MAGIC = "HALEREC0";
const TRAILER_MAGIC = "HALEEND0";
const MAJOR = 1;
const MINOR = 0;

/** A queued handler run; jobs of the runtime itself are none. */
export interface Consume {
  readonly sender: number;
  readonly number: bigint;
  readonly receiver: string;
  readonly subject: string;
}

/** A send or a delivery. */
export interface BusEvent {
  readonly kind: "send" | "delivery";
  readonly subject: string;
  /** Of a delivery. */
  readonly receiver: string;
}

/** What was sent: by whom, and how large. */
export interface Payload {
  readonly subject: string;
  readonly number: bigint;
  readonly size: number;
}

export interface Input {
  readonly kind: string;
  readonly args: Buffer;
  readonly isWithheld: boolean;
  readonly result: Buffer;
}

export interface Step {
  readonly what: "start" | "resume";
  readonly sender: number;
  readonly number: bigint;
}

/** What one thread did. */
export interface ConsumerRecord {
  readonly consumes: Consume[];
  readonly events: BusEvent[];
  readonly payloads: Payload[];
  readonly inputs: Input[];
  readonly steps: Step[];
}

export interface Recording {
  readonly bytes: Buffer;
  readonly isTruncated: boolean;
  /** Missing when the program carried none. */
  readonly identity: { readonly digest: string; readonly shape: string } | undefined;
  readonly withholdsEnvironment: boolean;
  /** By number. */
  readonly consumers: ReadonlyMap<number, ConsumerRecord>;
}

/** Names of inputs, by their numbers; a replay counts under these what did not fit. */
export const INPUT_KINDS = [
  "time.now",
  "time.monotonic",
  "rand.next_int",
  "os.getrandom",
  "env.var",
  "env.var_exists",
  "env.arg",
  "env.args_count",
] as const;

const WITHHELD = 256;

/** Reads the bytes of a recording, or tells why they are none. */
export function parseRecording(bytes: Buffer): Recording | { readonly problem: string } {
  if (bytes.length < HEADER_SIZE || bytes.toString("latin1", 0, 8) !== MAGIC)
    return { problem: "is not a hale recording" };
  const major = bytes.readUInt16LE(8);
  const minor = bytes.readUInt16LE(10);
  if (major !== MAJOR || minor !== MINOR) {
    const age = major < MAJOR ? "an older" : "a newer";
    return { problem: `is a recording of ${age} format (${major}.${minor}); this toolchain reads ${MAJOR}.${MINOR}` };
  }
  const entries = entriesOf(bytes);
  if ("problem" in entries) return entries;
  const hasIdentity = bytes.subarray(48, 88).some((byte) => byte !== 0);
  return {
    bytes,
    isTruncated: entries.isTruncated,
    identity: hasIdentity ? { digest: bytes.toString("hex", 56, 88), shape: bytes.toString("hex", 48, 56) } : undefined,
    withholdsEnvironment: (bytes.readUInt32LE(88) & 1) !== 0,
    consumers: consumersOf(entries.list),
  };
}

interface Entry {
  readonly kind: number;
  readonly consumer: number;
  readonly detail: number;
  readonly body: Buffer;
}

function entriesOf(
  bytes: Buffer,
): { readonly list: Entry[]; readonly isTruncated: boolean } | { readonly problem: string } {
  const list: Entry[] = [];
  const hasTrailer =
    bytes.length >= HEADER_SIZE + 16 && bytes.toString("latin1", bytes.length - 16, bytes.length - 8) === TRAILER_MAGIC;
  const end = hasTrailer ? bytes.length - 16 : bytes.length;
  let at = HEADER_SIZE;
  while (at + 16 <= end) {
    const size = bytes.readUInt32LE(at);
    if (size < 16 || size % 8 !== 0 || at + size > end) break;
    const entry = {
      kind: bytes.readUInt16LE(at + 4),
      consumer: bytes.readUInt16LE(at + 6),
      detail: bytes.readUInt32LE(at + 12),
      body: bytes.subarray(at + 16, at + size),
    };
    if (!isWhole(entry)) return { problem: `is broken: the entry at byte ${at} is too short for what it holds` };
    list.push(entry);
    at += size;
  }
  if (!hasTrailer) return { list, isTruncated: true };
  if (at !== end || BigInt(list.length) !== bytes.readBigUInt64LE(end + 8))
    return { problem: "is broken: bytes are missing from its middle" };
  if (bytes.readUInt32LE(SUM_FIELD + 4) !== 0 && bytes.readUInt32LE(SUM_FIELD) !== sumOf(bytes))
    return { problem: "is damaged: its bytes are not those that were written" };
  return { list, isTruncated: false };
}

/** As the program computes it while it writes (`runtime/guest/recording.ts`). */
function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    const word = at === SUM_FIELD || at === SUM_FIELD + 4 ? sum : sum ^ bytes.readInt32LE(at);
    sum = Math.imul((word << 13) | (word >>> 19), 0x9e3779b1);
  }
  return sum >>> 0;
}

/** Whether all is there that `addEntry` reads; its own sizes are numbers of the file like all others. */
function isWhole({ kind, detail, body }: Entry): boolean {
  switch (kind) {
    case KIND.consume:
    case KIND.asyncConsume:
      return body.length >= 24;
    case KIND.send:
    case KIND.step:
      return body.length >= 12;
    case KIND.delivery:
      return body.length >= 4;
    case KIND.named:
      return body.length >= 4 && 4 + body.readUInt32LE(0) <= body.length;
    case KIND.input: {
      if (body.length < 8) return false;
      const [args, result] = [body.readUInt32LE(0), (detail & WITHHELD) === 0 ? body.readUInt32LE(4) : 0];
      return 8 + args + result <= body.length;
    }
    default:
      return true;
  }
}

function consumersOf(entries: readonly Entry[]): Map<number, ConsumerRecord> {
  const names = new Map<number, string>();
  for (const { kind, detail, body } of entries) {
    if (kind === KIND.named) names.set(detail, body.toString("utf8", 4, 4 + body.readUInt32LE(0)));
  }
  const nameOf = (hash: number) => names.get(hash) ?? `#${hash}`;
  const consumers = new Map<number, ConsumerRecord>();
  for (const entry of entries) {
    let record = consumers.get(entry.consumer);
    if (!record) {
      if (entry.kind === KIND.named) continue;
      record = { consumes: [], events: [], payloads: [], inputs: [], steps: [] };
      consumers.set(entry.consumer, record);
    }
    addEntry(record, entry, nameOf);
  }
  return consumers;
}

function addEntry(record: ConsumerRecord, { kind, detail, body }: Entry, nameOf: (hash: number) => string): void {
  switch (kind) {
    case KIND.consume:
    case KIND.asyncConsume: {
      const receiver = body.readUInt32LE(16);
      const subject = nameOf(body.readUInt32LE(20));
      if (receiver !== 0)
        record.consumes.push({ sender: detail, number: body.readBigInt64LE(0), receiver: nameOf(receiver), subject });
      return;
    }
    case KIND.send: {
      const subject = nameOf(detail);
      record.events.push({ kind: "send", subject, receiver: "" });
      record.payloads.push({ subject, number: body.readBigInt64LE(0), size: body.readUInt32LE(8) });
      return;
    }
    case KIND.delivery:
      record.events.push({ kind: "delivery", subject: nameOf(detail), receiver: nameOf(body.readUInt32LE(0)) });
      return;
    case KIND.input: {
      const length = body.readInt32LE(0);
      const isWithheld = (detail & WITHHELD) !== 0;
      record.inputs.push({
        kind: INPUT_KINDS[detail & 255] ?? "unknown",
        args: body.subarray(8, 8 + length),
        isWithheld,
        result: isWithheld ? Buffer.alloc(0) : body.subarray(8 + length, 8 + length + body.readInt32LE(4)),
      });
      return;
    }
    case KIND.step:
      record.steps.push({
        what: body.readUInt32LE(8) === 0 ? "start" : "resume",
        sender: detail,
        number: body.readBigInt64LE(0),
      });
      return;
    default:
  }
}
