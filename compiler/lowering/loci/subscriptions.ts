// Static blocks of channels and subscription lines (layout: runtime/guest/bus.ts), and the functions that make subscriptions active.
import type { LocusType, TypedFunction, Type } from "../../semantics/index.ts";
import { ValueType } from "../../wasm/index.ts";
import { FunctionContext } from "../function-context.ts";
import { layoutOf, type Layout } from "../layout.ts";
import type { AddedFunction, ProgramContext } from "../program-context.ts";
import { partOf } from "../storage.ts";
import { dropPushed, popInto, pushLeaf, pushStored, releaseStored } from "../values.ts";
import { copyFunction } from "../cells.ts";
import { type Channel, isPattern, patternBase } from "./channels.ts";
import { wordBytes } from "./descriptors.ts";
import { callWithRecordInMemory } from "./entries.ts";
import { isolateFunction } from "./isolate.ts";
import { lociOfProgram } from "./program-loci.ts";
import type { SubscriptionLine } from "./shape.ts";
import { isThreaded } from "./threads.ts";

const { i32, i64 } = ValueType;

const FILTERS = { any: 0, one: 1, fallback: 2 } as const;
const KEYS = { none: 0, i64: 1, i32: 2, string: 3, decimal: 4 } as const;
/** Bytes of a cell before its payload (runtime/guest/queue.ts). */
const CELL_HEADER = 16;
/** Policies of a line (runtime/guest/channel.ts). */
const DROP_OLD = 1;
const COUNTED = 2;
/** How a line's subject is meant when it is no plain one: a pattern's base, or one with stars elsewhere, which matches nothing (06 6.3). */
const PATTERN = 1;
const NEVER = 2;
/** Offset of the key in a subscription's state. */
const STATE_KEY = 16;

/** Address of the channel's block. */
export function channelBlock(program: ProgramContext, channel: Channel): number {
  const blocks = lociOfProgram(program).channelBlocks;
  let address = blocks.get(channel);
  if (address === undefined) {
    const layout = layoutOf(channel.payload);
    const key = keyOf(channel);
    const isolate = isThreaded(program.program) ? isolateFunction(program, channel.payload) : undefined;
    const words = [
      0,
      0,
      (layout.size + 7) & -8,
      payloadCopy(program, channel.payload),
      payloadDiscard(program, channel.payload),
      key.kind,
      key.offset,
      channel.bound ?? 0,
      channel.isQuiet ? 1 : 0,
      isolate ? program.tableIndexOf(isolate.index) : 0,
      isExclusive(program, channel) ? 1 : 0,
      0,
      (CELL_HEADER + layout.size + 15) & -16,
      program.text(channel.subject ?? ""),
    ];
    address = program.data.add(wordBytes(words), 8);
    blocks.set(channel, address);
  }
  return address;
}

/** Whether threads may send to it one at a time only: what waits for one of its subscribers is bounded. */
function isExclusive(program: ProgramContext, channel: Channel): boolean {
  if (channel.bound !== undefined) return true;
  const { bus } = lociOfProgram(program);
  return program.program.loci.some((locus) =>
    locus.subscriptions.some((line) => line.bounded !== undefined && bus.heardBy(line, [channel]).length > 0),
  );
}

/** Whether its sends need no more than a walk over the list: they cannot fail. */
export function isPlain(program: ProgramContext, channel: Channel): boolean {
  return channel.keyField === undefined && !channel.isQuiet && !isExclusive(program, channel);
}

function keyOf(channel: Channel): { readonly kind: number; readonly offset: number } {
  const { payload, keyField } = channel;
  if (keyField === undefined || payload.kind !== "record") return { kind: KEYS.none, offset: 0 };
  const { layout, offset } = partOf(layoutOf(payload), keyField);
  return { kind: keyKind(layout), offset };
}

function keyKind(layout: Layout): number {
  const [leaf] = layout.leaves;
  if (leaf?.reference) return KEYS.string;
  if (layout.leaves.length === 2) return KEYS.decimal;
  return leaf?.wasm === i64 ? KEYS.i64 : KEYS.i32;
}

/** Table index of `(address) -> ()` that makes the payload there, copied byte by byte, a value of its own. */
function payloadCopy(program: ProgramContext, payload: Type): number {
  const layout = layoutOf(payload);
  if (!layout.counted) return 0;
  const added = program.helper("own payload", payload, () =>
    program.addFunction("own payload", [i32], [], (slot) => {
      const fn = new FunctionContext(program, undefined, [i32]);
      const memory = { kind: "memory", base: 0, offset: 0 } as const;
      for (const [position, { reference }] of layout.leaves.entries()) {
        if (!reference) continue;
        if (reference.kind === "cell") {
          fn.code.get(0);
          pushLeaf(fn, memory, layout, position);
          fn.code.call(copyFunction(program, reference.type));
          fn.code.store(i32, layout.offsets[position] ?? 0);
        } else {
          pushLeaf(fn, memory, layout, position);
          fn.code.call(program.runtimeFunction("retain"));
        }
      }
      slot.finished = fn.code.finish();
    }),
  );
  return program.tableIndexOf(added.index);
}

