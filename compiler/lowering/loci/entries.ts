// Functions by which the runtime calls user code whose record parameter is the address of the caller's record.
import { ValueType } from "../../wasm/index.ts";
import type { FunctionContext } from "../function-context.ts";
import type { Layout } from "../layout.ts";
import type { MemoryStorage } from "../storage.ts";
import { popInto, pushStored, releaseStored } from "../values.ts";

/**
 * Lays the leaves in `locals` into the frame region, runs `call` with the local that holds their address, and releases what lies there afterwards. `hold` says whether the
 * leaves are the caller's own already.
 */
export function callWithRecordInMemory(
  fn: FunctionContext,
  layout: Layout,
  locals: readonly number[],
  hold: "owned" | "borrowed",
  call: (address: number) => void,
): void {
  const { code, program } = fn;
  const framePointer = program.runtimeGlobal("frame_pointer");
  const size = (layout.size + 7) & -8;
  const base = code.local(ValueType.i32);
  code.globalGet(framePointer);
  code.tee(base);
  code.i32(size);
  code.op("i32.add");
  code.globalSet(framePointer);
  code.globalGet(framePointer);
  code.globalGet(program.runtimeGlobal("frame_limit"));
  code.op("i32.gt_u");
  code.if();
  code.call(program.runtimeFunction("panic_stack"));
  code.end();
  const memory: MemoryStorage = { kind: "memory", base, offset: 0 };
  pushStored(fn, { kind: "locals", locals }, layout, hold === "owned" ? "any" : "own", true);
  popInto(fn, memory, layout);
  call(base);
  releaseStored(fn, memory, layout);
  code.get(base);
  code.globalSet(framePointer);
}
