// The emitters of all operations, by operation: filled in by the files that hold them.
import { operationCount } from "../ir/operations.ts";
import { controlEmitters } from "./control.ts";
import { conversionEmitters } from "./conversions.ts";
import type { Emitter } from "./emitter.ts";
import { floatEmitters } from "./floats.ts";
import { integerEmitters } from "./integers.ts";
import { memoryEmitters } from "./memory.ts";

/** Emits one instruction; `position` is 4 times its number. */
export type OperationEmitter = (emitter: Emitter, value: number, position: number) => void;

export const emitters: readonly (OperationEmitter | undefined)[] = Array.from({ length: operationCount }, (_, op) =>
  [integerEmitters, floatEmitters, conversionEmitters, memoryEmitters, controlEmitters]
    .map((table) => table.get(op))
    .find((entry) => entry !== undefined),
);
