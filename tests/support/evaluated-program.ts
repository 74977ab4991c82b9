// Random programs with their output: what the generator writes as Hale it also evaluates itself, so that the compiler is held to the rules of values
// (03 15), of the order of evaluation (04 9), of `or` (04 11), `match` (04 7) and of ways out, not to its own other target. Seeds repeat.
import {
  append,
  arithmetic,
  asEvent,
  asInt,
  asNote,
  asTag,
  asText,
  bindEvent,
  copied,
  Env,
  Event,
  Failure,
  Left,
  type Log,
  logged,
  Note,
  Returned,
  Tag,
  TooLong,
  type Value,
  withError,
  wrap,
} from "./evaluated-values.ts";

interface Expr<T extends Value> {
  readonly text: string;
  readonly value: (env: Env) => T;
}
interface Stmt {
  readonly text: string;
  readonly run: (env: Env) => void;
}

const KINDS = ["Int", "Bool", "String", "Tag", "Note", "Event"] as const;
type Kind = (typeof KINDS)[number];
interface Variable {
  readonly name: string;
  readonly kind: Kind;
  readonly isMutable: boolean;
}
type Scope = readonly Variable[];
interface Fn {
  readonly name: string;
  readonly params: readonly Kind[];
  readonly result: Kind;
  readonly fallible: boolean;
  readonly call: (args: readonly Value[], log: Log) => Value;
}
interface Place {
  readonly result: Kind | undefined;
  readonly fallible: boolean;
  readonly inLoop: boolean;
}

const PRELUDE = `type Log { text: String; }
type Tag { text: String; }
type Note { id: Int; title: String; tag: Tag; cells: [Int; 2]; }
type Event = enum { Count(Int), Named(String, Tag), Nothing, };
interface Scale { fn apply(log: Log, n: Int) -> Int; }
locus Twice { params { more: Int; } fn apply(log: Log, n: Int) -> Int { log.text += "T"; return n * 2 + self.more; } }
locus Measured { params { s: String; } fn apply(log: Log, n: Int) -> Int { log.text += "M"; return n + len(self.s); } }
fn scaled(log: Log, s: Scale, n: Int) -> Int { return s.apply(log, n); }
fn second<T>(log: Log, a: T, b: T) -> T { log.text += "g"; return b; }
fn seen(log: Log, n: Int) -> Int { log.text += n + ";"; return n; }
fn even(log: Log, n: Int) -> Int fallible(String) { if n % 2 != 0 { fail "odd" + n; } log.text += "e"; return n / 2; }
`;

export interface EvaluatedProgram {
  readonly source: string;
  readonly output: string;
}

/** The program of a seed; undefined when it would run for too long. */
export function evaluatedProgram(seed: number): EvaluatedProgram | undefined {
  return new Author(seed).program();
}

class Author {
  #state: number;
  #names = 0;
  #calls = 0;
  readonly #fns: Fn[] = [];

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  program(): EvaluatedProgram | undefined {
    let source = PRELUDE;
    const count = 3 + this.#below(3);
    for (let i = 0; i < count; i++) source += this.#function(i);
    const body = this.#statements(10, [], 4, { result: undefined, fallible: false, inLoop: false });
    const last = this.#text([], 4);
    source += `fn main() {\n    let log = Log { text: "" };\n${body.text}    println(${last.text});\n    println(log.text);\n}\n`;
    const env = new Env({ text: "" });
    try {
      body.run(env);
      return { source, output: `${last.value(env)}\n${env.log.text}\n` };
    } catch (problem) {
      if (problem instanceof TooLong) return undefined;
      throw problem;
    }
  }

