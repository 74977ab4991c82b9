// The bytes of a module -> `WasmModule`. Function bodies and constant expressions stay bytes; nothing is validated beyond the format.
import {
  type DataSegment,
  type ElementSegment,
  type Export,
  type FuncType,
  type Import,
  type Limits,
  ValueType,
  type WasmModule,
} from "./module.ts";
import { opcodeOf } from "./opcodes.ts";
import { ByteReader } from "./reader.ts";
import { sections } from "./sections.ts";

const maximalLocals = 50_000;

/**
 * Reads a module in the core format: multi-value, reference types, bulk memory, shared memory, names. Function bodies are views into `bytes`.
 * @throws WasmFormatError when the bytes are malformed or use a proposal that the table of instructions lacks.
 */
export function decodeModule(bytes: Uint8Array): WasmModule {
  const reader = new ByteReader(bytes);
  if (bytes.length < 8 || bytes[0] !== 0 || bytes[1] !== 0x61 || bytes[2] !== 0x73 || bytes[3] !== 0x6d)
    reader.fail("magic header not detected");
  if (bytes[4] !== 1 || bytes[5] !== 0 || bytes[6] !== 0 || bytes[7] !== 0) reader.fail("unknown binary version");
  reader.position = 8;
  const module: WasmModule = {
    types: [],
    imports: [],
    functions: [],
    tables: [],
    memories: [],
    globals: [],
    exports: [],
    elements: [],
    data: [],
    files: [],
  };
  const declared: { types: number[] } = { types: [] };
  while (!reader.done) {
    const id = reader.byte();
    const size = reader.u32();
    if (size > reader.end - reader.position) reader.fail("length out of bounds");
    const section = new ByteReader(bytes, reader.position, reader.position + size);
    reader.position += size;
    readSection(id, section, module, declared);
    if (id !== sections.custom && !section.done) section.fail("section size mismatch");
  }
  if (module.functions.length !== declared.types.length)
    reader.fail("function and code section have inconsistent lengths");
  return module;
}

function readSection(id: number, reader: ByteReader, module: WasmModule, declared: { types: number[] }): void {
  switch (id) {
    case sections.custom:
      if (reader.name() === "name") readNames(reader, module);
      return;
    case sections.type:
      module.types = reader.vector(() => funcType(reader));
      return;
    case sections.import:
      module.imports = reader.vector(() => importEntry(reader));
      return;
    case sections.function:
      declared.types = reader.vector(() => reader.u32());
      return;
    case sections.table:
      module.tables = reader.vector(() => ({ element: valueType(reader), limits: limits(reader) }));
      return;
    case sections.memory:
      module.memories = reader.vector(() => limits(reader));
      return;
    case sections.global:
      module.globals = reader.vector(() => ({
        type: valueType(reader),
        mutable: reader.byte() === 1,
        init: constantExpression(reader),
      }));
      return;
    case sections.export:
      module.exports = reader.vector(() => exportEntry(reader));
      return;
    case sections.start:
      module.start = reader.u32();
      return;
    case sections.element:
      module.elements = reader.vector(() => elementSegment(reader));
      return;
    case sections.dataCount:
      reader.u32();
      return;
    case sections.code:
      readCode(reader, module, declared.types);
      return;
    case sections.data:
      module.data = reader.vector(() => dataSegment(reader));
      return;
    default:
      reader.fail(id === sections.tag ? "not supported yet: exception handling" : `unknown section ${id}`);
  }
}

function funcType(reader: ByteReader): FuncType {
  const form = reader.byte();
  if (form !== 0x60)
    reader.fail(form >= 0x4e && form <= 0x5f ? "not supported yet: garbage collection" : "malformed type form");
  return { params: reader.vector(() => valueType(reader)), results: reader.vector(() => valueType(reader)) };
}

function valueType(reader: ByteReader): ValueType {
  const byte = reader.byte();
  switch (byte) {
    case ValueType.i32:
    case ValueType.i64:
    case ValueType.f32:
    case ValueType.f64:
    case ValueType.v128:
    case ValueType.funcref:
    case ValueType.externref:
      return byte;
    default:
      return reader.fail(unknownValueType(byte));
  }
}

function unknownValueType(byte: number): string {
  if (byte === 0x63 || byte === 0x64) return "not supported yet: typed function references";
  if (byte === 0x69 || byte === 0x74) return "not supported yet: exception handling";
  if (byte >= 0x6a && byte <= 0x73) return "not supported yet: garbage collection";
  if (byte === 0x40) return "not supported yet: tables with an initial value";
  return `malformed value type 0x${byte.toString(16)}`;
}

function limits(reader: ByteReader): Limits {
  const flags = reader.byte();
  if (flags > 7) reader.fail("malformed limits flags");
  if (flags > 3) reader.fail("not supported yet: 64-bit addresses");
  const minimum = reader.u32();
  const shared = (flags & 2) !== 0;
  return flags & 1 ? { minimum, maximum: reader.u32(), shared } : { minimum, shared };
}

