// The head of an instance in memory: what compiled code reads and writes of it itself (runtime/guest/locus.ts).
import { type CodeBuilder, ValueType } from "../../wasm/index.ts";

const { i32 } = ValueType;

/** Offsets. */
const FLAGS = 4;
export const PARENT = 8;
export const OWNER = 12;

/** Flags. */
export const TERMINATED = 8;
export const QUARANTINED = 16;
export const READY = 32;
export const ACCEPTED = 1024;
export const STATEMENT = 2048;
export const REGISTERED = 262_144;
/** It has given up the handles that it had borrowed. */
export const LET_GO = 524_288;
export const BORN = 1_048_576;
export const KEPT = 4_194_304;
export const OWN_THREAD = 8_388_608;
export const DIRECT = 16_777_216;

/** Pushes those of these flags that the instance in the local has. */
export function pushFlags(code: CodeBuilder, instance: number, flags: number): void {
  code.get(instance);
  code.load(i32, FLAGS);
  code.i32(flags);
  code.op("i32.and");
}

/** Sets flags of the instance in the local. */
export function setFlags(code: CodeBuilder, instance: number, flags: number): void {
  code.get(instance);
  code.get(instance);
  code.load(i32, FLAGS);
  code.i32(flags);
  code.op("i32.or");
  code.store(i32, FLAGS);
}
