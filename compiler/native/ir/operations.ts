// The operations of the back end's own form: SSA values in basic blocks.

/** Machine types of values. i32 values always have zero upper halves in 64-bit registers and slots, so widening one without sign costs nothing. */
export const MachineType = { i32: 0, i64: 1, f32: 2, f64: 3, none: 4 } as const;
export type MachineType = number;

/**
 * Operation codes. Fields of an instruction: `a`, `b`, `c` values (or what is said), `imm`, `imm2` numbers.
 * Integer operations take their width from the instruction's type.
 */
export const Op = {
  /** imm, imm2: low and high half of the bits. */
  Const: 0,
  /** imm: parameter index. */
  Param: 1,
  /** Arguments stand on the edges into the block. */
  Phi: 2,
  /** Result `imm` of the call `a`, directly after it. */
  Result: 3,
  Add: 4,
  Sub: 5,
  Mul: 6,
  And: 7,
  Or: 8,
  Xor: 9,
  Shl: 10,
  ShrS: 11,
  ShrU: 12,
  Rotl: 13,
  Rotr: 14,
  DivS: 15,
  DivU: 16,
  RemS: 17,
  RemU: 18,
  /** Upper half of the product of two i64. */
  MulHighS: 19,
  MulHighU: 20,
  Clz: 21,
  Ctz: 22,
  Popcnt: 23,
  /** imm: 8, 16 or 32 bits of the source are significant. */
  SignExtend: 24,
  /** i64 -> i32. */
  Wrap: 25,
  /** imm: condition code; imm2: 1 for 64-bit operands. */
  Compare: 26,
  /** imm: FloatCondition; imm2: 1 for f64 operands. */
  FloatCompare: 27,
  /** c is not zero ? a : b. */
  Select: 28,
  FAdd: 29,
  FSub: 30,
  FMul: 31,
  FDiv: 32,
  FMin: 33,
  FMax: 34,
  FCopysign: 35,
  FAbs: 36,
  FNeg: 37,
  FSqrt: 38,
  /** imm: rounding mode of ROUNDSS/SD. */
  FRound: 39,
  /** Float -> integer; imm: TruncateFlags. */
  Truncate: 40,
  /** Integer -> float; imm: ConvertFlags. */
  Convert: 41,
  Demote: 42,
  Promote: 43,
  /** Same bits in the other register class. */
  Reinterpret: 44,
  /** a: address; imm: LoadKind; imm2: offset below 2^31 - memoryBase, or `rawOffset`. */
  Load: 45,
  /** a: address, b: value; imm: bytes; imm2: offset. */
  Store: 46,
  /** imm: global index. */
  GlobalGet: 47,
  GlobalSet: 48,
  MemorySize: 49,
  /** a: index; imm: table. */
  TableGet: 50,
  /** a: index, b: value; imm: table. */
  TableSet: 51,
  TableSize: 52,
  /** imm: function index. */
  RefFunc: 53,
  /** a: start of the arguments in `extra`, b: their number; imm: function index. */
  Call: 54,
  /** As Call; c: table index value; imm: type, imm2: table. */
  CallIndirect: 55,
  /** As Call; imm: stub number. */
  CallStub: 56,
  /** As Call with 7 arguments: number and six arguments; the instruction itself is the result. */
  Syscall: 57,
  /** a: address, b: value; imm: bytes | AtomicOperation << 8; imm2: offset. */
  AtomicRmw: 60,
  /** a: address, b: expected, c: replacement; imm: bytes; imm2: offset. */
  AtomicCompareExchange: 61,
  AtomicStore: 62,
  /** As Load, the address checked for alignment. */
  AtomicLoad: 63,
  Fence: 64,
  /** Terminators. Jump: a edge. Branch: a condition, b edge when not zero, c edge when zero. */
  Jump: 65,
  Branch: 66,
  /** a: index value; b: start of the edge list in `extra`, c: its length; the last is the default. */
  Switch: 67,
  /** a: start of values in `extra`, b: their number. */
  Return: 68,
  /** imm: TrapKind. */
  Trap: 69,
  /** A fact about the process (i64); imm: SystemValue. */
  SystemValue: 70,
  /** The end of a block that nothing jumps to any more. */
  Unreachable: 71,
} as const;
export type Op = number;

