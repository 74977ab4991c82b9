// Sends (reference 06 6.4 to 6.10), `yield`.
import type { OrDisposition, TopicInfo, TypedCall, TypedExpr, TypedStmt } from "../../semantics/index.ts";
import { type Label, ValueType } from "../../wasm/index.ts";
import { encodeText } from "../bytes.ts";
import { evaluate, pushExpr } from "../expressions.ts";
import { failWith, resultArea } from "../failures.ts";
import type { FunctionContext } from "../function-context.ts";
import { layoutOf } from "../layout.ts";
import { guardBorrowed } from "../operands.ts";
import { partOf, partStorage, type LocalsStorage } from "../storage.ts";
import { popInto, popToTemps, pushStored } from "../values.ts";
import { bindNew } from "../variables.ts";
import { type Channel, type DirectTopic, patternBase } from "./channels.ts";
import { DIRECT, pushFlags, QUARANTINED, REGISTERED } from "./instance.ts";
import { frameOf } from "./frames.ts";
import { lociOf } from "./program-loci.ts";
import { channelBlock, isPlain, payloadId } from "./subscriptions.ts";

type Send = TypedStmt & { readonly kind: "send" };

const { i32, i64 } = ValueType;

/** Results of `bus_publish`. */
const FULL = 1;
const UNMATCHED = 2;
const ABORTED = 4;

export function send(fn: FunctionContext, stmt: Send): void {
  const { subject } = stmt;
  const direct = subject.kind === "topic" ? directTopicOf(fn, stmt) : undefined;
  if (direct) {
    callReceiver(fn, stmt, direct);
    return;
  }
  if (subject.kind === "computed") {
    sendComputed(fn, stmt, subject.value, subject.patterns);
    return;
  }
  const channel = lociOf(fn).bus.channelOf(stmt);
  if (stmt.or?.kind === "wait") {
    fn.code.i32(channelBlock(fn.program, channel));
    fn.code.call(fn.program.runtimeFunction("bus_wait"));
    fn.code.if();
    fn.at(stmt.span);
    panic(fn, "BusWaitAborted");
    fn.code.end();
  }
  const payload = layOutPayload(fn, stmt);
  fn.code.get(fn.self);
  fn.code.i32(channelBlock(fn.program, channel));
  fn.code.globalGet(fn.program.runtimeGlobal("result_area"));
  if (isPlain(fn.program, channel)) {
    fn.code.call(fn.program.runtimeFunction("bus_publish_plain"));
    fn.freeTemps(payload);
    return;
  }
  fn.code.call(fn.program.runtimeFunction(stmt.or?.kind === "wait" ? "bus_publish_waiting" : "bus_publish"));
  dispose(fn, stmt, channel, payload);
  fn.freeTemps(payload);
}

/** The send is a call (06 6.6), unless it stands in the initialiser of a `let`. */
function directTopicOf(fn: FunctionContext, stmt: Send): DirectTopic | undefined {
  if (stmt.subject.kind !== "topic" || frameOf(fn)?.positions.isInsideLet(stmt)) return undefined;
  const direct = lociOf(fn).bus.direct(stmt.subject.topic);
  return direct && direct.sender === fn.fn?.self ? direct : undefined;
}

/** A synchronous call of the one receiver; one that is not ready gets the message when it is, one whose subscriptions have ended does not. What a quarantined sender sends is lost. */
function callReceiver(fn: FunctionContext, stmt: Send, direct: DirectTopic): void {
  const { code } = fn;
  const { span } = stmt;
  const self: TypedExpr = { kind: "self", type: direct.sender, span };
  const receiver: TypedExpr = direct.field
    ? { kind: "field", receiver: self, field: direct.field, index: direct.field.index, type: direct.receiver, span }
    : self;
  const { handler } = direct.subscription;
  const call: TypedCall = {
    kind: "call",
    callee: { kind: "method", function: handler, receiver },
    args: [stmt.payload],
    fallible: undefined,
    type: handler.result,
    span,
  };
  const instance = fn.temp(i32);
  const mayBeQuarantined = direct.field !== undefined && direct.sender.closures.length > 0;
  if (mayBeQuarantined) ifFlag(fn, fn.self, QUARANTINED, () => evaluate(fn, stmt.payload));
  pushExpr(fn, receiver, "any");
  code.set(instance);
  ifFlag(fn, instance, DIRECT, () => evaluate(fn, call));
  ifFlag(fn, instance, REGISTERED, () => holdFor(fn, stmt, direct, receiver));
  evaluate(fn, stmt.payload);
  code.end();
  code.end();
  if (mayBeQuarantined) code.end();
  fn.freeTemp(instance);
}

