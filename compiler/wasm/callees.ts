import { opcodeOf } from "./opcodes.ts";
import { ByteReader } from "./reader.ts";

/** The indices of the functions that code calls or takes a reference of. */
export function calleesOf(code: Uint8Array): readonly number[] {
  return referencesOf(code).functions;
}

/** What a piece of code names: functions, each once, and in their order the numbers that may be addresses (i32 constants, offsets of memory accesses). */
export function referencesOf(code: Uint8Array): {
  readonly functions: readonly number[];
  readonly numbers: readonly number[];
} {
  const reader = new ByteReader(code);
  const functions = new Set<number>();
  const numbers: number[] = [];
  while (!reader.done) {
    const first = reader.byte();
    const row = opcodeOf(first < 0xfc ? first : (first << 8) | reader.u32());
    switch (row?.immediates) {
      case "none":
        break;
      case "function":
        functions.add(reader.u32());
        break;
      case "type table":
        reader.u32();
        reader.u32();
        break;
      case "table table":
      case "element table":
      case "data memory":
      case "memory memory": // prettier-ignore
        reader.u32();
        reader.u32();
        break;
      case "memory access":
        reader.u32();
        numbers.push(reader.u32());
        break;
      case "label":
      case "local":
      case "global":
      case "table":
      case "element":
      case "data":
      case "memory": // prettier-ignore
        reader.u32();
        break;
      case "block":
        reader.skipLeb(33);
        break;
      case "i32":
        numbers.push(reader.s33() >>> 0);
        break;
      case "i64":
        reader.skipLeb(64);
        break;
      case "f32":
        reader.take(4);
        break;
      case "f64":
        reader.take(8);
        break;
      case "byte":
      case "reference type":
        reader.byte();
        break;
      case "labels": {
        const count = reader.u32();
        for (let at = 0; at <= count; at++) reader.u32();
        break;
      }
      case "types":
        for (let left = reader.u32(); left > 0; left--) reader.byte();
        break;
      default:
        reader.fail(`unknown opcode 0x${first.toString(16)}`);
    }
  }
  return { functions: [...functions], numbers };
}
