// What a module asks for that the back end does not have, by the name of the proposal: looked for before a module from elsewhere is compiled.
import { opcodeOf, ValueType, type WasmModule } from "../wasm/index.ts";
import { CodeReader } from "./ir/code-reader.ts";

/** The name of the first feature that is missing, undefined when all is there. The code need not be valid. */
export function missingFeature(module: WasmModule): string | undefined {
  const types = [
    ...module.types.flatMap(({ params, results }) => [...params, ...results]),
    ...module.globals.map(({ type }) => type),
    ...module.functions.flatMap(({ locals }) => locals),
  ];
  if (types.includes(ValueType.v128)) return "SIMD";
  const imported = module.imports.filter(({ description }) => description.kind === "memory");
  if (imported.length + module.memories.length > 1) return "several memories";
  for (const { code } of module.functions) {
    const missing = missingInstruction(code);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function missingInstruction(code: Uint8Array): string | undefined {
  const reader = new CodeReader();
  reader.open(code);
  while (reader.position < code.length) {
    const start = reader.position;
    const opcode = reader.byte();
    const number = opcode >= 0xfb && opcode <= 0xfe ? reader.u32() : 0;
    const entry = opcodeOf(opcode >= 0xfb && opcode <= 0xfe ? (opcode << 8) | number : opcode);
    const missing = entry === undefined ? proposalOf(opcode) : undefined;
    if (missing !== undefined || entry === undefined) return missing;
    if (opcode === 0x12 || opcode === 0x13) return "tail calls";
    // The alignment of an access carries a flag for a memory index.
    if (entry.immediates === "memory access" && ((code[reader.position] ?? 0) & 0x40) !== 0) return "several memories";
    reader.position = start + 1;
    reader.skipImmediates(opcode);
  }
  return undefined;
}

/** The proposal that an opcode without an entry in the table belongs to, undefined for one that nothing defines. */
function proposalOf(opcode: number): string | undefined {
  if (opcode === 0xfd) return "SIMD";
  if (opcode === 0xfb) return "garbage collection";
  if ((opcode >= 0x06 && opcode <= 0x0a) || opcode === 0x18 || opcode === 0x19 || opcode === 0x1f)
    return "exception handling";
  if (opcode === 0x14 || opcode === 0x15 || (opcode >= 0xd3 && opcode <= 0xd6)) return "typed function references";
  return undefined;
}