/** Opens `if (flag) { then } else {`. */
function ifFlag({ code }: FunctionContext, instance: number, flag: number, then: () => void): void {
  pushFlags(code, instance, flag);
  code.if();
  then();
  code.else();
}

/** Leaves the message for the receiver, until it is ready. */
function holdFor(fn: FunctionContext, stmt: Send, direct: DirectTopic, receiver: TypedExpr): void {
  const { code, program } = fn;
  const line = lociOf(fn)
    .shapeOf(direct.receiver)
    .lines.find((candidate) => candidate.subscription === direct.subscription);
  const channel = lociOf(fn).bus.channelOf(stmt);
  const payload = layOutPayload(fn, stmt);
  fn.freeTemps(payload);
  code.i32(channelBlock(program, channel));
  pushExpr(fn, receiver, "any");
  code.i32(line?.state ?? 0);
  code.op("i32.add");
  code.globalGet(program.runtimeGlobal("result_area"));
  code.call(program.runtimeFunction("bus_hold"));
}

/** Evaluates the payload and lays it into the result area; its leaves stay in locals too. */
function layOutPayload(fn: FunctionContext, stmt: Send): LocalsStorage {
  const layout = layoutOf(stmt.payload.type);
  pushExpr(fn, stmt.payload, "own");
  const payload = popToTemps(fn, layout);
  fn.at(stmt.span);
  makeRoom(fn);
  const area = resultArea(fn);
  pushStored(fn, payload, layout, "any", false);
  popInto(fn, area, layout);
  fn.freeTemp(area.base);
  return payload;
}

/** A full queue runs its oldest cells first (06 6.5). */
function makeRoom(fn: FunctionContext): void {
  const { code, program } = fn;
  code.globalGet(program.runtimeGlobal("bus_pending"));
  code.globalGet(program.runtimeGlobal("bus_limit"));
  code.op("i32.ge_s");
  code.if();
  code.call(program.runtimeFunction("bus_make_room"));
  code.end();
}

/** The subject is known at run time only; it must lie in a pattern that the locus publishes. */
function sendComputed(fn: FunctionContext, stmt: Send, subject: TypedExpr, patterns: readonly string[]): void {
  const { code, program } = fn;
  const hold = pushExpr(fn, subject, "own");
  const release = guardBorrowed(fn, subject, hold, 0);
  const text = code.local(i32);
  code.set(text);
  authorise(fn, stmt, text, patterns);
  const { bus } = lociOf(fn);
  const channel = channelBlock(program, bus.channelOf(stmt));
  fn.freeTemps(layOutPayload(fn, stmt));
  const isSent = code.block();
  for (const topic of bus.topicsInReach(stmt)) sendIfItIs(fn, stmt, topic, channel, text, isSent);
  code.get(fn.self);
  code.i32(channel);
  code.get(text);
  code.globalGet(program.runtimeGlobal("result_area"));
  code.i32(payloadId(program, stmt.payload.type));
  code.call(program.runtimeFunction("bus_publish_computed"));
  code.if();
  panic(fn, "BusPayloadMismatch");
  code.end();
  code.end();
  release?.();
}

/** A computed subject that turns out to be the one of a topic with a key or a bound: sent as to the topic. Nothing can be said about a failure, so one ends the program. */
function sendIfItIs(
  fn: FunctionContext,
  stmt: Send,
  topic: TopicInfo,
  computed: number,
  text: number,
  isSent: Label,
): void {
  const { code, program } = fn;
  const { bus } = lociOf(fn);
  const channel = bus.channelOfTopic(topic);
  code.get(text);
  code.i32(program.text(topic.subject));
  code.call(program.runtimeFunction("string_equal"));
  code.if();
  if (bus.isHeardAsAnother(topic)) {
    code.i32(computed);
    code.get(text);
    code.i32(payloadId(program, topic.payload));
    code.call(program.runtimeFunction("bus_reaches_another"));
    code.if();
    panic(fn, "BusPayloadMismatch");
    code.end();
  }
  code.get(fn.self);
  code.i32(channelBlock(program, channel));
  code.globalGet(program.runtimeGlobal("result_area"));
  code.call(program.runtimeFunction("bus_publish"));
  onFailure(fn, channel, (failure) => raiseUnhandled(fn, stmt, failure));
  code.br(isSent);
  code.end();
}