export const operationCount = 72;

/** As the offset of an access: the address is an i64 in the process's address space instead of an i32 in linear memory. */
export const rawOffset = -1;

export const FloatCondition = { eq: 0, ne: 1, lt: 2, gt: 3, le: 4, ge: 5 } as const;

/** Bits of `imm` in Truncate. */
export const TruncateFlags = { fromDouble: 1, signed: 2, saturating: 4 } as const;
/** Bits of `imm` in Convert. */
export const ConvertFlags = { fromWide: 1, signed: 2 } as const;

/** Loads: bytes | signed << 4. Float loads are told by the type. */
export const LoadKind = { bytes: 15, signed: 16 } as const;

/** Stack pointer, an address in the current function, stack pointer at the process's entry, address of the tables for backtraces. */
export const SystemValue = { stackPointer: 0, codeAddress: 1, initialStack: 2, tables: 3 } as const;

export const AtomicOperation = { add: 0, sub: 1, and: 2, or: 3, xor: 4, xchg: 5 } as const;

/** Traps, in the order of their messages in `trapNames`. */
export const TrapKind = {
  unreachable: 0,
  divideByZero: 1,
  integerOverflow: 2,
  invalidConversion: 3,
  memoryBounds: 4,
  tableBounds: 5,
  undefinedElement: 6,
  uninitializedElement: 7,
  typeMismatch: 8,
  stackExhausted: 9,
  unalignedAtomic: 10,
  notShared: 11,
} as const;
export type TrapKind = number;

/** The names that the official test suite uses. */
export const trapNames: readonly string[] = [
  "unreachable",
  "integer divide by zero",
  "integer overflow",
  "invalid conversion to integer",
  "out of bounds memory access",
  "out of bounds table access",
  "undefined element",
  "uninitialized element",
  "indirect call type mismatch",
  "call stack exhausted",
  "unaligned atomic",
  "expected shared memory",
];

/** Bits of `operationTraits`. */
export const Trait = {
  /** Must be kept even when its value is not used. */
  effect: 1,
  /** Nothing may be moved across it: it writes memory or state, or may trap with another kind than a memory access. */
  barrier: 2,
  terminator: 4,
  commutative: 8,
} as const;

export const operationTraits: Uint8Array = traits();

function traits(): Uint8Array {
  const table = new Uint8Array(operationCount);
  const set = (bits: number, ...ops: Op[]) => {
    for (const op of ops) table[op] = (table[op] ?? 0) | bits;
  };
  set(Trait.commutative, Op.Add, Op.Mul, Op.And, Op.Or, Op.Xor, Op.FAdd, Op.FMul, Op.MulHighS, Op.MulHighU);
  set(Trait.barrier, Op.DivS, Op.DivU, Op.RemS, Op.RemU, Op.Truncate);
  set(Trait.effect, Op.Load, Op.Param);
  set(
    Trait.effect | Trait.barrier,
    Op.Store,
    Op.GlobalSet,
    Op.TableGet,
    Op.TableSet,
    Op.Call,
    Op.CallIndirect,
    Op.CallStub,
    Op.Syscall,
  );
  set(Trait.effect | Trait.barrier, Op.AtomicRmw, Op.AtomicCompareExchange, Op.AtomicStore, Op.AtomicLoad, Op.Fence);
  set(
    Trait.effect | Trait.barrier | Trait.terminator,
    Op.Jump,
    Op.Branch,
    Op.Switch,
    Op.Return,
    Op.Trap,
    Op.Unreachable,
  );
  return table;
}
