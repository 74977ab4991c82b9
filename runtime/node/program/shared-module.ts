// A program that starts threads has a shared memory. All its threads run the module on one memory, so the module must import it, and only the
// launcher may fill in the data: an instance that is made later would write the initial values over the running program's.
import { Cursor, SECTION, type Limits, readLimits, sectionsOf } from "./sections.ts";

export interface SharedProgram {
  /** The module with the memory imported as `host.memory` and without data. */
  readonly bytes: Uint8Array;
  readonly limits: Limits;
  readonly segments: readonly { readonly address: number; readonly bytes: Uint8Array }[];
}

/** The parts of a module whose memory is shared; `undefined` for any other. */
export function sharedProgram(bytes: Uint8Array): SharedProgram | undefined {
  const sections = sectionsOf(bytes);
  const memory = sections.find(({ id }) => id === SECTION.memory);
  if (memory === undefined) return undefined;
  const cursor = new Cursor(bytes, memory.payload);
  cursor.unsigned();
  const limits = readLimits(cursor);
  if (!limits.shared) return undefined;

  const data = sections.find(({ id }) => id === SECTION.data);
  const kept: Uint8Array[] = [bytes.subarray(0, 8)];
  for (const section of sections) {
    if (section.id === SECTION.memory || section.id === SECTION.data || section.id === SECTION.dataCount) continue;
    if (section.id === SECTION.import)
      kept.push(withMemoryImport(bytes.subarray(section.payload, section.end), limits));
    else kept.push(bytes.subarray(section.start, section.end));
  }
  return {
    bytes: Buffer.concat(kept),
    limits,
    segments: data === undefined ? [] : activeSegments(new Cursor(bytes, data.payload)),
  };
}

/** The import section with one entry more, at its end: functions keep their numbers, and the memory stays number 0. */
function withMemoryImport(payload: Uint8Array, limits: Limits): Uint8Array {
  const cursor = new Cursor(payload);
  const count = cursor.unsigned();
  const entry = [
    ...text("host"),
    ...text("memory"),
    2,
    3,
    ...unsigned(limits.minimum),
    ...unsigned(limits.maximum ?? 65536),
  ];
  const content = Buffer.concat([
    Buffer.from(unsigned(count + 1)),
    payload.subarray(cursor.position),
    Buffer.from(entry),
  ]);
  return Buffer.concat([Buffer.from([SECTION.import, ...unsigned(content.length)]), content]);
}

/** Throws a RangeError for anything but active segments at constant addresses: nothing else occurs in a program. */
function activeSegments(cursor: Cursor): { address: number; bytes: Uint8Array }[] {
  const segments = [];
  for (let left = cursor.unsigned(); left > 0; left--) {
    if (cursor.unsigned() !== 0 || cursor.byte() !== 0x41) throw new RangeError("a data segment that is not active");
    const address = cursor.signed() >>> 0;
    if (cursor.byte() !== 0x0b) throw new RangeError("a data segment at a computed address");
    segments.push({ address, bytes: cursor.bytes(cursor.unsigned()) });
  }
  return segments;
}

function text(value: string): number[] {
  return [...unsigned(value.length), ...Buffer.from(value)];
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80);
  bytes.push(value);
  return bytes;
}