function importEntry(reader: ByteReader): Import {
  const module = reader.name();
  const name = reader.name();
  const kind = reader.byte();
  switch (kind) {
    case 0:
      return { module, name, description: { kind: "function", type: reader.u32() } };
    case 1:
      return { module, name, description: { kind: "table", element: valueType(reader), limits: limits(reader) } };
    case 2:
      return { module, name, description: { kind: "memory", limits: limits(reader) } };
    case 3:
      return { module, name, description: { kind: "global", type: valueType(reader), mutable: reader.byte() === 1 } };
    case 4:
      return reader.fail("not supported yet: exception handling");
    default:
      return reader.fail("malformed import kind");
  }
}

const exportKinds = ["function", "table", "memory", "global"] as const;

function exportEntry(reader: ByteReader): Export {
  const name = reader.name();
  const code = reader.byte();
  const kind =
    exportKinds[code] ?? reader.fail(code === 4 ? "not supported yet: exception handling" : "malformed export kind");
  return { name, kind, index: reader.u32() };
}

/** The bytes of a constant expression, its `end` included. */
function constantExpression(reader: ByteReader): Uint8Array {
  const start = reader.position;
  for (;;) {
    const code = reader.byte();
    if (code === 0x0b) return reader.bytes.subarray(start, reader.position);
    switch (opcodeOf(code)?.immediates) {
      case "none":
        break;
      case "i32":
      case "global":
      case "function":
      case "reference type":
        reader.skipLeb(33);
        break;
      case "i64":
        reader.skipLeb(64);
        break;
      case "f32":
        reader.take(4);
        break;
      case "f64":
        reader.take(8);
        break;
      default:
        reader.fail(`opcode 0x${code.toString(16)} in a constant expression`);
    }
  }
}

function functionReference(index: number): Uint8Array {
  const bytes = [0xd2];
  let rest = index;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  bytes.push(0x0b);
  return Uint8Array.from(bytes);
}

function elementSegment(reader: ByteReader): ElementSegment {
  const flags = reader.u32();
  if (flags > 7) reader.fail(`malformed elements segment kind ${flags}`);
  const passive = (flags & 1) !== 0;
  const explicit = (flags & 2) !== 0;
  const expressions = (flags & 4) !== 0;
  const table = !passive && explicit ? reader.u32() : 0;
  const offset = passive ? undefined : constantExpression(reader);
  let element: ValueType = ValueType.funcref;
  if (passive || explicit) {
    if (expressions) element = valueType(reader);
    else if (reader.byte() !== 0) reader.fail("malformed element kind");
  }
  const init = reader.vector(() => (expressions ? constantExpression(reader) : functionReference(reader.u32())));
  if (offset !== undefined) return { mode: "active", table, offset, element, init };
  return { mode: explicit ? "declarative" : "passive", table, element, init };
}

function dataSegment(reader: ByteReader): DataSegment {
  const flags = reader.u32();
  if (flags > 2) reader.fail(`malformed data segment kind ${flags}`);
  if (flags === 2 && reader.u32() !== 0) reader.fail("not supported yet: several memories");
  if (flags === 1) return { mode: "passive", bytes: reader.take(reader.u32()) };
  return { mode: "active", offset: constantExpression(reader), bytes: reader.take(reader.u32()) };
}

function readCode(reader: ByteReader, module: WasmModule, types: readonly number[]): void {
  const count = reader.u32();
  if (count !== types.length) reader.fail("function and code section have inconsistent lengths");
  for (const type of types) {
    const size = reader.u32();
    if (size > reader.end - reader.position) reader.fail("length out of bounds");
    const end = reader.position + size;
    const body = new ByteReader(reader.bytes, reader.position, end);
    const locals = localTypes(body);
    if (reader.bytes[end - 1] !== 0x0b) body.fail("END opcode expected");
    module.functions.push({ name: "", type, locals, code: reader.bytes.subarray(body.position, end) });
    reader.position = end;
  }
}

function localTypes(reader: ByteReader): ValueType[] {
  const locals: ValueType[] = [];
  const groups = reader.u32();
  for (let group = 0; group < groups; group++) {
    const count = reader.u32();
    if (locals.length + count > maximalLocals) reader.fail("too many locals");
    const type = valueType(reader);
    for (let index = 0; index < count; index++) locals.push(type);
  }
  return locals;
}

/** Names are advice: a malformed name section is ignored from the malformed place on. */
function readNames(reader: ByteReader, module: WasmModule): void {
  let importedFunctions = 0;
  let importedGlobals = 0;
  for (const entry of module.imports) {
    if (entry.description.kind === "function") importedFunctions++;
    if (entry.description.kind === "global") importedGlobals++;
  }
  try {
    while (!reader.done) {
      const id = reader.byte();
      const size = reader.u32();
      const part = new ByteReader(reader.bytes, reader.position, Math.min(reader.end, reader.position + size));
      reader.position += size;
      if (id !== 1 && id !== 7) continue;
      const count = part.u32();
      for (let entry = 0; entry < count; entry++) {
        const index = part.u32();
        const name = part.name();
        const target = id === 1 ? module.functions[index - importedFunctions] : module.globals[index - importedGlobals];
        if (target !== undefined) target.name = name;
      }
    }
  } catch {
    // See above: the names read so far stand.
  }
}
