// Where a value is: a register, a word of the frame or of a neighbouring frame, or nowhere because it is a constant.
import type { Register } from "../x64/registers.ts";

/**
 * 0..31: register. From `slotBase`: spill slot. From `incomingBase`: word of the area where the caller puts arguments and finds results. From `outgoingBase`: word
 * of the own such area. Negative: the complement of a constant's value number.
 */
export type Location = number;

export const slotBase = 64;
export const incomingBase = 1 << 24;
export const outgoingBase = 1 << 25;

export function isRegister(location: Location): location is Register {
  return location >= 0 && location < 32;
}

export function isConstant(location: Location): boolean {
  return location < 0;
}

export function isMemory(location: Location): boolean {
  return location >= slotBase;
}
