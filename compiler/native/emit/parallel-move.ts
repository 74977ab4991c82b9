// Moves that happen at once: ordered so that nothing is overwritten before it is read. A cycle is broken by setting one value aside in xmm15, whatever its type;
// r11 stays free for moves between two memory places.
import { scratchFloat } from "../x64/registers.ts";
import type { Emitter } from "./emitter.ts";
import type { Location } from "./locations.ts";

export class ParallelMove {
  private readonly sources: Location[] = [];
  private readonly targets: Location[] = [];
  /** The value moved, for its type. */
  private readonly values: number[] = [];

  add(source: Location, target: Location, value: number): void {
    if (source === target) return;
    this.sources.push(source);
    this.targets.push(target);
    this.values.push(value);
  }

  get isEmpty(): boolean {
    return this.targets.length === 0;
  }

  /** Forgets the moves. */
  clear(): void {
    this.sources.length = 0;
    this.targets.length = 0;
    this.values.length = 0;
  }

  /** Emits the moves and forgets them. */
  emit(emitter: Emitter): void {
    const { sources, targets, values } = this;
    while (targets.length > 0) {
      let progress = false;
      for (let index = 0; index < targets.length; ) {
        const target = targets[index] ?? 0;
        if (sources.includes(target)) {
          index++;
          continue;
        }
        emitter.move(target, sources[index] ?? 0, values[index] ?? 0);
        remove(sources, index);
        remove(targets, index);
        remove(values, index);
        progress = true;
      }
      if (progress) continue;
      const source = sources[0] ?? 0;
      emitter.move(scratchFloat, source, values[0] ?? 0);
      for (let index = 0; index < sources.length; index++) if (sources[index] === source) sources[index] = scratchFloat;
    }
  }
}

function remove(list: number[], index: number): void {
  const last = list.pop() ?? 0;
  if (index < list.length) list[index] = last;
}
