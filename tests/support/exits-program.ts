// Functions with a way out behind every value that they own, and what they print when each way is taken.

/** Hale code, and what comes of it. */
interface ExitsProgram {
  readonly source: string;
  readonly output: string;
}

/** What a section of a function does when it is its turn to leave; "" when it goes on. */
type Section = (i: number) => { readonly code: string; readonly result: string };

const HEADER = `type E { code: Int; why: String; }
type Pair { left: String; right: String; size: Int; }
locus Tag {
    params { name: String = ""; }
    dissolve() { print("~", self.name, " "); }
    fn get() -> String { return "tag " + self.name; }
}
fn need(n: Int, at: Int) -> String fallible(E) {
    if n == at { fail E { code: at, why: "need " + to_string(at) }; }
    return "v" + to_string(at);
}
fn join(a: String, b: String) -> String { return a + b; }
`;

/** Sections of a function that returns a String or fails with E. Every eighth, from 0 on, has a variable with its name in it. */
const leaving: readonly Section[] = [
  (i) => ({ code: `let t${i} = "t" + to_string(${i}); if n == ${i} { return t${i}; }`, result: `t${i}` }),
  (i) => {
    const older = eighth(i >> 1);
    return { code: `let t${i} = "o" + to_string(n); if n == ${i} { return t${older}; }`, result: `t${older}` };
  },
  (i) => ({ code: `let t${i} = need(n, ${i}) or raise;`, result: `E${i} need ${i}` }),
  (i) => ({
    code: `let t${i} = ["a" + to_string(n), "b"]; if n == ${i} { fail E { code: 7, why: t${i}[0] }; }`,
    result: `E7 a${i}`,
  }),
  (i) => ({ code: `let t${i} = need(n, ${i}) or fail E { code: 9, why: err.why + "!" };`, result: `E9 need ${i}!` }),
  (i) => ({ code: `let t${i} = need(n, ${i}) or { return "block " + err.why; };`, result: `block need ${i}` }),
  (i) => ({
    code: `let t${i} = if n < 0 { "below" } else { let u = "u" + to_string(n); if n == ${i} { return u; } u + "!" };`,
    result: `u${i}`,
  }),
  (i) => ({
    code: `let t${i} = join("j" + to_string(n), f"{n}{need(n, ${i}) or raise}{n}");`,
    result: `E${i} need ${i}`,
  }),
];

const eighth = (i: number) => i - (i % 8);

const sections = (count: number, kinds: readonly Section[], indent = "    ") =>
  Array.from({ length: count }, (_, i) => {
    const section = kinds[i % kinds.length]?.(i);
    return { code: `${indent}${section?.code ?? ""}\n`, result: section?.result ?? "" };
  });

const codeOf = (all: readonly { readonly code: string }[]) => all.map(({ code }) => code).join("");

/** One scope, its result one value. */
function straight(count: number): ExitsProgram {
  const all = sections(count, leaving);
  return called("straight", `${codeOf(all)}    return "end";`, [...all.map(({ result }) => result), "end"]);
}

/** The exits stand in a block whose value is used, between values of the statement that uses it. */
function inValues(count: number): ExitsProgram {
  const all = sections(count, leaving, "        ");
  const last = eighth(count - 1);
  const body = `    let before = "before" + to_string(n);
    let whole = join(before + to_string(n), if n > -2 {\n${codeOf(all)}        "inner " + t${last}\n    } else { "none" });
    if n == ${count} { return before; }
    return whole;`;
  return called("in_values", body, [
    ...all.map(({ result }) => result),
    `before${count}`,
    `before${count + 1}${count + 1}inner t${last}`,
  ]);
}

/** A String function of n that may fail, called with 0, 1 and so on; a failure is printed as `E<code> <why>`. */
function called(name: string, body: string, results: readonly string[]): ExitsProgram {
  return {
    source: `fn ${name}(n: Int) -> String fallible(E) {\n${body}\n}
fn call_${name}() {
    for n in 0..${results.length} { println(${name}(n) or f"E{err.code} {err.why}"); }
}\n`,
    output: results.map((result) => `${result}\n`).join(""),
  };
}

