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
