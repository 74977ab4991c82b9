// From a module to the bytes of an executable.
import type { Export, WasmFunction, WasmModule } from "../wasm/index.ts";
import { FunctionCompiler } from "./compile-functions.ts";
import { stackOffsets } from "./data-image.ts";
import { ReadOnlyPool } from "./emit/read-only-pool.ts";
import { trapStubCount } from "./stubs/table.ts";
import { instantiationFailure, linkImage } from "./link.ts";
import { functionTypeOf, type ImportedGlobals, type ModulePlan, NativeUnsupportedError, planModule } from "./plan.ts";
import type { PrecompiledCode } from "./precompiled.ts";
import { atomicNotify, atomicWait } from "./stubs/atomics.ts";
import { entryStub, type Invocation, printingFunction, printValue } from "./stubs/entry.ts";
import { dropSegment, memoryCopy, memoryFill, memoryGrow, memoryInit } from "./stubs/memory.ts";
import { interruptibleSyscall, terminationHandler, watchSignals } from "./stubs/signals.ts";
import { hasSha256, sha256Blocks } from "./stubs/sha256.ts";
import { Stub as Code } from "./stubs/stub.ts";
import { Stub, stubCount } from "./stubs/table.ts";
import { tableCopy, tableFill, tableGrow, tableInit } from "./stubs/tables.ts";
import { spawnChild, threadStart } from "./stubs/threads.ts";
import {
  faultHandler,
  hostedTrapReport,
  killedHandler,
  plainTrapReport,
  signalReturn,
  trapEntry,
} from "./stubs/traps.ts";
import { regRm } from "./x64/encodings.ts";
import { FixupKind } from "./x64/assembler.ts";
import { Text, type TextFunction } from "./text.ts";

export interface NativeOptions {
  /** Export called as the program; an i32 result is the exit status. */
  readonly main?: string;
  /** Calls whose results are printed, instead of `main`. */
  readonly invocations?: readonly Invocation[];
  /** A trap is reported on stdout and does not keep the next invocation from being called. */
  readonly resumeAfterTraps?: boolean;
  /** Values of imported globals, by `module.name`. */
  readonly importedGlobals?: ImportedGlobals;
  /** Imported functions that do nothing and return zero, as `module.name`; others are refused. */
  readonly ignoredImports?: ReadonlySet<string>;
  /** 64 for programs that are to be fast, 16 (which is assumed) for those that are to be small. */
  readonly functionAlignment?: 16 | 64;
  /** Code of the module that this one extends. */
  readonly precompiled?: PrecompiledCode;
  /** Imported functions that write their arguments to stdout, as `module.name`. */
  readonly printingImports?: ReadonlySet<string>;
}

const noGlobals: ImportedGlobals = new Map();

/**
 * Compiles a valid module to a static executable.
 * @throws NativeUnsupportedError for imports, proposals and sizes that the back end does not have
 */
export function compileNative(module: WasmModule, options: NativeOptions): Uint8Array {
  const plan = planModule(module, options.importedGlobals ?? noGlobals);
  const pool = new ReadOnlyPool();
  const text = new Text(options.functionAlignment);
  const functions = importedFunctions(plan, text, options);
  const compiler = new FunctionCompiler(plan, pool);
  // Functions that nothing reaches have been emptied: one piece of code does for all.
  let emptied: TextFunction | undefined;
  const precompiled = options.precompiled?.fits(plan) === true ? options.precompiled : undefined;
  for (const [position, entry] of module.functions.entries()) {
    if (isEmptied(entry)) {
      emptied ??= compiler.compile(entry, text);
      functions.push(emptied);
    } else {
      functions.push(precompiled?.append(position, entry, text, pool, plan) ?? compiler.compile(entry, text));
    }
  }
  const stubs = emitStubs(plan, pool, text, options);
  return linkImage({ plan, text, pool, functions, stubs });
}

/** unreachable, end */
function isEmptied({ code }: WasmFunction): boolean {
  return code.length === 2 && code[0] === 0x00 && code[1] === 0x0b;
}

function importedFunctions(plan: ModulePlan, text: Text, options: NativeOptions): TextFunction[] {
  let silent: TextFunction | undefined;
  return plan.importedFunctions.map((entry, index) => {
    const name = `${entry.module}.${entry.name}`;
    if (options.printingImports?.has(name) === true)
      return text.append(printingFunction(functionTypeOf(plan, index)), 0);
    if (entry.module !== "sys" && options.ignoredImports?.has(name) !== true)
      throw new NativeUnsupportedError(`unknown import ${name}`);
    silent ??= text.append(silentFunction(), 0);
    return silent;
  });
}

