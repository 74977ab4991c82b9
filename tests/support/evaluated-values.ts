// What the evaluator of random programs (evaluated-program.ts) computes with: values, locals, ways out.

/** A copy-on-bind value: records and enums of the generated program. */
export type Value = bigint | boolean | string | Tag | Note | Event;

export class Tag {
  text: string;
  constructor(text: string) {
    this.text = text;
  }
  copy(): Tag {
    return new Tag(this.text);
  }
}

export class Note {
  id: bigint;
  title: string;
  tag: Tag;
  cells: bigint[];
  constructor(id: bigint, title: string, tag: Tag, cells: bigint[]) {
    this.id = id;
    this.title = title;
    this.tag = tag;
    this.cells = cells;
  }
  copy(): Note {
    return new Note(this.id, this.title, this.tag.copy(), [...this.cells]);
  }
}

/** `Count(n)`, `Named(text, tag)`, `Nothing`. */
export class Event {
  readonly count: bigint | undefined;
  readonly name: string | undefined;
  readonly tag: Tag | undefined;
  constructor(count?: bigint, name?: string, tag?: Tag) {
    this.count = count;
    this.name = name;
    this.tag = tag;
  }
}

export interface Log {
  text: string;
}

/** The locals of one call, and the log that every function writes to. */
export class Env {
  readonly log: Log;
  readonly #outer: Env | undefined;
  readonly #values = new Map<string, Value>();
  constructor(log: Log, outer?: Env) {
    this.log = log;
    this.#outer = outer;
  }
  declare(name: string, value: Value): void {
    this.#values.set(name, value);
  }
  assign(name: string, value: Value): void {
    if (this.#values.has(name)) this.#values.set(name, value);
    else this.#outer?.assign(name, value);
  }
  get(name: string): Value {
    const value = this.#values.get(name) ?? this.#outer?.get(name);
    if (value === undefined) throw new Error(`no ${name}`);
    return value;
  }
}

export class Failure {
  readonly payload: string;
  constructor(payload: string) {
    this.payload = payload;
  }
}
export class Returned {
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}
export class Left {
  readonly how: "break" | "continue";
  constructor(how: "break" | "continue") {
    this.how = how;
  }
}
/** Thrown when a program runs for too long to be of use. */
export class TooLong {}

/** Int arithmetic wraps (03 2.1). */
export const wrap = (n: bigint): bigint => BigInt.asIntN(64, n);

export function withError(env: Env, payload: string): Env {
  const inner = new Env(env.log, env);
  inner.declare("err", payload);
  return inner;
}

/** The chosen arm, with its bindings. */
export function bindEvent<T>(
  env: Env,
  event: Event,
  n: string,
  s: string,
  t: string,
  counted: (env: Env) => T,
  named: (env: Env) => T,
  nothing: (env: Env) => T,
): T {
  const inner = new Env(env.log, env);
  if (event.count !== undefined) {
    inner.declare(n, event.count);
    return counted(inner);
  }
  if (event.name === undefined || !event.tag) return nothing(env);
  inner.declare(s, event.name);
  inner.declare(t, event.tag.copy());
  return named(inner);
}

export function arithmetic(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case "+":
      return wrap(a + b);
    case "-":
      return wrap(a - b);
    case "*":
      return wrap(a * b);
    case "&":
      return a & b;
    case "|":
      return a | b;
    default:
      return a ^ b;
  }
}

export function append(log: Log, text: string): void {
  log.text += text;
}

export function logged(env: Env, text: string, value: bigint): bigint {
  append(env.log, text);
  return value;
}

/** What `let`, `=` and a result make of a value. */
export function copied(value: Value): Value {
  return value instanceof Note || value instanceof Tag ? value.copy() : value;
}

export function asInt(value: Value): bigint {
  if (typeof value !== "bigint") throw new Error("no Int");
  return value;
}

export function asText(value: Value): string {
  if (typeof value !== "string") throw new Error("no String");
  return value;
}

export function asTag(value: Value): Tag {
  if (!(value instanceof Tag)) throw new Error("no Tag");
  return value;
}

export function asNote(value: Value): Note {
  if (!(value instanceof Note)) throw new Error("no Note");
  return value;
}

export function asEvent(value: Value): Event {
  if (!(value instanceof Event)) throw new Error("no Event");
  return value;
}
