// Random programs for the ownership rules: Strings, records, arrays, enums and tuples made, copied, replaced, passed and left behind on every kind of path.
// Every program is accepted by the checker, ends in order and prints something.

/** Type names of generated values. `Row` and `Wide` are records (`Wide` lies in a cell of its own), `Pick` an enum, `List` an array of Strings. */
type Kind = "Int" | "String" | "Row" | "Wide" | "Pick" | "List" | "Rows" | "Pair";

const KINDS: readonly Kind[] = ["Int", "String", "Row", "Wide", "Pick", "List", "Rows", "Pair"];
const SPELLING: Readonly<Record<Kind, string>> = {
  Int: "Int",
  String: "String",
  Row: "Row",
  Wide: "Wide",
  Pick: "Pick",
  List: "[String; 2]",
  Rows: "[Row; 2]",
  Pair: "(String, Row)",
};

const DECLARATIONS = `type Row { n: Int; s: String; t: String = "t" + 1; }
type Wide { a: Row; b: Row; c: Row; d: Row; e: Row; f: String; xs: [String; 2]; }
type Pick = enum { Nil, Word(String), Both(String, Row), Many([String; 2], Wide), };
type Bad { why: String; row: Row; }
fn word(n: Int) -> String { return "w" + n % 7; }
fn row(n: Int, s: String) -> Row { return Row { n: n, s: s }; }
fn wide(n: Int, r: Row) -> Wide { return Wide { a: r, b: row(n, word(n)), c: r, d: r, e: row(n, "e"), f: word(n + 1), xs: [word(n), r.s] }; }
fn risky(n: Int, s: String) -> String fallible(Bad) {
    let held = s + word(n);
    if n % 3 == 0 { fail Bad { why: held, row: row(n, s) }; }
    return held;
}
fn touch(r: Row, s: String) -> String { r.s = s + r.s; r.n += 1; if len(r.s) > 12 { r.s = "short"; } return r.s; }
fn touch_wide(w: Wide, s: String) -> Int { w.f = s; w.xs[0] = s; touch(w.b, s); return len(w.f); }
fn size(p: Pick) -> Int { return match p { Pick::Nil -> 0, Pick::Word(s) -> len(s), Pick::Both(s, r) -> len(s) + len(r.s), Pick::Many(xs, w) -> len(xs[0]) + len(w.f) }; }
`;

class Generator {
  #state: number;
  #names = 0;
  #scope: { name: string; kind: Kind; mutable: boolean }[] = [];
  #indent = 1;
  readonly lines: string[] = [];
  #budget: number;
  #inLoop = false;
  #result: Kind = "Int";
  #fallible = false;
  #callable: { name: string; params: Kind[]; result: Kind; fallible: boolean }[] = [];

  constructor(seed: number) {
    this.#state = (seed * 2654435761) >>> 0 || 1;
    this.#budget = 0;
  }

  program(): string {
    for (let at = 0; at < 3; at++) this.#function(`f${at}`, this.#kind(), this.#chance(0.4));
    const helpers = this.lines.splice(0).join("\n");
    this.#result = "Int";
    this.#fallible = false;
    this.#budget = 14;
    this.#scope = [];
    this.#statements(0);
    const body = this.lines.splice(0).join("\n");
    return `${DECLARATIONS}${helpers}\nfn main() {\n${body}\n    println("end");\n}\n`;
  }

  #function(name: string, result: Kind, fallible: boolean): void {
    const params: Kind[] = [this.#kind(), this.#kind()];
    this.#scope = params.map((kind, at) => ({ name: `p${at}`, kind, mutable: false }));
    this.#result = result;
    this.#fallible = fallible;
    this.#budget = 8;
    const list = params.map((kind, at) => `p${at}: ${SPELLING[kind]}`).join(", ");
    this.lines.push(`fn ${name}(${list}) -> ${SPELLING[result]}${fallible ? " fallible(Bad)" : ""} {`);
    this.#statements(0);
    this.lines.push(`    return ${this.#expr(result, 2)};`, "}");
    this.#callable.push({ name, params, result, fallible });
  }

  #statements(depth: number): void {
    const before = this.#scope.length;
    for (let count = 1 + this.#below(4); count > 0 && this.#budget > 0; count--) this.#statement(depth);
    this.#scope.length = before;
  }