/** Calls of the imports in "sys" are instructions; nothing refers to this code but a function reference. */
function silentFunction(): Code {
  const code = new Code();
  code.set(0, 0);
  code.asm.regReg(regRm.xorps, 0, 16, 16);
  code.ret();
  return code;
}

function exportedFunction(module: WasmModule, name: string): Export | undefined {
  return module.exports.find((entry) => entry.kind === "function" && entry.name === name);
}

function emitStubs(
  plan: ModulePlan,
  pool: ReadOnlyPool,
  text: Text,
  options: NativeOptions,
): (TextFunction | undefined)[] {
  const stubs = new Array<TextFunction | undefined>(stubCount).fill(undefined);
  const { module } = plan;
  const used = new Set<number>([
    Stub.entry,
    Stub.signalHandler,
    Stub.signalReturn,
    Stub.trapReport,
    Stub.killedHandler,
  ]);
  for (let kind = 0; kind < trapStubCount; kind++) used.add(Stub.traps + kind);
  if ((options.invocations?.length ?? 0) > 0) used.add(Stub.printValue);
  for (let index = 0; index < text.fixups.length; index += 4)
    if (text.fixups[index + 1] === FixupKind.stub) used.add(text.fixups[index + 2] ?? 0);
  if (used.has(Stub.watchSignals)) used.add(Stub.terminationHandler).add(Stub.interruptibleSyscall);
  const interruptible = interruptibleSyscall(plan);
  const makers: Readonly<Record<number, () => Code>> = {
    [Stub.memoryGrow]: () => memoryGrow(plan),
    [Stub.memoryCopy]: () => memoryCopy(plan),
    [Stub.memoryFill]: () => memoryFill(plan),
    [Stub.memoryInit]: () => memoryInit(plan),
    [Stub.dataDrop]: () => dropSegment(plan.dataSegmentsOffset),
    [Stub.elementDrop]: () => dropSegment(plan.elementSegmentsOffset),
    [Stub.tableCopy]: () => tableCopy(plan),
    [Stub.tableFill]: () => tableFill(plan),
    [Stub.tableInit]: () => tableInit(plan),
    [Stub.tableGrow]: () => tableGrow(plan),
    [Stub.atomicWait32]: () => atomicWait(plan, 4),
    [Stub.atomicWait64]: () => atomicWait(plan, 8),
    [Stub.atomicNotify]: () => atomicNotify(plan),
    [Stub.threadStart]: () => threadStart(plan, exportedFunction(module, "hale_thread")?.index),
    [Stub.spawn]: () => spawnChild(exportedFunction(module, "hale_child")?.index),
    [Stub.interruptibleSyscall]: () => interruptible.stub,
    [Stub.watchSignals]: () => watchSignals(plan),
    [Stub.terminationHandler]: () => terminationHandler(plan, interruptible.stretch),
    [Stub.hasSha256]: hasSha256,
    [Stub.sha256Blocks]: sha256Blocks,
    [Stub.signalReturn]: signalReturn,
    [Stub.signalHandler]: faultHandler,
    [Stub.printValue]: printValue,
    [Stub.killedHandler]: killedHandler,
    [Stub.trapReport]: () => trapReport(plan, pool),
    [Stub.entry]: () => entryFor(plan, options),
  };
  for (const number of used) {
    const kind = number - Stub.traps;
    const code = kind >= 0 ? trapEntry(kind) : makers[number]?.();
    if (code === undefined) throw new NativeUnsupportedError(`stub ${number}`);
    stubs[number] = text.append(code, 0);
  }
  return stubs;

  function trapReport(thePlan: ModulePlan, thePool: ReadOnlyPool): Code {
    const report = exportedFunction(module, "hale_trap");
    if (report === undefined) return plainTrapReport(thePlan, thePool, options.resumeAfterTraps === true);
    return hostedTrapReport(thePlan, exportedFunction(module, "hale_flush")?.index, report.index);
  }
}

function entryFor(plan: ModulePlan, options: NativeOptions): Code {
  const main = options.main === undefined ? undefined : exportedFunction(plan.module, options.main);
  if (options.main !== undefined && main === undefined)
    throw new NativeUnsupportedError(`no exported function "${options.main}"`);
  return entryStub(plan, {
    failure: instantiationFailure(plan),
    start: plan.module.start,
    main: main === undefined ? undefined : { functionIndex: main.index, type: functionTypeOf(plan, main.index) },
    invocations: options.invocations ?? [],
    resumeAfterTraps: options.resumeAfterTraps === true,
    ignoreBrokenPipes: main !== undefined,
    signalStackOffset: stackOffsets(plan).signalStack,
  });
}
