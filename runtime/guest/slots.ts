// Capacity slots (reference 05 5.16): typed cells that an instance hands out and takes back. A slot in an instance's cell: i32 all cells, i32 given back.
// Behind the value in each cell: i32 next of all, i32 next given back.
import { alloc } from "./memory";

/** A cell whose value has `size` bytes (a multiple of 8), one that was given back before a new one. */
export function slot_take(slot: usize, size: usize): usize {
  const free = load<usize>(slot, 4);
  if (free != 0) {
    store<usize>(slot, load<usize>(free + size, 4), 4);
    return free;
  }
  const cell = alloc(size + 8);
  store<usize>(cell + size, load<usize>(slot));
  store<usize>(slot, cell);
  return cell;
}

/** Takes a cell back; it keeps its value until it is handed out again. */
export function slot_give(slot: usize, cell: usize, size: usize): void {
  store<usize>(cell + size, load<usize>(slot, 4), 4);
  store<usize>(slot, cell, 4);
}
