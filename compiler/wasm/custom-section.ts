import { ByteReader } from "./reader.ts";

/**
 * The content of the last custom section called `name`, a view into `module` (a binary in the core format), or `undefined`.
 * @throws WasmFormatError when the sections are malformed.
 */
export function customSection(module: Uint8Array, name: string): Uint8Array | undefined {
  const reader = new ByteReader(module);
  reader.position = 8;
  let content: Uint8Array | undefined;
  while (!reader.done) {
    const id = reader.byte();
    const size = reader.u32();
    const section = new ByteReader(module, reader.position, reader.position + size);
    reader.take(size);
    if (id === 0 && section.name() === name) content = module.subarray(section.position, section.end);
  }
  return content;
}

/** The module with this custom section at its end, in place of any of the same name. */
export function withCustomSection(module: Uint8Array, name: string, content: Uint8Array): Uint8Array {
  const title = new TextEncoder().encode(name);
  const head = [...leb(title.length), ...title];
  const parts = [module.subarray(0, 8)];
  const reader = new ByteReader(module);
  reader.position = 8;
  while (!reader.done) {
    const start = reader.position;
    const id = reader.byte();
    const size = reader.u32();
    const section = new ByteReader(module, reader.position, reader.position + size);
    reader.take(size);
    if (id !== 0 || section.name() !== name) parts.push(module.subarray(start, reader.position));
  }
  parts.push(Uint8Array.from([0, ...leb(head.length + content.length), ...head]), content);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}
