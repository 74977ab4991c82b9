// The data segment: the main thread's block, the words of the run-time support, descriptors of segments and tables, the tables.
import { evaluateConstant, type ModulePlan } from "./plan.ts";
import { mainStackBytes, mainStackTop, signalStackBytes, spareStackBytes, ThreadOffset } from "./threads.ts";

export interface DataImage {
  readonly bytes: Uint8Array;
  readonly memoryBytes: number;
}

/** What the linker knows when it fills the data segment. */
export interface ImageAddresses {
  readonly data: bigint;
  /** Address of a function's code. */
  readonly functionAddress: (index: number) => bigint;
  /** Puts bytes into the read-only part and returns their address. */
  readonly placeReadOnly: (bytes: Uint8Array) => bigint;
}

/** Offsets of the zeroed areas behind the tables. */
export function stackOffsets(plan: ModulePlan): {
  readonly signalStack: number;
  readonly spareStack: number;
  readonly end: number;
} {
  const signalStack = (plan.dataBytes + plan.tableBytes + 15) & -16;
  const spareStack = signalStack + signalStackBytes;
  return { signalStack, spareStack, end: spareStack + spareStackBytes };
}

/** A function reference as tables, globals and values hold it: low half of the code address, type id. */
export function referenceBits(plan: ModulePlan, index: number, address: bigint): bigint {
  const id = plan.typeIds[plan.functionTypes[index] ?? 0] ?? 0;
  return (BigInt(id) << 32n) | BigInt.asUintN(32, address);
}

/** The bits of a reference given by a constant expression. */
function evaluateReference(plan: ModulePlan, code: Uint8Array, addresses: ImageAddresses): bigint {
  const value = evaluateConstant(code, plan.globals);
  if (value.functionReference !== undefined)
    return referenceBits(plan, value.functionReference, addresses.functionAddress(value.functionReference));
  return (BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0);
}

/** Whether every active element segment fits its table. */
export function elementsFit(plan: ModulePlan): boolean {
  return plan.module.elements.every((segment) => {
    if (segment.offset === undefined) return true;
    const start = evaluateConstant(segment.offset, plan.globals).low >>> 0;
    return start + segment.init.length <= (plan.tables[segment.table]?.minimum ?? 0);
  });
}

export function dataImage(plan: ModulePlan, addresses: ImageAddresses): DataImage {
  const bytes = new Uint8Array(plan.dataBytes + plan.tableBytes);
  const view = new DataView(bytes.buffer);
  const word = (at: number, value: bigint) => view.setBigUint64(at, BigInt.asUintN(64, value), true);
  const stacks = stackOffsets(plan);
  word(ThreadOffset.self, addresses.data);
  word(ThreadOffset.stackLimit, BigInt(mainStackTop - mainStackBytes));
  word(ThreadOffset.spareStackTop, addresses.data + BigInt(stacks.end));
  for (const global of plan.globals) {
    if (global.functionReference === undefined) {
      view.setInt32(global.offset, global.low, true);
      view.setInt32(global.offset + 4, global.high, true);
    } else
      word(
        global.offset,
        referenceBits(plan, global.functionReference, addresses.functionAddress(global.functionReference)),
      );
  }
  if (plan.threadTemplateOffset > 0) bytes.copyWithin(plan.threadTemplateOffset, 0, plan.threadBytes);
  view.setUint32(plan.memoryPagesOffset, plan.memory?.minimum ?? 0, true);
  plan.module.data.forEach((segment, index) => {
    if (segment.mode !== "passive") return;
    const at = plan.dataSegmentsOffset + 16 * index;
    word(at, addresses.placeReadOnly(segment.bytes));
    word(at + 8, BigInt(segment.bytes.length));
  });
  fillTables(plan, addresses, view);
  let end = bytes.length;
  while (end > plan.threadBytes && bytes[end - 1] === 0) end--;
  return { bytes: bytes.subarray(0, end), memoryBytes: stacks.end };
}

function fillTables(plan: ModulePlan, addresses: ImageAddresses, view: DataView): void {
  const word = (at: number, value: bigint) => view.setBigUint64(at, BigInt.asUintN(64, value), true);
  plan.tables.forEach((table) => {
    word(table.sizeOffset - 8, addresses.data + BigInt(table.offset));
    view.setUint32(table.sizeOffset, table.minimum, true);
    view.setUint32(table.sizeOffset + 4, table.capacity, true);
  });
  const fits = elementsFit(plan);
  plan.module.elements.forEach((segment, index) => {
    if (segment.mode === "declarative") return;
    if (segment.offset !== undefined) {
      const table = plan.tables[segment.table];
      if (!fits || table === undefined) return;
      const start = evaluateConstant(segment.offset, plan.globals).low >>> 0;
      segment.init.forEach((code, entry) =>
        word(table.offset + 8 * (start + entry), evaluateReference(plan, code, addresses)),
      );
      return;
    }
    const entries = new BigUint64Array(segment.init.map((code) => evaluateReference(plan, code, addresses)));
    const at = plan.elementSegmentsOffset + 16 * index;
    word(at, addresses.placeReadOnly(new Uint8Array(entries.buffer)));
    word(at + 8, BigInt(segment.init.length));
  });
}
