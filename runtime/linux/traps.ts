// Traps become the language's panics (04 17). The native back end calls `hale_trap` with the kind (the order of `trapNames` in compiler/native/ir/operations.ts), an
// address behind the place of the trap, and the stack pointer of its frame.
import { faultBegin, faultEnd, faultWords } from "../guest/fault";
import { panic_division, panic_stack } from "../guest/panic";
import { startAtTrap } from "./backtrace";
import { syscall } from "./system";
import * as n from "./numbers";

let isTrapping: bool = false;

export function hale_trap(kind: i32, code: i64, frame: i64): void {
  // A trap while one is being reported: nothing more can be said.
  if (isTrapping) syscall(n.EXIT_GROUP, 1, 0, 0, 0, 0, 0);
  isTrapping = true;
  startAtTrap(code, frame);
  if (kind == 1 || kind == 2) panic_division();
  if (kind == 9) panic_stack();
  faultBegin();
  faultWords("Hale panic: internal error, ");
  describe(kind);
  faultEnd();
}

function describe(kind: i32): void {
  switch (kind) {
    case 0:
      faultWords("unreachable");
      break;
    case 3:
      faultWords("invalid conversion to integer");
      break;
    case 4:
      faultWords("memory access out of bounds");
      break;
    case 5:
    case 6:
      faultWords("table index is out of bounds");
      break;
    case 7:
    case 8:
      faultWords("null function or function signature mismatch");
      break;
    default:
      faultWords("illegal operation");
  }
}