  #function(index: number): string {
    const params = Array.from({ length: 1 + this.#below(3) }, () =>
      this.#pick(["Int", "String", "Note", "Event"] as const),
    );
    const result = this.#pick(["Int", "String", "Note"] as const);
    const fallible = this.#below(3) > 0;
    const scope = params.map((kind, i): Variable => ({ name: `p${i}`, kind, isMutable: false }));
    const body = this.#statements(3 + this.#below(4), scope, 4, { result, fallible, inLoop: false });
    const value = this.#expr(result, scope, 3);
    const name = `f${index}`;
    const call = (args: readonly Value[], log: Log): Value => {
      if (++this.#calls > 3000) throw new TooLong();
      const env = new Env(log);
      for (const [i, arg] of args.entries()) env.declare(`p${i}`, arg);
      try {
        const inner = new Env(log, env);
        body.run(inner);
        return copied(value.value(inner));
      } catch (way) {
        if (way instanceof Returned) return way.value;
        throw way;
      }
    };
    this.#fns.push({ name, params, result, fallible, call });
    const list = scope.map((param) => `, ${param.name}: ${param.kind}`).join("");
    return `fn ${name}(log: Log${list}) -> ${result}${fallible ? " fallible(String)" : ""} {\n${body.text}    return ${value.text};\n}\n`;
  }

  // ---------------------------------------------------------------- statements

  #statements(count: number, scope: Scope, depth: number, place: Place): Stmt {
    const made: Stmt[] = [];
    let visible = scope;
    for (let i = 0; i < count; i++) {
      const { declares, ...stmt } = this.#statement(visible, depth, place);
      made.push(stmt);
      if (declares) visible = [...visible, declares];
    }
    return {
      text: made.map(({ text }) => `    ${text}\n`).join(""),
      run: (env) => made.forEach(({ run }) => run(env)),
    };
  }

