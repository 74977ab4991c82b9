// The instructions of the WebAssembly core format: one table read by the builder, the decoder and the native back end.

/** What follows an opcode in the code bytes, in order. All integers are LEB128 except where the kind says otherwise. */
export type Immediates =
  | "none"
  /** A block type: 0x40, a value type, or a type index as s33. */
  | "block"
  | "label"
  /** `br_table`: vec(label) label. */
  | "labels"
  | "function"
  | "type table"
  /** vec(value type). */
  | "types"
  | "local"
  | "global"
  | "table"
  | "table table"
  | "element"
  | "element table"
  | "data"
  | "data memory"
  | "memory"
  | "memory memory"
  /** Alignment (as a power of two), then offset. */
  | "memory access"
  | "i32"
  | "i64"
  /** Four or eight bytes, little endian. */
  | "f32"
  | "f64"
  | "reference type"
  | "byte";

export interface OpcodeRow<Code extends number = number, Kind extends Immediates = Immediates> {
  /** The opcode byte; for prefixed instructions `prefix << 8 | number`. */
  readonly code: Code;
  readonly immediates: Kind;
  /**
   * `operands:results`, one letter each: i i32, l i64, f f32, d f64, r funcref. `*` when it depends on the immediates or the context.
   */
  readonly signature: string;
  /** Bytes of memory touched by a memory access; 0 for other instructions. */
  readonly accessBytes: number;
}

function row<const Code extends number, const Kind extends Immediates>(
  code: Code,
  immediates: Kind,
  signature: string,
  accessBytes = 0,
): OpcodeRow<Code, Kind> {
  return { code, immediates, signature, accessBytes };
}