/** Three rounds of a loop in a loop; in the second round of the outer one a section ends a round of the inner loop, a loop, or the function. */
function loops(count: number): ExitsProgram {
  const half = count >> 1;
  const all = Array.from({ length: count }, (_, i) => {
    const when = `n == ${i} && round == 1`;
    const owner = `let t${i} = "t" + to_string(n);`;
    // The first round, the second up to here, what is left of it, the third.
    const [before, after] = i < half ? ["[.. [", ".. "] : ["[.. [.", ". "];
    switch (i % 5) {
      case 0:
        return { code: `${owner} if ${when} { break; }`, result: before };
      case 1:
        return { code: `${owner} if ${when} { continue; }`, result: `${before}[.. ` };
      case 2:
        return { code: `${owner} if ${when} { return log + t${i}; }`, result: `${before}t${i}` };
      case 3:
        return {
          code: `let t${i} = need(if round == 1 { n } else { -1 }, ${i}) or raise;`,
          result: `E${i} need ${i}`,
        };
      default:
        return {
          code: `for turn in ["x", "y"] { let u = turn + to_string(n); if ${when} { if turn == "x" { continue; } log += u; break; } }`,
          result: `${before}y${i}${after}[.. `,
        };
    }
  });
  const lines = (part: typeof all, indent: string) => part.map(({ code }) => `${indent}${code}\n`).join("");
  // Half of the sections stand in an inner scope of the round, behind the values of the other half.
  const body = `    let mut log = "";
    for round in 0..3 {
        log += "[";
${lines(all.slice(0, half), "        ")}        log += ".";
        if n > -2 {
${lines(all.slice(half), "            ")}        }
        log += ". ";
    }
    return log;`;
  return called("loops", body, [...all.map(({ result }) => result), "[.. [.. [.. "]);
}

/** Every way out of a function with loci ends them, the last one first, before the values around them are gone. */
function torn(count: number): ExitsProgram {
  const all = sections(count, [
    (i) => ({ code: `let t${i} = Tag { name: "t" + to_string(${i}) };`, result: "end" }),
    (i) => ({ code: `let t${i} = need(n, ${i}) or raise;`, result: `E${i} need ${i}` }),
    (i) => ({
      code: `let t${i} = "s" + to_string(n); if n == ${i} { return t${i - 2}.get(); }`,
      result: `tag t${i - 2}`,
    }),
  ]);
  const ends = (sectionsRun: number) =>
    Array.from({ length: Math.ceil(sectionsRun / 3) }, (_, i) => `~t${3 * i} `)
      .reverse()
      .join("");
  const results = [...all.map(({ result }) => result), "end"];
  return called(
    "torn",
    `${codeOf(all)}    return "end";`,
    results.map((result, n) => ends(result === "end" ? count : n) + result),
  );
}

/** Records are handed on from behind many others; what a caller gets is theirs alone. */
function records(count: number): ExitsProgram {
  const all = sections(count, [
    (i) => ({
      code: `let mut p${i} = Pair { left: "l" + to_string(n), right: "r", size: ${i} }; p${i}.right += to_string(n); if n == ${i} { return p${i}; }`,
      result: `l${i} r${i} ${i}`,
    }),
    (i) => ({
      code: `let p${i} = Pair { left: p${i - 1}.left, right: "q", size: n }; if n == ${i} { return p${i - 1}; }`,
      result: `l${i} r${i} ${i - 1}`,
    }),
  ]);
  return {
    source: `fn record(n: Int) -> Pair {\n${codeOf(all)}    return Pair { left: "end", right: "", size: 0 };\n}
fn call_records() {
    for n in 0..${count + 1} { let p = record(n); println(p.left, " ", p.right, " ", p.size); }
}\n`,
    output: [...all.map(({ result }) => result), "end  0"].map((line) => `${line}\n`).join(""),
  };
}

/** Pieces of one text, each of which may fail. */
function pieces(count: number): ExitsProgram {
  const parts = Array.from({ length: count }, (_, i) => (i % 7 === 3 ? `"-"` : `(need(n, ${i}) or raise)`));
  const text = parts.map((_, i) => (i % 7 === 3 ? "-" : `v${i}`)).join("");
  return called(
    "pieces",
    `    let head = "h" + to_string(n);\n    return head + ${parts.join(" + ")};`,
    Array.from({ length: count + 1 }, (_, n) => (n < count && n % 7 !== 3 ? `E${n} need ${n}` : `h${n}${text}`)),
  );
}

const makers = { straight, in_values: inValues, loops, torn, records, pieces };

export type ExitsKind = keyof typeof makers;
export const exitsKinds = Object.keys(makers) as readonly ExitsKind[];

/** A program with a function of `count` sections of the kinds, each of whose ways out `main` takes. */
export function exitsProgram(count: number, kinds: readonly ExitsKind[] = exitsKinds): ExitsProgram {
  const all = kinds.map((kind) => makers[kind](count));
  return {
    source: `${HEADER}${all.map(({ source }) => source).join("")}fn main() { ${kinds.map((kind) => `call_${kind}();`).join(" ")} }\n`,
    output: all.map(({ output }) => output).join(""),
  };
}