  #statement(depth: number): void {
    this.#budget--;
    const choice = this.#below(depth < 3 ? 15 : 7);
    switch (choice) {
      case 0:
      case 1:
      case 2: {
        const kind = this.#kind();
        const mutable = this.#chance(0.6);
        const value = this.#expr(kind, 3);
        const name = `v${this.#names++}`;
        this.#emit(`let ${mutable ? "mut " : ""}${name} = ${value};`);
        this.#scope.push({ name, kind, mutable });
        return;
      }
      case 3: {
        const target = this.#one(this.#scope.filter((entry) => entry.mutable));
        if (target) this.#emit(`${target.name} = ${this.#expr(target.kind, 3)};`);
        return;
      }
      case 4: {
        const target = this.#place();
        if (target) this.#emit(`${target} = ${this.#expr("String", 2)};`);
        return;
      }
      case 5: {
        const target = this.#place();
        if (target)
          this.#emit(
            this.#chance(0.5)
              ? `${target} += ${this.#expr("String", 2)};`
              : `${target} = ${target} + ${this.#expr("String", 1)};`,
          );
        return;
      }
      case 6:
        this.#emit(`println(${this.#printable()}, " ", ${this.#printable()});`);
        return;
      case 7:
        this.#nested(`if ${this.#condition()} {`, depth, this.#chance(0.5));
        return;
      case 8:
        this.#loop(depth);
        return;
      case 9: {
        const list = this.#one(this.#scope.filter((entry) => entry.kind === "List" || entry.kind === "Rows"));
        if (!list) return;
        const name = `x${this.#names++}`;
        this.#emit(`for ${name} in (${list.name}) {`);
        this.#scope.push({ name, kind: list.kind === "List" ? "String" : "Row", mutable: false });
        this.#body(depth, true);
        this.#scope.pop();
        this.#emit("}");
        return;
      }
      case 10:
        if (this.#inLoop && depth > 0)
          this.#emit(`if ${this.#condition()} { ${this.#chance(0.5) ? "break" : "continue"}; }`);
        return;
      case 11:
        this.#emit(`if ${this.#condition()} { return ${this.#expr(this.#result, 2)}; }`);
        return;
      case 12:
        if (this.#fallible)
          this.#emit(
            `if ${this.#condition()} { fail Bad { why: ${this.#expr("String", 1)}, row: ${this.#expr("Row", 1)} }; }`,
          );
        return;
      case 13:
        this.#matchStatement(depth);
        return;
      default: {
        const row = this.#one(this.#scope.filter((entry) => entry.kind === "Row" || entry.kind === "Wide"));
        if (row)
          this.#emit(
            row.kind === "Row"
              ? `touch(${row.name}, ${this.#expr("String", 2)});`
              : `touch_wide(${row.name}, ${this.#expr("String", 2)});`,
          );
      }
    }
  }

  #nested(open: string, depth: number, withElse: boolean): void {
    this.#emit(open);
    this.#body(depth, this.#inLoop);
    if (withElse) {
      this.#emit("} else {");
      this.#body(depth, this.#inLoop);
    }
    this.#emit("}");
  }

  #loop(depth: number): void {
    const name = `i${this.#names++}`;
    this.#emit(`for ${name} in 0..${1 + this.#below(4)} {`);
    this.#scope.push({ name, kind: "Int", mutable: false });
    this.#body(depth, true);
    this.#scope.pop();
    this.#emit("}");
  }

  #body(depth: number, inLoop: boolean): void {
    const outer = this.#inLoop;
    this.#inLoop = inLoop;
    this.#indent++;
    this.#statements(depth + 1);
    this.#indent--;
    this.#inLoop = outer;
  }

  #matchStatement(depth: number): void {
    this.#emit(`match (${this.#expr("Pick", 2)}) {`);
    this.#indent++;
    this.#emit("Pick::Nil -> {},");
    const name = `m${this.#names++}`;
    this.#emit(`Pick::Word(${name}) -> {`);
    this.#scope.push({ name, kind: "String", mutable: false });
    this.#body(depth, this.#inLoop);
    this.#scope.pop();
    this.#emit("},");
    this.#emit(`Pick::Both(${name}, ${name}r) if len(${name}) > 2 -> {`);
    this.#scope.push({ name, kind: "String", mutable: false }, { name: `${name}r`, kind: "Row", mutable: false });
    this.#body(depth, this.#inLoop);
    this.#scope.length -= 2;
    this.#emit("},");
    this.#emit(`other${name} -> println(size(other${name})),`);
    this.#indent--;
    this.#emit("}");
  }

  #expr(kind: Kind, depth: number): string {
    const known = this.#scope.filter((entry) => entry.kind === kind);
    if (depth <= 0 || (known.length > 0 && this.#chance(0.3))) {
      const found = this.#one(known);
      if (found) return found.name;
    }
    if (depth > 0 && this.#chance(0.2))
      return `if ${this.#condition()} { ${this.#expr(kind, depth - 1)} } else { ${this.#expr(kind, depth - 1)} }`
        .replace(/^/, "(")
        .replace(/$/, ")");
    if (depth > 0 && this.#chance(0.1)) return this.#blockExpr(kind, depth);
    const callable = depth > 0 ? this.#one(this.#callable.filter((entry) => entry.result === kind)) : undefined;
    if (callable && this.#chance(0.4)) {
      const call = `${callable.name}(${callable.params.map((param) => this.#expr(param, depth - 1)).join(", ")})`;
      return callable.fallible ? `(${call} or ${this.#fallback(kind, depth)})` : call;
    }
    return this.#fresh(kind, depth - 1);
  }

  #fallback(kind: Kind, depth: number): string {
    if (this.#fallible && this.#chance(0.3)) return "raise";
    if (this.#fallible && this.#chance(0.2)) return `fail Bad { why: err.why + "x", row: err.row }`;
    if (this.#inLoop && this.#chance(0.2)) return "{ continue; }";
    if (this.#chance(0.2)) return `{ return ${this.#fresh(this.#result, 0)}; }`;
    if (kind === "String" && this.#chance(0.5)) return "err.why";
    if (kind === "Row" && this.#chance(0.5)) return "err.row";
    return this.#expr(kind, depth - 1);
  }

  #blockExpr(kind: Kind, depth: number): string {
    const target = this.#one(this.#scope.filter((entry) => entry.mutable));
    const name = `b${this.#names++}`;
    const change = target && this.#chance(0.5) ? `${target.name} = ${this.#fresh(target.kind, 0)};` : "";
    const value = this.#expr(kind, depth - 1);
    return `({ let ${name} = ${value}; ${change} ${name} })`;
  }

  #fresh(kind: Kind, depth: number): string {
    const text = () => this.#expr("String", depth);
    switch (kind) {
      case "Int":
        return this.#chance(0.5) ? String(this.#below(20)) : `len(${text()})`;
      case "String":
        return this.#freshText(depth);
      case "Row":
        return this.#chance(0.5) ? `row(${this.#below(9)}, ${text()})` : `Row { n: ${this.#below(9)}, s: ${text()} }`;
      case "Wide":
        return `wide(${this.#below(9)}, ${this.#expr("Row", depth)})`;
      case "Pick":
        return (
          this.#one([
            "Pick::Nil",
            `Pick::Word(${text()})`,
            `Pick::Both(${text()}, ${this.#expr("Row", depth)})`,
            `Pick::Many(${this.#expr("List", depth)}, ${this.#expr("Wide", depth)})`,
          ]) ?? "Pick::Nil"
        );
      case "List":
        return this.#chance(0.3) ? `[${text()}; 2]` : `[${text()}, ${text()}]`;
      case "Rows":
        return `[${this.#expr("Row", depth)}, ${this.#expr("Row", depth)}]`;
      case "Pair":
        return `(${text()}, ${this.#expr("Row", depth)})`;
    }
  }

  #freshText(depth: number): string {
    const part = this.#one(this.#scope.filter((entry) => entry.kind !== "Int" && entry.kind !== "Pick"));
    const choice = this.#below(7);
    if (choice < 2 && part) return this.#textOf(part);
    if (choice === 2) return `(${this.#expr("String", depth)} + ${this.#expr("Int", depth)})`;
    if (choice === 3)
      return `(risky(${this.#below(7)}, ${this.#expr("String", depth)}) or ${this.#fallback("String", depth)})`;
    if (choice === 4) return `f"<{${this.#expr("Int", depth)}}{${this.#expr("String", depth)}}>"[0..9]`;
    if (choice === 5) return `word(${this.#below(20)})`;
    return this.#one(['"a"', '"bc"', '""']) ?? '""';
  }

  #textOf({ name, kind }: { name: string; kind: Kind }): string {
    switch (kind) {
      case "Row":
        return `${name}.${this.#one(["s", "t"]) ?? "s"}`;
      case "Wide":
        return this.#one([`${name}.f`, `${name}.b.s`, `${name}.xs[1]`]) ?? name;
      case "List":
        return `${name}[${this.#below(2)}]`;
      case "Rows":
        return `${name}[${this.#below(2)}].s`;
      case "Pair":
        return this.#one([`${name}.0`, `(${name}.1).s`]) ?? name;
      default:
        return name;
    }
  }

  /** A String that can be assigned. */
  #place(): string | undefined {
    const holder = this.#one(
      this.#scope.filter(
        (entry) => ["Row", "Wide", "List", "Rows"].includes(entry.kind) || (entry.kind === "String" && entry.mutable),
      ),
    );
    return holder && this.#textOf(holder);
  }

  #condition(): string {
    const condition = this.#one([
      `len(${this.#expr("String", 1)}) > ${this.#below(5)}`,
      `${this.#expr("Int", 1)} % 2 == 0`,
      `${this.#expr("String", 1)} == ${this.#expr("String", 1)}`,
    ]);
    // A name before the body's brace would read as a literal.
    return `(${condition ?? "true"})`;
  }

  #printable(): string {
    const kind = this.#one(["Int", "String", "Row"] as const) ?? "Int";
    return this.#expr(kind, 2);
  }

  #emit(line: string): void {
    this.lines.push("    ".repeat(this.#indent) + line);
  }

  #kind(): Kind {
    return this.#one(KINDS) ?? "Int";
  }

  #chance(probability: number): boolean {
    return this.#next() < probability * 0x100000000;
  }

  #below(limit: number): number {
    return this.#next() % limit;
  }

  #one<T>(list: readonly T[]): T | undefined {
    return list[this.#below(Math.max(1, list.length))];
  }

  /** xorshift32 */
  #next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state;
  }
}

/** The program of a seed. */
export function randomProgram(seed: number): string {
  return new Generator(seed).program();
}