/** Every instruction by its name in the text format (`select t` is the typed select). SIMD (prefix 0xfd) is not in the table. */
export const opcodes = {
  unreachable: row(0x00, "none", "*"),
  nop: row(0x01, "none", ":"),
  block: row(0x02, "block", "*"),
  loop: row(0x03, "block", "*"),
  if: row(0x04, "block", "*"),
  else: row(0x05, "none", "*"),
  end: row(0x0b, "none", "*"),
  br: row(0x0c, "label", "*"),
  br_if: row(0x0d, "label", "*"),
  br_table: row(0x0e, "labels", "*"),
  return: row(0x0f, "none", "*"),
  call: row(0x10, "function", "*"),
  call_indirect: row(0x11, "type table", "*"),
  return_call: row(0x12, "function", "*"),
  return_call_indirect: row(0x13, "type table", "*"),
  drop: row(0x1a, "none", "*"),
  select: row(0x1b, "none", "*"),
  "select t": row(0x1c, "types", "*"),
  "local.get": row(0x20, "local", "*"),
  "local.set": row(0x21, "local", "*"),
  "local.tee": row(0x22, "local", "*"),
  "global.get": row(0x23, "global", "*"),
  "global.set": row(0x24, "global", "*"),
  "table.get": row(0x25, "table", "*"),
  "table.set": row(0x26, "table", "*"),
  "i32.load": row(0x28, "memory access", "i:i", 4),
  "i64.load": row(0x29, "memory access", "i:l", 8),
  "f32.load": row(0x2a, "memory access", "i:f", 4),
  "f64.load": row(0x2b, "memory access", "i:d", 8),
  "i32.load8_s": row(0x2c, "memory access", "i:i", 1),
  "i32.load8_u": row(0x2d, "memory access", "i:i", 1),
  "i32.load16_s": row(0x2e, "memory access", "i:i", 2),
  "i32.load16_u": row(0x2f, "memory access", "i:i", 2),
  "i64.load8_s": row(0x30, "memory access", "i:l", 1),
  "i64.load8_u": row(0x31, "memory access", "i:l", 1),
  "i64.load16_s": row(0x32, "memory access", "i:l", 2),
  "i64.load16_u": row(0x33, "memory access", "i:l", 2),
  "i64.load32_s": row(0x34, "memory access", "i:l", 4),
  "i64.load32_u": row(0x35, "memory access", "i:l", 4),
  "i32.store": row(0x36, "memory access", "ii:", 4),
  "i64.store": row(0x37, "memory access", "il:", 8),
  "f32.store": row(0x38, "memory access", "if:", 4),
  "f64.store": row(0x39, "memory access", "id:", 8),
  "i32.store8": row(0x3a, "memory access", "ii:", 1),
  "i32.store16": row(0x3b, "memory access", "ii:", 2),
  "i64.store8": row(0x3c, "memory access", "il:", 1),
  "i64.store16": row(0x3d, "memory access", "il:", 2),
  "i64.store32": row(0x3e, "memory access", "il:", 4),
  "memory.size": row(0x3f, "memory", ":i"),
  "memory.grow": row(0x40, "memory", "i:i"),
  "i32.const": row(0x41, "i32", ":i"),
  "i64.const": row(0x42, "i64", ":l"),
  "f32.const": row(0x43, "f32", ":f"),
  "f64.const": row(0x44, "f64", ":d"),
  "i32.eqz": row(0x45, "none", "i:i"),
  "i32.eq": row(0x46, "none", "ii:i"),
  "i32.ne": row(0x47, "none", "ii:i"),
  "i32.lt_s": row(0x48, "none", "ii:i"),
  "i32.lt_u": row(0x49, "none", "ii:i"),
  "i32.gt_s": row(0x4a, "none", "ii:i"),
  "i32.gt_u": row(0x4b, "none", "ii:i"),
  "i32.le_s": row(0x4c, "none", "ii:i"),
  "i32.le_u": row(0x4d, "none", "ii:i"),
  "i32.ge_s": row(0x4e, "none", "ii:i"),
  "i32.ge_u": row(0x4f, "none", "ii:i"),
  "i64.eqz": row(0x50, "none", "l:i"),
  "i64.eq": row(0x51, "none", "ll:i"),
  "i64.ne": row(0x52, "none", "ll:i"),
  "i64.lt_s": row(0x53, "none", "ll:i"),
  "i64.lt_u": row(0x54, "none", "ll:i"),
  "i64.gt_s": row(0x55, "none", "ll:i"),
  "i64.gt_u": row(0x56, "none", "ll:i"),
  "i64.le_s": row(0x57, "none", "ll:i"),
  "i64.le_u": row(0x58, "none", "ll:i"),
  "i64.ge_s": row(0x59, "none", "ll:i"),
  "i64.ge_u": row(0x5a, "none", "ll:i"),
  "f32.eq": row(0x5b, "none", "ff:i"),
  "f32.ne": row(0x5c, "none", "ff:i"),
  "f32.lt": row(0x5d, "none", "ff:i"),
  "f32.gt": row(0x5e, "none", "ff:i"),
  "f32.le": row(0x5f, "none", "ff:i"),
  "f32.ge": row(0x60, "none", "ff:i"),
  "f64.eq": row(0x61, "none", "dd:i"),
  "f64.ne": row(0x62, "none", "dd:i"),
  "f64.lt": row(0x63, "none", "dd:i"),
  "f64.gt": row(0x64, "none", "dd:i"),
  "f64.le": row(0x65, "none", "dd:i"),
  "f64.ge": row(0x66, "none", "dd:i"),
  "i32.clz": row(0x67, "none", "i:i"),
  "i32.ctz": row(0x68, "none", "i:i"),
  "i32.popcnt": row(0x69, "none", "i:i"),
  "i32.add": row(0x6a, "none", "ii:i"),
  "i32.sub": row(0x6b, "none", "ii:i"),
  "i32.mul": row(0x6c, "none", "ii:i"),
  "i32.div_s": row(0x6d, "none", "ii:i"),
  "i32.div_u": row(0x6e, "none", "ii:i"),
  "i32.rem_s": row(0x6f, "none", "ii:i"),
  "i32.rem_u": row(0x70, "none", "ii:i"),
  "i32.and": row(0x71, "none", "ii:i"),
  "i32.or": row(0x72, "none", "ii:i"),
  "i32.xor": row(0x73, "none", "ii:i"),
  "i32.shl": row(0x74, "none", "ii:i"),
  "i32.shr_s": row(0x75, "none", "ii:i"),
  "i32.shr_u": row(0x76, "none", "ii:i"),
  "i32.rotl": row(0x77, "none", "ii:i"),
  "i32.rotr": row(0x78, "none", "ii:i"),
  "i64.clz": row(0x79, "none", "l:l"),
  "i64.ctz": row(0x7a, "none", "l:l"),
  "i64.popcnt": row(0x7b, "none", "l:l"),
  "i64.add": row(0x7c, "none", "ll:l"),
  "i64.sub": row(0x7d, "none", "ll:l"),
  "i64.mul": row(0x7e, "none", "ll:l"),
  "i64.div_s": row(0x7f, "none", "ll:l"),
  "i64.div_u": row(0x80, "none", "ll:l"),
  "i64.rem_s": row(0x81, "none", "ll:l"),
  "i64.rem_u": row(0x82, "none", "ll:l"),
  "i64.and": row(0x83, "none", "ll:l"),
  "i64.or": row(0x84, "none", "ll:l"),
  "i64.xor": row(0x85, "none", "ll:l"),
  "i64.shl": row(0x86, "none", "ll:l"),
  "i64.shr_s": row(0x87, "none", "ll:l"),
  "i64.shr_u": row(0x88, "none", "ll:l"),
  "i64.rotl": row(0x89, "none", "ll:l"),
  "i64.rotr": row(0x8a, "none", "ll:l"),
  "f32.abs": row(0x8b, "none", "f:f"),
  "f32.neg": row(0x8c, "none", "f:f"),
  "f32.ceil": row(0x8d, "none", "f:f"),
  "f32.floor": row(0x8e, "none", "f:f"),
  "f32.trunc": row(0x8f, "none", "f:f"),
  "f32.nearest": row(0x90, "none", "f:f"),
  "f32.sqrt": row(0x91, "none", "f:f"),
  "f32.add": row(0x92, "none", "ff:f"),
  "f32.sub": row(0x93, "none", "ff:f"),
  "f32.mul": row(0x94, "none", "ff:f"),
  "f32.div": row(0x95, "none", "ff:f"),
  "f32.min": row(0x96, "none", "ff:f"),
  "f32.max": row(0x97, "none", "ff:f"),
  "f32.copysign": row(0x98, "none", "ff:f"),
  "f64.abs": row(0x99, "none", "d:d"),
  "f64.neg": row(0x9a, "none", "d:d"),
  "f64.ceil": row(0x9b, "none", "d:d"),
  "f64.floor": row(0x9c, "none", "d:d"),
  "f64.trunc": row(0x9d, "none", "d:d"),
  "f64.nearest": row(0x9e, "none", "d:d"),
  "f64.sqrt": row(0x9f, "none", "d:d"),
  "f64.add": row(0xa0, "none", "dd:d"),
  "f64.sub": row(0xa1, "none", "dd:d"),
  "f64.mul": row(0xa2, "none", "dd:d"),
  "f64.div": row(0xa3, "none", "dd:d"),
  "f64.min": row(0xa4, "none", "dd:d"),
  "f64.max": row(0xa5, "none", "dd:d"),
  "f64.copysign": row(0xa6, "none", "dd:d"),
  "i32.wrap_i64": row(0xa7, "none", "l:i"),
  "i32.trunc_f32_s": row(0xa8, "none", "f:i"),
  "i32.trunc_f32_u": row(0xa9, "none", "f:i"),
  "i32.trunc_f64_s": row(0xaa, "none", "d:i"),
  "i32.trunc_f64_u": row(0xab, "none", "d:i"),
  "i64.extend_i32_s": row(0xac, "none", "i:l"),
  "i64.extend_i32_u": row(0xad, "none", "i:l"),
  "i64.trunc_f32_s": row(0xae, "none", "f:l"),
  "i64.trunc_f32_u": row(0xaf, "none", "f:l"),
  "i64.trunc_f64_s": row(0xb0, "none", "d:l"),
  "i64.trunc_f64_u": row(0xb1, "none", "d:l"),
  "f32.convert_i32_s": row(0xb2, "none", "i:f"),
  "f32.convert_i32_u": row(0xb3, "none", "i:f"),
  "f32.convert_i64_s": row(0xb4, "none", "l:f"),
  "f32.convert_i64_u": row(0xb5, "none", "l:f"),
  "f32.demote_f64": row(0xb6, "none", "d:f"),
  "f64.convert_i32_s": row(0xb7, "none", "i:d"),
  "f64.convert_i32_u": row(0xb8, "none", "i:d"),
  "f64.convert_i64_s": row(0xb9, "none", "l:d"),
  "f64.convert_i64_u": row(0xba, "none", "l:d"),
  "f64.promote_f32": row(0xbb, "none", "f:d"),
  "i32.reinterpret_f32": row(0xbc, "none", "f:i"),
  "i64.reinterpret_f64": row(0xbd, "none", "d:l"),
  "f32.reinterpret_i32": row(0xbe, "none", "i:f"),
  "f64.reinterpret_i64": row(0xbf, "none", "l:d"),
  "i32.extend8_s": row(0xc0, "none", "i:i"),
  "i32.extend16_s": row(0xc1, "none", "i:i"),
  "i64.extend8_s": row(0xc2, "none", "l:l"),
  "i64.extend16_s": row(0xc3, "none", "l:l"),
  "i64.extend32_s": row(0xc4, "none", "l:l"),
  "ref.null": row(0xd0, "reference type", "*"),
  "ref.is_null": row(0xd1, "none", "*"),
  "ref.func": row(0xd2, "function", ":r"),
  "i32.trunc_sat_f32_s": row(0xfc00, "none", "f:i"),
  "i32.trunc_sat_f32_u": row(0xfc01, "none", "f:i"),
  "i32.trunc_sat_f64_s": row(0xfc02, "none", "d:i"),
  "i32.trunc_sat_f64_u": row(0xfc03, "none", "d:i"),
  "i64.trunc_sat_f32_s": row(0xfc04, "none", "f:l"),
  "i64.trunc_sat_f32_u": row(0xfc05, "none", "f:l"),
  "i64.trunc_sat_f64_s": row(0xfc06, "none", "d:l"),
  "i64.trunc_sat_f64_u": row(0xfc07, "none", "d:l"),
  "memory.init": row(0xfc08, "data memory", "iii:"),
  "data.drop": row(0xfc09, "data", ":"),
  "memory.copy": row(0xfc0a, "memory memory", "iii:"),
  "memory.fill": row(0xfc0b, "memory", "iii:"),
  "table.init": row(0xfc0c, "element table", "iii:"),
  "elem.drop": row(0xfc0d, "element", ":"),
  "table.copy": row(0xfc0e, "table table", "iii:"),
  "table.grow": row(0xfc0f, "table", "*"),
  "table.size": row(0xfc10, "table", ":i"),
  "table.fill": row(0xfc11, "table", "*"),
  "memory.atomic.notify": row(0xfe00, "memory access", "ii:i", 4),
  "memory.atomic.wait32": row(0xfe01, "memory access", "iil:i", 4),
  "memory.atomic.wait64": row(0xfe02, "memory access", "ill:i", 8),
  "atomic.fence": row(0xfe03, "byte", ":"),
  "i32.atomic.load": row(0xfe10, "memory access", "i:i", 4),
  "i64.atomic.load": row(0xfe11, "memory access", "i:l", 8),
  "i32.atomic.load8_u": row(0xfe12, "memory access", "i:i", 1),
  "i32.atomic.load16_u": row(0xfe13, "memory access", "i:i", 2),
  "i64.atomic.load8_u": row(0xfe14, "memory access", "i:l", 1),
  "i64.atomic.load16_u": row(0xfe15, "memory access", "i:l", 2),
  "i64.atomic.load32_u": row(0xfe16, "memory access", "i:l", 4),
  "i32.atomic.store": row(0xfe17, "memory access", "ii:", 4),
  "i64.atomic.store": row(0xfe18, "memory access", "il:", 8),
  "i32.atomic.store8": row(0xfe19, "memory access", "ii:", 1),
  "i32.atomic.store16": row(0xfe1a, "memory access", "ii:", 2),
  "i64.atomic.store8": row(0xfe1b, "memory access", "il:", 1),
  "i64.atomic.store16": row(0xfe1c, "memory access", "il:", 2),
  "i64.atomic.store32": row(0xfe1d, "memory access", "il:", 4),
  "i32.atomic.rmw.add": row(0xfe1e, "memory access", "ii:i", 4),
  "i64.atomic.rmw.add": row(0xfe1f, "memory access", "il:l", 8),
  "i32.atomic.rmw8.add_u": row(0xfe20, "memory access", "ii:i", 1),
  "i32.atomic.rmw16.add_u": row(0xfe21, "memory access", "ii:i", 2),
  "i64.atomic.rmw8.add_u": row(0xfe22, "memory access", "il:l", 1),
  "i64.atomic.rmw16.add_u": row(0xfe23, "memory access", "il:l", 2),
  "i64.atomic.rmw32.add_u": row(0xfe24, "memory access", "il:l", 4),
  "i32.atomic.rmw.sub": row(0xfe25, "memory access", "ii:i", 4),
  "i64.atomic.rmw.sub": row(0xfe26, "memory access", "il:l", 8),
  "i32.atomic.rmw8.sub_u": row(0xfe27, "memory access", "ii:i", 1),
  "i32.atomic.rmw16.sub_u": row(0xfe28, "memory access", "ii:i", 2),
  "i64.atomic.rmw8.sub_u": row(0xfe29, "memory access", "il:l", 1),
  "i64.atomic.rmw16.sub_u": row(0xfe2a, "memory access", "il:l", 2),
  "i64.atomic.rmw32.sub_u": row(0xfe2b, "memory access", "il:l", 4),
  "i32.atomic.rmw.and": row(0xfe2c, "memory access", "ii:i", 4),
  "i64.atomic.rmw.and": row(0xfe2d, "memory access", "il:l", 8),
  "i32.atomic.rmw8.and_u": row(0xfe2e, "memory access", "ii:i", 1),
  "i32.atomic.rmw16.and_u": row(0xfe2f, "memory access", "ii:i", 2),
  "i64.atomic.rmw8.and_u": row(0xfe30, "memory access", "il:l", 1),
  "i64.atomic.rmw16.and_u": row(0xfe31, "memory access", "il:l", 2),
  "i64.atomic.rmw32.and_u": row(0xfe32, "memory access", "il:l", 4),
  "i32.atomic.rmw.or": row(0xfe33, "memory access", "ii:i", 4),
  "i64.atomic.rmw.or": row(0xfe34, "memory access", "il:l", 8),
  "i32.atomic.rmw8.or_u": row(0xfe35, "memory access", "ii:i", 1),
  "i32.atomic.rmw16.or_u": row(0xfe36, "memory access", "ii:i", 2),
  "i64.atomic.rmw8.or_u": row(0xfe37, "memory access", "il:l", 1),
  "i64.atomic.rmw16.or_u": row(0xfe38, "memory access", "il:l", 2),
  "i64.atomic.rmw32.or_u": row(0xfe39, "memory access", "il:l", 4),
  "i32.atomic.rmw.xor": row(0xfe3a, "memory access", "ii:i", 4),
  "i64.atomic.rmw.xor": row(0xfe3b, "memory access", "il:l", 8),
  "i32.atomic.rmw8.xor_u": row(0xfe3c, "memory access", "ii:i", 1),
  "i32.atomic.rmw16.xor_u": row(0xfe3d, "memory access", "ii:i", 2),
  "i64.atomic.rmw8.xor_u": row(0xfe3e, "memory access", "il:l", 1),
  "i64.atomic.rmw16.xor_u": row(0xfe3f, "memory access", "il:l", 2),
  "i64.atomic.rmw32.xor_u": row(0xfe40, "memory access", "il:l", 4),
  "i32.atomic.rmw.xchg": row(0xfe41, "memory access", "ii:i", 4),
  "i64.atomic.rmw.xchg": row(0xfe42, "memory access", "il:l", 8),
  "i32.atomic.rmw8.xchg_u": row(0xfe43, "memory access", "ii:i", 1),
  "i32.atomic.rmw16.xchg_u": row(0xfe44, "memory access", "ii:i", 2),
  "i64.atomic.rmw8.xchg_u": row(0xfe45, "memory access", "il:l", 1),
  "i64.atomic.rmw16.xchg_u": row(0xfe46, "memory access", "il:l", 2),
  "i64.atomic.rmw32.xchg_u": row(0xfe47, "memory access", "il:l", 4),
  "i32.atomic.rmw.cmpxchg": row(0xfe48, "memory access", "iii:i", 4),
  "i64.atomic.rmw.cmpxchg": row(0xfe49, "memory access", "ill:l", 8),
  "i32.atomic.rmw8.cmpxchg_u": row(0xfe4a, "memory access", "iii:i", 1),
  "i32.atomic.rmw16.cmpxchg_u": row(0xfe4b, "memory access", "iii:i", 2),
  "i64.atomic.rmw8.cmpxchg_u": row(0xfe4c, "memory access", "ill:l", 1),
  "i64.atomic.rmw16.cmpxchg_u": row(0xfe4d, "memory access", "ill:l", 2),
  "i64.atomic.rmw32.cmpxchg_u": row(0xfe4e, "memory access", "ill:l", 4),
} as const satisfies Record<string, OpcodeRow>;

export type OpcodeName = keyof typeof opcodes;

export interface Opcode extends OpcodeRow {
  readonly name: OpcodeName;
}

const byCode = new Map<number, Opcode>();
for (const [name, entry] of Object.entries(opcodes)) {
  // Object.entries widens the keys of a closed table to string.
  byCode.set(entry.code, { ...entry, name: name as OpcodeName });
}

/** The instruction with this code (`prefix << 8 | number` for prefixed ones), if the table has it. */
export function opcodeOf(code: number): Opcode | undefined {
  return byCode.get(code);
}