function authorise(fn: FunctionContext, stmt: Send, text: number, patterns: readonly string[]): void {
  const { code, program } = fn;
  if (patterns.includes("**")) return;
  const allowed = code.block();
  for (const pattern of patterns) {
    const base = patternBase(pattern);
    code.get(text);
    code.i32(program.text(base));
    code.call(program.runtimeFunction("string_equal"));
    code.brIf(allowed);
    code.get(text);
    code.i32(program.text(`${base}.`));
    code.call(program.runtimeFunction("string_starts_with"));
    code.brIf(allowed);
  }
  fn.at(stmt.span);
  panic(fn, "BusPublishUnauthorized");
  code.end();
}

function panic(fn: FunctionContext, name: string): void {
  fn.code.i32(fn.program.text(name));
  fn.code.call(fn.program.runtimeFunction("panic_unhandled"));
  fn.code.unreachable();
}

/** What the send says about its failure; the result is on the stack. */
function dispose(fn: FunctionContext, stmt: Send, channel: Channel, payload: LocalsStorage): void {
  const { code } = fn;
  const { or } = stmt;
  if (!or || or.kind === "discard") {
    code.op("drop");
    return;
  }
  if (or.kind === "wait") {
    code.i32(ABORTED);
    code.op("i32.eq");
    code.if();
    fn.at(stmt.span);
    panic(fn, "BusWaitAborted");
    code.end();
    return;
  }
  onFailure(fn, channel, (failure) => {
    if (failure === FULL) raiseUnhandled(fn, stmt, failure);
    else handleUnmatched(fn, stmt, or, channel, payload);
  });
}

/** Has `then` write what each failure leads to that the channel's sends must answer for; the result is on the stack. */
function onFailure(fn: FunctionContext, channel: Channel, then: (failure: number) => void): void {
  const { code } = fn;
  const result = fn.temp(i32);
  code.set(result);
  const failures = [...(channel.bound === undefined ? [] : [FULL]), ...(channel.mustMatch ? [UNMATCHED] : [])];
  for (const failure of failures) {
    code.get(result);
    code.i32(failure);
    code.op("i32.eq");
    code.if();
    then(failure);
    code.end();
  }
  fn.freeTemp(result);
}

function raiseUnhandled(fn: FunctionContext, stmt: Send, failure: number): void {
  fn.at(stmt.span);
  panic(fn, failure === FULL ? "BusFull" : "BusUnmatchedKey");
}

function handleUnmatched(
  fn: FunctionContext,
  stmt: Send,
  or: OrDisposition,
  channel: Channel,
  payload: LocalsStorage,
): void {
  const { errorLocal } = stmt;
  if (or.kind === "raise" && (!errorLocal || fn.fn?.fallible !== errorLocal.type)) {
    raiseUnhandled(fn, stmt, UNMATCHED);
    return;
  }
  if (!errorLocal) {
    if (or.kind === "value") evaluate(fn, or.value);
    return;
  }
  fn.scope(() => {
    const storage = fn.variableStorage(errorLocal);
    pushUnmatchedKey(fn, channel, payload);
    popInto(fn, storage, layoutOf(errorLocal.type));
    bindNew(fn, errorLocal, storage);
    if (or.kind === "value") evaluate(fn, or.value);
    else if (or.kind === "fail") failWith(fn, or.value);
    else if (or.kind === "raise")
      failWith(fn, { kind: "local", local: errorLocal, type: errorLocal.type, span: stmt.span });
  });
}

/** BusUnmatchedKey { subject, key_lo, key_hi } */
function pushUnmatchedKey(fn: FunctionContext, channel: Channel, payload: LocalsStorage): void {
  const { code, program } = fn;
  code.i32(program.data.text(encodeText(channel.subject ?? "")));
  const key = channel.keyField === undefined ? undefined : partOf(layoutOf(channel.payload), channel.keyField);
  const leaves = key?.layout.leaves ?? [];
  const storage = key ? partStorage(payload, key) : payload;
  const locals = storage.kind === "locals" ? storage.locals : [];
  for (const position of [0, 1]) {
    const leaf = leaves[position];
    const local = locals[position];
    if (!leaf || leaf.reference || local === undefined) code.i64(0n);
    else {
      code.get(local);
      if (leaf.wasm === i32) code.op("i64.extend_i32_s");
      else if (leaf.wasm !== i64) throw new Error("no key of this type");
    }
  }
}

/** `yield;` */
export function yieldNow(fn: FunctionContext): void {
  fn.code.call(fn.program.runtimeFunction("bus_yield"));
}
