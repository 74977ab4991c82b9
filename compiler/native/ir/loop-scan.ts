// Which locals each loop of a function assigns: what its header needs phis for.
import type { CodeReader } from "./code-reader.ts";

/**
 * Reads a whole body. Entry i holds the locals assigned within the i-th `loop` instruction, in code order.
 */
export function scanLoops(reader: CodeReader, code: Uint8Array, localCount: number): Int32Array[] {
  const result: Int32Array[] = [];
  /** Open blocks: the loop number, or -1. */
  const blocks: number[] = [-1];
  /** Open loops, with the locals assigned in them so far. */
  const loops: number[] = [];
  const assigned: number[][] = [];
  const stamp = new Int32Array(localCount);
  let stampCount = 0;
  reader.open(code);
  while (blocks.length > 0) {
    const opcode = reader.byte();
    switch (opcode) {
      case 0x02:
      case 0x04:
        blocks.push(-1);
        reader.skipLeb();
        break;
      case 0x03:
        blocks.push(result.length);
        loops.push(result.length);
        assigned.push([]);
        result.push(noLocals);
        reader.skipLeb();
        break;
      case 0x0b: {
        const loop = blocks.pop() ?? -1;
        if (loop < 0) break;
        loops.pop();
        stampCount++;
        const unique: number[] = [];
        for (const local of assigned.pop() ?? []) {
          if (stamp[local] === stampCount) continue;
          stamp[local] = stampCount;
          unique.push(local);
        }
        result[loop] = Int32Array.from(unique);
        const outer = assigned[assigned.length - 1];
        if (outer !== undefined) for (const local of unique) outer.push(local);
        break;
      }
      case 0x21:
      case 0x22: {
        const local = reader.u32();
        assigned[assigned.length - 1]?.push(local);
        break;
      }
      default:
        reader.skipImmediates(opcode);
    }
  }
  return result;
}

const noLocals = new Int32Array(0);
