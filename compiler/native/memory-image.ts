// What linear memory holds at the start, as pieces of the file that the kernel maps in place.
import { evaluateConstant, type ModulePlan } from "./plan.ts";

export interface MemoryPiece {
  /** Address in linear memory, on a page boundary. */
  readonly start: number;
  /** Whole pages. */
  readonly bytes: Uint8Array;
}

const pageBytes = 4096;
/** Data closer together than this go into one piece. */
const joinBytes = 1 << 16;
const wasmPageBytes = 65536;

/** The active data segments, applied in order; undefined when one lies outside of memory. */
export function memoryPieces(plan: ModulePlan): MemoryPiece[] | undefined {
  const limit = (plan.memory?.minimum ?? 0) * wasmPageBytes;
  const placed: { readonly start: number; readonly bytes: Uint8Array }[] = [];
  for (const segment of plan.module.data) {
    if (segment.offset === undefined) continue;
    const start = evaluateConstant(segment.offset, plan.globals).low >>> 0;
    if (start + segment.bytes.length > limit) return undefined;
    if (segment.bytes.length > 0) placed.push({ start, bytes: segment.bytes });
  }
  const ranges = placed.map(({ start, bytes }) => [start & -pageBytes, (start + bytes.length + pageBytes - 1) & -pageBytes] as const);
  ranges.sort(([left], [right]) => (left >>> 0) - (right >>> 0));
  const pieces: { start: number; bytes: Uint8Array }[] = [];
  let end = -1;
  let current: [number, number] | undefined;
  const joined: [number, number][] = [];
  for (const [low, high] of ranges) {
    const from = low >>> 0;
    const to = high >>> 0;
    if (current !== undefined && from <= end + joinBytes) current[1] = Math.max(current[1], to);
    else {
      current = [from, to];
      joined.push(current);
    }
    end = Math.max(end, to);
  }
  for (const [from, to] of joined) pieces.push({ start: from, bytes: new Uint8Array(to - from) });
  for (const { start, bytes } of placed) {
    const piece = pieces.findLast((candidate) => candidate.start <= start);
    piece?.bytes.set(bytes, start - piece.start);
  }
  return pieces;
}
