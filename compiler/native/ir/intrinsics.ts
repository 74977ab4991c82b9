// Calls of the imports in module "sys", which only the native back end knows: they become instructions.
import { memoryBase } from "../plan.ts";
import { Stub } from "../stubs/table.ts";
import type { FunctionBuilder } from "./builder.ts";
import { MachineType, Op, rawOffset, SystemValue } from "./operations.ts";

type Intrinsic = (builder: FunctionBuilder) => void;

const { i32, i64, none } = MachineType;

function rawLoad(bytes: number, type: MachineType): Intrinsic {
  return (b) => b.push(b.ir.add(Op.Load, type, b.pop(), 0, 0, bytes, rawOffset));
}

function rawStore(bytes: number): Intrinsic {
  return (b) => {
    const value = b.pop();
    b.ir.add(Op.Store, none, b.pop(), value, 0, bytes, rawOffset);
  };
}

function systemValue(which: number): Intrinsic {
  return (b) => b.push(b.ir.add(Op.SystemValue, i64, 0, 0, 0, which));
}

/** The imports of module "sys", by name; runtime/linux/system.ts says what they do. Addresses here are the process's own, not linear memory's. */
const intrinsics: ReadonlyMap<string, Intrinsic> = new Map<string, Intrinsic>([
  /** (number, six arguments: i64) -> i64. */
  [
    "syscall",
    (b) => {
      const { ir } = b;
      const start = ir.extra.length;
      for (const value of b.stack.splice(b.stack.length - 7)) ir.extra.push(value);
      b.push(ir.add(Op.Syscall, i64, start, 7));
    },
  ],
  /** () -> i64: the address of linear memory. */
  ["base", (b) => b.push(b.ir.constant(i64, memoryBase, 0))],
  ["load8", rawLoad(1, i32)],
  ["load32", rawLoad(4, i32)],
  ["load64", rawLoad(8, i64)],
  ["store8", rawStore(1)],
  ["store32", rawStore(4)],
  ["store64", rawStore(8)],
  ["interruptible_syscall", (b) => b.callStub(Stub.interruptibleSyscall, 7, [], i64)],
  ["stack", systemValue(SystemValue.stackPointer)],
  ["code", systemValue(SystemValue.codeAddress)],
  ["initial_stack", systemValue(SystemValue.initialStack)],
  ["tables", systemValue(SystemValue.tables)],
  ["watch_signals", (b) => b.callStub(Stub.watchSignals, 1, [], i32)],
  /** (argument: i32) -> i32: see runtime/linux. */
  ["thread_start", (b) => b.callStub(Stub.threadStart, 1, [], i32)],
  ["has_sha256", (b) => b.callStub(Stub.hasSha256, 0, [], i32)],
  ["sha256_blocks", (b) => b.callStub(Stub.sha256Blocks, 4, [], none)],
  ["spawn", (b) => b.callStub(Stub.spawn, 1, [], i32)],
]);

/** Compiles a call to function `index` when it is an intrinsic. */
export function intrinsicCall(builder: FunctionBuilder, index: number): boolean {
  const entry = builder.plan.importedFunctions[index];
  if (entry?.module !== "sys") return false;
  const intrinsic = intrinsics.get(entry.name);
  if (intrinsic === undefined) return false;
  intrinsic(builder);
  return true;
}
