// What linear memory holds at the start, as pieces of the file that the kernel maps in place.
import { evaluateConstant, type ModulePlan } from "./plan.ts";

export interface MemoryPiece {
  /** Address in linear memory, on a page boundary. */
  readonly start: number;
  /** Whole pages. */
  readonly bytes: Uint8Array;
}

const pageBytes = 4096;
/** Runs of zero pages up to this length stay within a piece: more when there would be too many pieces, each of which the kernel has to map at the start. */
const joinedGap = 0;
const mostPieces = 12;
const wasmPageBytes = 65536;

/** The active data segments, applied in order; undefined when one lies outside of memory. */
export function memoryPieces(plan: ModulePlan): MemoryPiece[] | undefined {
  const limit = (plan.memory?.minimum ?? 0) * wasmPageBytes;
  /** Pages that hold something, by number. */
  const pages = new Map<number, Uint8Array>();
  for (const segment of plan.module.data) {
    if (segment.offset === undefined) continue;
    const start = evaluateConstant(segment.offset, plan.globals).low >>> 0;
    if (start + segment.bytes.length > limit) return undefined;
    placeBytes(pages, start, segment.bytes);
  }
  const used = [...pages].filter(([, bytes]) => bytes.some((byte) => byte !== 0)).map(([page]) => page);
  used.sort((left, right) => left - right);
  return runsOf(used).map(([first, last]) => {
    const bytes = new Uint8Array((last - first + 1) * pageBytes);
    for (let page = first; page <= last; page++) bytes.set(pages.get(page) ?? [], (page - first) * pageBytes);
    return { start: first * pageBytes, bytes };
  });
}

function placeBytes(pages: Map<number, Uint8Array>, start: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const address = start + done;
    const page = Math.floor(address / pageBytes);
    const within = address % pageBytes;
    const count = Math.min(bytes.length - done, pageBytes - within);
    let content = pages.get(page);
    if (content === undefined) {
      content = new Uint8Array(pageBytes);
      pages.set(page, content);
    }
    content.set(bytes.subarray(done, done + count), within);
    done += count;
  }
}

/** Joins page numbers (ascending) into runs, over small gaps; over larger ones when there would be too many runs. */
function runsOf(pages: readonly number[]): (readonly [first: number, last: number])[] {
  for (let gap = joinedGap; ; gap = 2 * gap + 1) {
    const runs: [number, number][] = [];
    for (const page of pages) {
      const run = runs[runs.length - 1];
      if (run !== undefined && page - run[1] <= gap + 1) run[1] = page;
      else runs.push([page, page]);
    }
    if (runs.length <= mostPieces) return runs;
  }
}