  #block(count: number, scope: Scope, depth: number, place: Place): Stmt {
    const { text, run } = this.#statements(count, scope, depth, place);
    return { text: `{\n${text}    }`, run: (env) => run(new Env(env.log, env)) };
  }

  #statement(scope: Scope, depth: number, place: Place): Stmt & { readonly declares?: Variable } {
    const notes = scope.filter(({ kind }) => kind === "Note");
    const mutable = scope.filter(({ isMutable }) => isMutable);
    switch (this.#below(10)) {
      case 0:
      case 1: {
        const declares: Variable = { name: this.#name("v"), kind: this.#pick(KINDS), isMutable: true };
        const { text, value } = this.#expr(declares.kind, scope, depth);
        return {
          declares,
          text: `let mut ${declares.name} = ${text};`,
          run: (env) => env.declare(declares.name, copied(value(env))),
        };
      }
      case 2:
        return mutable.length > 0 ? this.#assignment(this.#pick(mutable), scope, depth) : this.#logged(scope, depth);
      case 3:
        return notes.length > 0 ? this.#fieldWrite(this.#pick(notes).name, scope, depth) : this.#logged(scope, depth);
      case 4: {
        const condition = this.#bool(scope, depth);
        const [yes, no] = [this.#block(2, scope, depth - 1, place), this.#block(1, scope, depth - 1, place)];
        return {
          text: `if ${condition.text} ${yes.text} else ${no.text}`,
          run: (env) => (condition.value(env) ? yes : no).run(env),
        };
      }
      case 5:
        return this.#loop(scope, depth, place);
      case 6:
        return this.#leaving(scope, place) ?? this.#logged(scope, depth);
      case 7: {
        const event = this.#event(scope, depth);
        const [n, s, t] = [this.#name("m"), this.#name("m"), this.#name("m")];
        const counted = this.#block(1, [...scope, variable(n, "Int")], depth - 1, place);
        const named = this.#block(2, [...scope, variable(s, "String"), variable(t, "Tag")], depth - 1, place);
        return {
          text: `match ${event.text} { Event::Count(${n}) -> ${counted.text}, Event::Named(${s}, ${t}) -> ${named.text}, Event::Nothing -> { } }`,
          run: (env) => bindEvent(env, event.value(env), n, s, t, counted.run, named.run, () => undefined),
        };
      }
      default:
        return this.#logged(scope, depth);
    }
  }

  #logged(scope: Scope, depth: number): Stmt {
    const { text, value } = this.#text(scope, depth);
    return { text: `log.text += ${text};`, run: (env) => append(env.log, value(env)) };
  }

  #assignment(target: Variable, scope: Scope, depth: number): Stmt {
    const { text, value } = this.#expr(target.kind, scope, depth);
    return { text: `${target.name} = ${text};`, run: (env) => env.assign(target.name, copied(value(env))) };
  }

  #fieldWrite(name: string, scope: Scope, depth: number): Stmt {
    const note = (env: Env): Note => asNote(env.get(name));
    switch (this.#below(4)) {
      case 0: {
        const { text, value } = this.#int(scope, depth);
        return {
          text: `${name}.id = ${text};`,
          run: (env) => {
            const id = value(env);
            note(env).id = id;
          },
        };
      }
      case 1: {
        const { text, value } = this.#text(scope, depth);
        return {
          text: `${name}.tag.text += ${text};`,
          run: (env) => {
            const added = value(env);
            note(env).tag.text += added;
          },
        };
      }
      case 2: {
        const { text, value } = this.#tag(scope, depth);
        return {
          text: `${name}.tag = ${text};`,
          run: (env) => {
            const tag = value(env).copy();
            note(env).tag = tag;
          },
        };
      }
      default: {
        const [index, added] = [this.#int(scope, 1), this.#int(scope, depth)];
        return {
          text: `${name}.cells[(${index.text}) & 1] += ${added.text};`,
          run: (env) => {
            const at = Number(BigInt.asUintN(1, index.value(env)));
            const more = added.value(env);
            const { cells } = note(env);
            cells[at] = wrap((cells[at] ?? 0n) + more);
          },
        };
      }
    }
  }

  #loop(scope: Scope, depth: number, place: Place): Stmt {
    const name = this.#name("i");
    const rounds = 1 + this.#below(3);
    const body = this.#block(2, [...scope, variable(name, "Int")], depth - 1, { ...place, inLoop: true });
    const run = (env: Env): void => {
      for (let i = 0; i < rounds; i++) {
        const inner = new Env(env.log, env);
        inner.declare(name, BigInt(i));
        try {
          body.run(inner);
        } catch (way) {
          if (!(way instanceof Left)) throw way;
          if (way.how === "break") return;
        }
      }
    };
    return { text: `for ${name} in 0..${rounds} ${body.text}`, run };
  }

  #leaving(scope: Scope, place: Place): Stmt | undefined {
    const { text, value } = this.#bool(scope, 2);
    const when = (statement: string, leave: (env: Env) => unknown): Stmt => ({
      text: `if ${text} { ${statement} }`,
      run: (env) => {
        if (value(env)) throw leave(env);
      },
    });
    if (place.inLoop && this.#below(2) === 0) {
      const how = this.#pick(["break", "continue"] as const);
      return when(`${how};`, () => new Left(how));
    }
    if (place.fallible && this.#below(2) === 0) {
      const payload = this.#text(scope, 2);
      return when(`fail ${payload.text};`, (env) => new Failure(payload.value(env)));
    }
    if (!place.result) return undefined;
    const result = this.#expr(place.result, scope, 2);
    return when(`return ${result.text};`, (env) => new Returned(copied(result.value(env))));
  }

  // ---------------------------------------------------------------- expressions

  #expr(kind: Kind, scope: Scope, depth: number): Expr<Value> {
    switch (kind) {
      case "Int":
        return this.#int(scope, depth);
      case "Bool":
        return this.#bool(scope, depth);
      case "String":
        return this.#text(scope, depth);
      case "Tag":
        return this.#tag(scope, depth);
      case "Note":
        return this.#note(scope, depth);
      case "Event":
        return this.#event(scope, depth);
    }
  }

  #int(scope: Scope, depth: number): Expr<bigint> {
    const known = this.#known(scope, "Int", depth);
    if (known) return { text: known, value: (env) => asInt(env.get(known)) };
    if (depth <= 0) return this.#number();
    const a = this.#int(scope, depth - 1);
    switch (this.#below(13)) {
      case 0: {
        const [b, operator] = [this.#int(scope, depth - 1), this.#pick(["+", "-", "*", "&", "|", "^"])];
        return {
          text: `(${a.text} ${operator} ${b.text})`,
          value: (env) => arithmetic(operator, a.value(env), b.value(env)),
        };
      }
      case 1: {
        const divisor = BigInt(1 + this.#below(6));
        return { text: `(${a.text} / ${divisor})`, value: (env) => a.value(env) / divisor };
      }
      case 2: {
        const shift = BigInt(this.#below(60));
        return { text: `(${a.text} >> ${shift})`, value: (env) => wrap(BigInt.asUintN(64, a.value(env)) >> shift) };
      }
      case 3: {
        const s = this.#text(scope, depth - 1);
        return { text: `len(${s.text})`, value: (env) => BigInt(s.value(env).length) };
      }
      case 4: {
        const note = this.#note(scope, depth - 1);
        return { text: `(${note.text}).id`, value: (env) => note.value(env).id };
      }
      case 5:
        return {
          text: `seen(log, ${a.text})`,
          value: (env) => {
            const n = a.value(env);
            append(env.log, `${n};`);
            return n;
          },
        };
      case 6: {
        const b = this.#int(scope, depth - 1);
        return {
          text: `second(log, ${a.text}, ${b.text})`,
          value: (env) => {
            a.value(env);
            return logged(env, "g", b.value(env));
          },
        };
      }
      case 7: {
        const more = BigInt(this.#below(5));
        return {
          text: `scaled(log, Twice { more: ${more} }, ${a.text})`,
          value: (env) => logged(env, "T", wrap(a.value(env) * 2n + more)),
        };
      }
      case 8: {
        const fallback = this.#int([...scope, variable("err", "String")], depth - 2);
        return {
          text: `(even(log, ${a.text}) or ${fallback.text})`,
          value: (env) => {
            const n = a.value(env);
            return n % 2n === 0n ? logged(env, "e", n / 2n) : fallback.value(withError(env, `odd${n}`));
          },
        };
      }
      case 9: {
        const [event, n, s, t] = [this.#event(scope, depth - 1), this.#name("m"), this.#name("m"), this.#name("m")];
        const counted = this.#int([...scope, variable(n, "Int")], depth - 2);
        const named = this.#int([...scope, variable(s, "String"), variable(t, "Tag")], depth - 2);
        const guarded = (env: Env): bigint => (asInt(env.get(n)) > 3n ? asInt(env.get(n)) : counted.value(env));
        return {
          text: `(match ${event.text} { Event::Count(${n}) if ${n} > 3 -> ${n}, Event::Count(${n}) -> ${counted.text}, Event::Named(${s}, ${t}) -> ${named.text}, Event::Nothing -> ${a.text} })`,
          value: (env) => bindEvent(env, event.value(env), n, s, t, guarded, named.value, a.value),
        };
      }
      case 10: {
        const name = this.#name("k");
        const b = this.#int([...scope, variable(name, "Int")], depth - 1);
        return {
          text: `({ let ${name} = ${a.text}; ${b.text} })`,
          value: (env) => {
            const inner = new Env(env.log, env);
            inner.declare(name, a.value(env));
            return b.value(inner);
          },
        };
      }
      default:
        return this.#called("Int", scope, depth, asInt) ?? a;
    }
  }

  #bool(scope: Scope, depth: number): Expr<boolean> {
    const known = this.#known(scope, "Bool", depth);
    if (known) return { text: known, value: (env) => env.get(known) === true };
    switch (depth <= 0 ? 3 : this.#below(4)) {
      case 0: {
        const [a, b] = [this.#int(scope, depth - 1), this.#int(scope, depth - 1)];
        return { text: `(${a.text} < ${b.text})`, value: (env) => a.value(env) < b.value(env) };
      }
      case 1: {
        const [a, b] = [this.#text(scope, depth - 1), this.#text(scope, depth - 1)];
        return { text: `(${a.text} >= ${b.text})`, value: (env) => a.value(env) >= b.value(env) };
      }
      case 2: {
        const [a, b, isAnd] = [this.#bool(scope, depth - 1), this.#bool(scope, depth - 1), this.#below(2) === 0];
        return {
          text: `(${a.text} ${isAnd ? "&&" : "||"} !${b.text})`,
          value: (env) => (isAnd ? a.value(env) && !b.value(env) : a.value(env) || !b.value(env)),
        };
      }
      default: {
        const value = this.#below(2) === 0;
        return { text: String(value), value: () => value };
      }
    }
  }

  #text(scope: Scope, depth: number): Expr<string> {
    const known = this.#known(scope, "String", depth);
    if (known) return { text: known, value: (env) => asText(env.get(known)) };
    if (depth <= 0) {
      const value = this.#pick(["", "a", "bc", "xyz", "q9"]);
      return { text: `"${value}"`, value: () => value };
    }
    const a = this.#text(scope, depth - 1);
    switch (this.#below(8)) {
      case 0: {
        const b = this.#int(scope, depth - 1);
        return { text: `(${a.text} + ${b.text})`, value: (env) => a.value(env) + b.value(env) };
      }
      case 1: {
        const b = this.#int(scope, depth - 1);
        return { text: `f"{${b.text}}-{${a.text}}"`, value: (env) => `${b.value(env)}-${a.value(env)}` };
      }
      case 2: {
        const [low, high] = [this.#below(3), this.#below(6)];
        return {
          text: `(${a.text})[${low}..${high}]`,
          value: (env) => {
            const whole = a.value(env);
            return low < high ? whole.slice(low, high) : "";
          },
        };
      }
      case 3: {
        const tag = this.#tag(scope, depth - 1);
        return { text: `(${tag.text}).text`, value: (env) => tag.value(env).text };
      }
      case 4: {
        const note = this.#note(scope, depth - 1);
        return { text: `(${note.text}).title`, value: (env) => note.value(env).title };
      }
      case 5: {
        const [condition, b] = [this.#bool(scope, depth - 1), this.#text(scope, depth - 1)];
        return {
          text: `(if ${condition.text} { ${a.text} } else { ${b.text} })`,
          value: (env) => (condition.value(env) ? a : b).value(env),
        };
      }
      default:
        return this.#called("String", scope, depth, asText) ?? a;
    }
  }

  #tag(scope: Scope, depth: number): Expr<Tag> {
    const known = this.#known(scope, "Tag", depth);
    if (known) return { text: known, value: (env) => asTag(env.get(known)) };
    if (depth > 1 && this.#below(3) === 0) {
      const note = this.#note(scope, depth - 1);
      return { text: `(${note.text}).tag`, value: (env) => note.value(env).tag };
    }
    const { text, value } = this.#text(scope, depth - 1);
    return { text: `Tag { text: ${text} }`, value: (env) => new Tag(value(env)) };
  }

  #note(scope: Scope, depth: number): Expr<Note> {
    const known = this.#known(scope, "Note", depth);
    if (known) return { text: known, value: (env) => asNote(env.get(known)) };
    const called = depth > 1 && this.#below(2) === 0 ? this.#called("Note", scope, depth, asNote) : undefined;
    if (called) return called;
    const [id, title] = [this.#int(scope, depth - 1), this.#text(scope, depth - 1)];
    const [tag, cell] = [this.#tag(scope, depth - 1), this.#int(scope, depth - 1)];
    return {
      // Written in another order than declared: the declaration's counts (03 12.1.3).
      text: `Note { tag: ${tag.text}, title: ${title.text}, cells: [${cell.text}, 2], id: ${id.text} }`,
      value: (env) => {
        const [i, t] = [id.value(env), title.value(env)];
        const held = tag.value(env).copy();
        return new Note(i, t, held, [cell.value(env), 2n]);
      },
    };
  }

  #event(scope: Scope, depth: number): Expr<Event> {
    const known = this.#known(scope, "Event", depth);
    if (known) return { text: known, value: (env) => asEvent(env.get(known)) };
    const kind = this.#below(3);
    if (kind === 0) return { text: "Event::Nothing", value: () => new Event() };
    if (kind === 1) {
      const { text, value } = this.#int(scope, depth - 1);
      return { text: `Event::Count(${text})`, value: (env) => new Event(value(env)) };
    }
    const [name, tag] = [this.#text(scope, depth - 1), this.#tag(scope, depth - 1)];
    return {
      text: `Event::Named(${name.text}, ${tag.text})`,
      value: (env) => {
        const given = name.value(env);
        return new Event(undefined, given, tag.value(env).copy());
      },
    };
  }

  /** A call of one of the program's functions, with an `or` when it can fail. Arguments are evaluated before it can. */
  #called<T extends Value>(kind: Kind, scope: Scope, depth: number, as: (value: Value) => T): Expr<T> | undefined {
    const candidates = this.#fns.filter(({ result }) => result === kind);
    if (candidates.length === 0 || depth <= 1) return undefined;
    const fn = this.#pick(candidates);
    const args = fn.params.map((param) => this.#expr(param, scope, depth - 2));
    const text = `${fn.name}(log${args.map((arg) => `, ${arg.text}`).join("")})`;
    const given = (env: Env): Value[] => args.map((arg) => arg.value(env));
    if (!fn.fallible) return { text, value: (env) => as(fn.call(given(env), env.log)) };
    const fallback = this.#expr(kind, [...scope, variable("err", "String")], depth - 2);
    const isBlock = this.#below(2) === 0;
    return {
      text: isBlock ? `(${text} or { log.text += err; ${fallback.text} })` : `(${text} or ${fallback.text})`,
      value: (env) => {
        const values = given(env);
        try {
          return as(fn.call(values, env.log));
        } catch (failure) {
          if (!(failure instanceof Failure)) throw failure;
          if (isBlock) append(env.log, failure.payload);
          return as(copied(fallback.value(withError(env, failure.payload))));
        }
      },
    };
  }

  // ---------------------------------------------------------------- choices

  #known(scope: Scope, kind: Kind, depth: number): string | undefined {
    const names = [...new Set(scope.filter((found) => found.kind === kind).map(({ name }) => name))];
    return names.length > 0 && (depth <= 0 || this.#below(3) === 0) ? this.#pick(names) : undefined;
  }

  #number(): Expr<bigint> {
    const value = BigInt(this.#below(20) - 5);
    return { text: value < 0n ? `(${value})` : String(value), value: () => value };
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[this.#below(values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }

  /** mulberry32 */
  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }
}

function variable(name: string, kind: Kind): Variable {
  return { name, kind, isMutable: false };
}
