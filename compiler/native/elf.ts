// The ELF container: program headers for what the kernel maps, section headers for debuggers.

/** A part of the address space. `bytes` come from the file; the rest up to `memoryBytes` is zero. */
export interface Segment {
  readonly address: bigint;
  readonly bytes: Uint8Array;
  readonly memoryBytes: number;
  readonly flags: number;
}

export const SegmentFlags = { execute: 1, write: 2, read: 4 } as const;

/** A section that is not loaded, or a name for a part of a segment. */
export interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: bigint;
  /** For parts of segments: number of the segment, offset in it and size. Otherwise the bytes. */
  readonly content: Uint8Array | { readonly segment: number; readonly offset: number; readonly size: number };
  readonly link: number;
  readonly info: number;
  readonly entrySize: number;
  readonly alignment: number;
}

export interface SymbolEntry {
  readonly name: string;
  readonly address: bigint;
  readonly size: number;
}

const headerBytes = 64;
const programHeaderBytes = 56;
const sectionHeaderBytes = 64;
const pageBytes = 4096;

/** The bytes before the first segment's content when that segment is to include the headers. */
export function headersSize(segments: number): number {
  return headerBytes + segments * programHeaderBytes;
}

/**
 * Writes a static executable. Segment `headerSegment` starts with the headers: its bytes must begin with room of `headersSize`. Segments must be in order of
 * address; each starts on a page of its own in the file.
 */
export function writeElf(
  entry: bigint,
  segments: readonly Segment[],
  headerSegment: number,
  sections: readonly Section[],
  symbols: readonly SymbolEntry[],
): Uint8Array {
  const offsets: number[] = [];
  let position = segments[headerSegment]?.bytes.length ?? 0;
  segments.forEach((segment, index) => {
    if (index === headerSegment) {
      offsets.push(0);
      return;
    }
    if (segment.bytes.length > 0) position = (position + pageBytes - 1) & -pageBytes;
    offsets.push(segment.bytes.length > 0 ? position : 0);
    position += segment.bytes.length;
  });
  const all = [
    nullSection,
    ...sections,
    ...symbolSections(symbols, sections.length + 1, sections.findIndex(({ name }) => name === ".text") + 1),
  ];
  const names = stringTable(all.map(({ name }) => name).concat(".shstrtab"));
  all.push({ ...nullSection, name: ".shstrtab", type: 3, content: names.bytes, alignment: 1 });
  const contents = all.map((section) => {
    if (!(section.content instanceof Uint8Array))
      return (offsets[section.content.segment] ?? 0) + section.content.offset;
    position = (position + 7) & -8;
    const at = position;
    position += section.content.length;
    return at;
  });
  position = (position + 7) & -8;
  const sectionHeaders = position;
  const file = new Uint8Array(position + all.length * sectionHeaderBytes);
  segments.forEach((segment, index) => file.set(segment.bytes, offsets[index] ?? 0));
  all.forEach((section, index) => {
    if (section.content instanceof Uint8Array) file.set(section.content, contents[index] ?? 0);
  });
  const view = new DataView(file.buffer);
  writeHeader(view, entry, segments.length, sectionHeaders, all.length);
  segments.forEach((segment, index) =>
    writeProgramHeader(view, headerBytes + index * programHeaderBytes, segment, offsets[index] ?? 0),
  );
  all.forEach((section, index) => {
    writeSectionHeader(
      view,
      sectionHeaders + index * sectionHeaderBytes,
      section,
      names.offsets[index] ?? 0,
      contents[index] ?? 0,
    );
  });
  return file;
}

function writeHeader(view: DataView, entry: bigint, segments: number, sectionHeaders: number, sections: number): void {
  [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0].forEach((byte, index) => view.setUint8(index, byte));
  view.setUint16(16, 2, true);
  view.setUint16(18, 62, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, entry, true);
  view.setBigUint64(32, BigInt(headerBytes), true);
  view.setBigUint64(40, BigInt(sectionHeaders), true);
  view.setUint16(52, headerBytes, true);
  view.setUint16(54, programHeaderBytes, true);
  view.setUint16(56, segments, true);
  view.setUint16(58, sectionHeaderBytes, true);
  view.setUint16(60, sections, true);
  view.setUint16(62, sections - 1, true);
}

function writeProgramHeader(view: DataView, at: number, segment: Segment, offset: number): void {
  view.setUint32(at, 1, true);
  view.setUint32(at + 4, segment.flags, true);
  view.setBigUint64(at + 8, BigInt(offset), true);
  view.setBigUint64(at + 16, segment.address, true);
  view.setBigUint64(at + 24, segment.address, true);
  view.setBigUint64(at + 32, BigInt(segment.bytes.length), true);
  view.setBigUint64(at + 40, BigInt(segment.memoryBytes), true);
  view.setBigUint64(at + 48, BigInt(pageBytes), true);
}

function writeSectionHeader(view: DataView, at: number, section: Section, name: number, offset: number): void {
  view.setUint32(at, name, true);
  view.setUint32(at + 4, section.type, true);
  view.setBigUint64(at + 8, BigInt(section.flags), true);
  view.setBigUint64(at + 16, section.address, true);
  view.setBigUint64(at + 24, BigInt(section.type === 0 ? 0 : offset), true);
  const size = section.content instanceof Uint8Array ? section.content.length : section.content.size;
  view.setBigUint64(at + 32, BigInt(size), true);
  view.setUint32(at + 40, section.link, true);
  view.setUint32(at + 44, section.info, true);
  view.setBigUint64(at + 48, BigInt(section.alignment), true);
  view.setBigUint64(at + 56, BigInt(section.entrySize), true);
}

const nullSection: Section = {
  name: "",
  type: 0,
  flags: 0,
  address: 0n,
  content: new Uint8Array(0),
  link: 0,
  info: 0,
  entrySize: 0,
  alignment: 0,
};

/** .symtab and .strtab, which follow section `first - 1`. */
function symbolSections(symbols: readonly SymbolEntry[], first: number, text: number): Section[] {
  const names = stringTable(symbols.map(({ name }) => name));
  const table = new Uint8Array((symbols.length + 1) * 24);
  const view = new DataView(table.buffer);
  symbols.forEach((symbol, index) => {
    const at = (index + 1) * 24;
    view.setUint32(at, names.offsets[index] ?? 0, true);
    // Local functions.
    view.setUint8(at + 4, 2);
    view.setUint16(at + 6, text, true);
    view.setBigUint64(at + 8, symbol.address, true);
    view.setBigUint64(at + 16, BigInt(symbol.size), true);
  });
  return [
    {
      ...nullSection,
      name: ".symtab",
      type: 2,
      content: table,
      link: first + 1,
      info: symbols.length + 1,
      entrySize: 24,
      alignment: 8,
    },
    { ...nullSection, name: ".strtab", type: 3, content: names.bytes, alignment: 1 },
  ];
}

function stringTable(names: readonly string[]): { readonly bytes: Uint8Array; readonly offsets: readonly number[] } {
  const offsets: number[] = [];
  let text = "\0";
  for (const name of names) {
    if (name === "") {
      offsets.push(0);
      continue;
    }
    offsets.push(Buffer.byteLength(text));
    text += `${name}\0`;
  }
  return { bytes: Buffer.from(text), offsets };
}