/** Table index of `(address) -> ()` that gives the payload's references back. */
function payloadDiscard(program: ProgramContext, payload: Type): number {
  const layout = layoutOf(payload);
  if (!layout.counted) return 0;
  const added = program.helper("discard payload", payload, () =>
    program.addFunction("discard payload", [i32], [], (slot) => {
      const fn = new FunctionContext(program, undefined, [i32]);
      releaseStored(fn, { kind: "memory", base: 0, offset: 0 }, layout);
      slot.finished = fn.code.finish();
    }),
  );
  return program.tableIndexOf(added.index);
}

const lineBlocks = new WeakMap<SubscriptionLine, number>();

/** Address of the line's block. */
export function lineBlock(program: ProgramContext, line: SubscriptionLine): number {
  const known = lineBlocks.get(line);
  if (known !== undefined) return known;
  const { subscription, channels } = line;
  const { subject, bounded, key } = subscription;
  const filter = key === undefined ? FILTERS.any : key.kind === "any" ? FILTERS.fallback : FILTERS.one;
  const words = [
    program.tableIndexOf(handlerEntry(program, subscription.handler, subscription.payload)),
    filter,
    bounded?.capacity ?? 0,
    (bounded?.policy === "drop_old" ? DROP_OLD : 0) | (isCounted(line) ? COUNTED : 0),
    program.text(isPattern(subject) ? patternBase(subject) : subject),
    isPattern(subject) ? PATTERN : subject.includes("*") ? NEVER : 0,
    payloadId(program, subscription.payload),
    channels.length,
    ...channels.map((channel) => channelBlock(program, channel)),
  ];
  const address = program.data.add(wordBytes(words), 4);
  lineBlocks.set(line, address);
  return address;
}

/** Whether the cells that wait for the line must be counted. */
function isCounted({ subscription, channels }: SubscriptionLine): boolean {
  return subscription.bounded !== undefined || channels.some((channel) => channel.bound !== undefined);
}

const payloadIds = new WeakMap<ProgramContext, Map<Type, number>>();

/** A number for each payload type, to compare when a subject is computed. */
export function payloadId(program: ProgramContext, payload: Type): number {
  let ids = payloadIds.get(program);
  if (!ids) {
    ids = new Map();
    payloadIds.set(program, ids);
  }
  let id = ids.get(payload);
  if (id === undefined) {
    id = ids.size + 1;
    ids.set(payload, id);
  }
  return id;
}

/** `(receiver, address of the payload) -> ()`: takes the payload over and runs the handler. */
function handlerEntry(program: ProgramContext, handler: TypedFunction, payload: Type): number {
  const layout = layoutOf(payload);
  return program.helper("handler entry", handler, () =>
    program.addFunction(`${handler.name} (delivery)`, [i32, i32], [], (added) => {
      const fn = new FunctionContext(program, undefined, [i32, i32]);
      const { code } = fn;
      const values = fn.newLocals(layout);
      pushStored(fn, { kind: "memory", base: 1, offset: 0 }, layout, "any", false);
      popInto(fn, values, layout);
      const call = () => {
        code.call(program.functionIndex(handler));
        dropPushed(fn, handler.result, layoutOf(handler.result).counted ? "owned" : "plain");
      };
      if (program.references.isReference(handler, 0)) {
        callWithRecordInMemory(fn, layout, values.locals, "owned", (address) => {
          code.get(0);
          code.get(address);
          call();
        });
      } else {
        code.get(0);
        pushStored(fn, values, layout, "any", false);
        call();
        releaseStored(fn, values, layout);
      }
      added.finished = code.finish();
    }),
  ).index;
}

/** `(self) -> ()`: evaluates the keys and registers the lines, in source order. */
export function subscribeFunction(program: ProgramContext, locus: LocusType): AddedFunction | undefined {
  const { lines } = lociOfProgram(program).shapeOf(locus);
  if (lines.length === 0) return undefined;
  return program.helper("subscribe", locus, () =>
    program.addFunction(`${locus.name} (subscriptions)`, [i32], [], (added) => {
      const fn = new FunctionContext(program, undefined, [i32]);
      for (const line of lines) subscribe(fn, line);
      added.finished = fn.code.finish();
    }),
  );
}

function subscribe(fn: FunctionContext, line: SubscriptionLine): void {
  const { code, program } = fn;
  const { key } = line.subscription;
  if (key?.kind === "value") {
    code.get(0);
    code.call(program.functionIndex(key.value));
    popInto(fn, { kind: "memory", base: 0, offset: line.state + STATE_KEY }, layoutOf(key.value.result));
  } else if (key?.kind === "replica" && isThreaded(program.program)) {
    code.get(0);
    code.call(program.runtimeFunction("strand_replica"));
    code.store(i64, line.state + STATE_KEY);
  }
  code.get(0);
  code.i32(lineBlock(program, line));
  pushAddress(fn, line.state);
  pushAddress(fn, line.firstNode);
  code.call(program.runtimeFunction("bus_subscribe"));
}

function pushAddress(fn: FunctionContext, offset: number): void {
  fn.code.get(0);
  fn.code.i32(offset);
  fn.code.op("i32.add");
}
