// The x86-64 instructions that the back end emits, as a table: mandatory prefix, opcode map, opcode byte. Baseline: x86-64-v2 (SSE4.1, POPCNT).

/** prefix << 16 | map << 8 | opcode; map 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A. */
export type Encoding = number;

function encoding(opcode: number, map = 0, prefix = 0): Encoding {
  return (prefix << 16) | (map << 8) | opcode;
}

/** Instructions of the form `op reg, reg/mem` (destination first). Where an 8-bit form exists it is the opcode minus one. */
export const regRm = {
  add: encoding(0x03),
  or: encoding(0x0b),
  and: encoding(0x23),
  sub: encoding(0x2b),
  xor: encoding(0x33),
  cmp: encoding(0x3b),
  mov: encoding(0x8b),
  movsxd: encoding(0x63),
  lea: encoding(0x8d),
  imul: encoding(0xaf, 1),
  movzx8: encoding(0xb6, 1),
  movzx16: encoding(0xb7, 1),
  movsx8: encoding(0xbe, 1),
  movsx16: encoding(0xbf, 1),
  bsf: encoding(0xbc, 1),
  bsr: encoding(0xbd, 1),
  popcnt: encoding(0xb8, 1, 0xf3),
  // Scalar floats. `ss` has prefix F3, `sd` F2.
  movss: encoding(0x10, 1, 0xf3),
  movsd: encoding(0x10, 1, 0xf2),
  movaps: encoding(0x28, 1),
  movups: encoding(0x10, 1),
  addss: encoding(0x58, 1, 0xf3),
  addsd: encoding(0x58, 1, 0xf2),
  mulss: encoding(0x59, 1, 0xf3),
  mulsd: encoding(0x59, 1, 0xf2),
  subss: encoding(0x5c, 1, 0xf3),
  subsd: encoding(0x5c, 1, 0xf2),
  divss: encoding(0x5e, 1, 0xf3),
  divsd: encoding(0x5e, 1, 0xf2),
  minss: encoding(0x5d, 1, 0xf3),
  minsd: encoding(0x5d, 1, 0xf2),
  maxss: encoding(0x5f, 1, 0xf3),
  maxsd: encoding(0x5f, 1, 0xf2),
  sqrtss: encoding(0x51, 1, 0xf3),
  sqrtsd: encoding(0x51, 1, 0xf2),
  ucomiss: encoding(0x2e, 1),
  ucomisd: encoding(0x2e, 1, 0x66),
  cvtss2sd: encoding(0x5a, 1, 0xf3),
  cvtsd2ss: encoding(0x5a, 1, 0xf2),
  /** Integer source. */
  cvtsi2ss: encoding(0x2a, 1, 0xf3),
  cvtsi2sd: encoding(0x2a, 1, 0xf2),
  /** Integer destination. */
  cvttss2si: encoding(0x2c, 1, 0xf3),
  cvttsd2si: encoding(0x2c, 1, 0xf2),
  andps: encoding(0x54, 1),
  andnps: encoding(0x55, 1),
  orps: encoding(0x56, 1),
  xorps: encoding(0x57, 1),
  pxor: encoding(0xef, 1, 0x66),
  /** XMM from a general register or memory (4 bytes, wide: 8). */
  movd: encoding(0x6e, 1, 0x66),
  roundss: encoding(0x0a, 3, 0x66),
  roundsd: encoding(0x0b, 3, 0x66),
} as const satisfies Record<string, Encoding>;

/** Whole XMM registers, destination first; some take an immediate byte behind their operands. */
export const sse = {
  movdqa: encoding(0x6f, 1, 0x66),
  movdqu: encoding(0x6f, 1, 0xf3),
  /** To memory. */
  movdquTo: encoding(0x7f, 1, 0xf3),
  movd: encoding(0x6e, 1, 0x66),
  paddd: encoding(0xfe, 1, 0x66),
  pshufb: encoding(0x00, 2, 0x66),
  pshufd: encoding(0x70, 1, 0x66),
  palignr: encoding(0x0f, 3, 0x66),
  pblendw: encoding(0x0e, 3, 0x66),
  /** From a general register; wide: pinsrq. */
  pinsr: encoding(0x22, 3, 0x66),
  // Not in the baseline: only behind a look at CPUID.
  sha256rnds2: encoding(0xcb, 2),
  sha256msg1: encoding(0xcc, 2),
  sha256msg2: encoding(0xcd, 2),
} as const satisfies Record<string, Encoding>;

/** Instructions of the form `op reg/mem, reg` (destination first, written to memory or a register). */
export const rmReg = {
  add: encoding(0x01),
  or: encoding(0x09),
  and: encoding(0x21),
  sub: encoding(0x29),
  xor: encoding(0x31),
  cmp: encoding(0x39),
  test: encoding(0x85),
  mov: encoding(0x89),
  mov8: encoding(0x88),
  xchg: encoding(0x87),
  xchg8: encoding(0x86),
  movss: encoding(0x11, 1, 0xf3),
  movsd: encoding(0x11, 1, 0xf2),
  movups: encoding(0x11, 1),
  movd: encoding(0x7e, 1, 0x66),
  xadd: encoding(0xc1, 1),
  xadd8: encoding(0xc0, 1),
  cmpxchg: encoding(0xb1, 1),
  cmpxchg8: encoding(0xb0, 1),
} as const satisfies Record<string, Encoding>;

/** One-operand instructions: opcode and the digit in the reg field of ModRM. */
export const unary = {
  not: [0xf7, 2],
  neg: [0xf7, 3],
  mul: [0xf7, 4],
  imul: [0xf7, 5],
  div: [0xf7, 6],
  idiv: [0xf7, 7],
  inc: [0xff, 0],
  dec: [0xff, 1],
  call: [0xff, 2],
  jmp: [0xff, 4],
} as const satisfies Record<string, readonly [number, number]>;

/** Immediate group (81 / 83): the digit in the reg field. */
export const immediateGroup = { add: 0, or: 1, and: 4, sub: 5, xor: 6, cmp: 7 } as const;
export type ImmediateGroup = keyof typeof immediateGroup;

/** Shift group (C1 with an immediate, D3 by CL): the digit in the reg field. */
export const shiftGroup = { rol: 0, ror: 1, shl: 4, shr: 5, sar: 7 } as const;
export type ShiftGroup = keyof typeof shiftGroup;

/** Condition codes, as in Jcc, SETcc and CMOVcc. Negation flips the lowest bit. */
export const Condition = {
  overflow: 0,
  noOverflow: 1,
  below: 2,
  aboveEqual: 3,
  equal: 4,
  notEqual: 5,
  belowEqual: 6,
  above: 7,
  sign: 8,
  noSign: 9,
  parity: 10,
  noParity: 11,
  less: 12,
  greaterEqual: 13,
  lessEqual: 14,
  greater: 15,
} as const;
export type Condition = number;
