// A memoising ordered-choice parser that runs the grammar of reference 01 section 7 as it stands (01 section 6). It only
// tells whether a text is accepted, and how far it got: the oracle for the real parser.
import { K, type TokenList } from "../../../compiler/syntax/index.ts";

type Node =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly Node[] }
  | { readonly kind: "?" | "*" | "+" | "&" | "!"; readonly inner: Node };

export type Grammar = ReadonlyMap<string, Node>;

/** Reads rules `name = body`, each from a line that starts with a name and `=` to the next one; `#` starts a remark. */
export function readGrammar(text: string): Grammar {
  const rules = new Map<string, Node>();
  const lines = text.split("\n").map((line) => line.replace(/(^|\s)#(?=\s).*$/, ""));
  const sources = lines.join("\n").split(/^(?=[a-z_][a-z0-9_]* +=)/m);
  for (const source of sources) {
    const [, name, body] = /^([a-z_][a-z0-9_]*)\s+=([\s\S]*)$/.exec(source) ?? [];
    if (name === undefined || body === undefined) continue;
    const symbols = body.match(/"[^"]*"|[A-Za-z_][A-Za-z0-9_]*|[()|?*+&!]/g) ?? [];
    rules.set(name, new RuleReader(symbols).read());
  }
  return rules;
}

class RuleReader {
  readonly #symbols: readonly string[];
  #at = 0;

  constructor(symbols: readonly string[]) {
    this.#symbols = symbols;
  }

  read(): Node {
    const choices = [this.#sequence()];
    while (this.#symbols[this.#at] === "|") {
      this.#at++;
      choices.push(this.#sequence());
    }
    const [only] = choices;
    return choices.length === 1 && only ? only : { kind: "choice", parts: choices };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (
      let symbol = this.#symbols[this.#at];
      symbol !== undefined && symbol !== "|" && symbol !== ")";
      symbol = this.#symbols[this.#at]
    ) {
      parts.push(this.#repeated());
    }
    return { kind: "sequence", parts };
  }

  #repeated(): Node {
    const symbol = this.#symbols[this.#at++] ?? "";
    if (symbol === "&" || symbol === "!") return { kind: symbol, inner: this.#repeated() };
    let node: Node;
    if (symbol === "(") {
      node = this.read();
      this.#at++;
    } else node = symbol.startsWith('"') ? { kind: "word", text: symbol.slice(1, -1) } : { kind: "rule", name: symbol };
    const suffix = this.#symbols[this.#at];
    if (suffix !== "?" && suffix !== "*" && suffix !== "+") return node;
    this.#at++;
    return { kind: suffix, inner: node };
  }
}

/** Spelled tokens of the grammar that are not contextual words. */
const KINDS: Readonly<Record<string, number>> = K;
const CLASSES: Readonly<Record<string, number>> = {
  IDENT: K.ident,
  INT: K.int,
  FLOAT: K.float,
  DECIMAL: K.decimal,
  QUANTITY: K.quantity,
  STRING: K.string,
  FSTRING: K.fstring,
  BYTES: K.bytes,
  BACKTICK: K.backtick,
};
/** The rules in which `>>` may be read as two `>`. */
const SPLIT_RULES: ReadonlySet<string> = new Set(["type", "generics"]);

/** A place between tokens: twice the token's index, plus 1 after the first half of a `>>`. -1 is failure. */
type Place = number;

export class Oracle {
  readonly #grammar: Grammar;
  readonly #tokens: TokenList;
  readonly #memo = new Map<string, Place>();
  #fallible = false;
  #split = false;
  #quiet = 0;
  /** Index of the furthest token that some rule could not go on with. */
  furthest = 0;

  constructor(grammar: Grammar, tokens: TokenList) {
    this.#grammar = grammar;
    this.#tokens = tokens;
  }

  /** Whether the tokens from `first` to the next end of tokens are one `rule`. */
  accepts(rule: string, first = 0): boolean {
    const place = this.#rule(rule, first * 2);
    if (place < 0) return false;
    this.furthest = Math.max(this.furthest, place >> 1);
    return place % 2 === 0 && this.#tokens.kinds[place / 2] === K.eof;
  }

  #match(node: Node, place: Place): Place {
    switch (node.kind) {
      case "word":
        return this.#word(node.text, place);
      case "rule":
        return this.#rule(node.name, place);
      case "sequence": {
        let at = place;
        for (const part of node.parts) {
          at = this.#match(part, at);
          if (at < 0) return -1;
        }
        return at;
      }
      case "choice":
        for (const part of node.parts) {
          const end = this.#match(part, place);
          if (end >= 0) return end;
        }
        return -1;
      case "?": {
        const end = this.#match(node.inner, place);
        return end < 0 ? place : end;
      }
      case "*":
      case "+":
        return this.#repeat(node, place);
      case "&":
      case "!": {
        this.#quiet++;
        const end = this.#match(node.inner, place);
        this.#quiet--;
        return end >= 0 === (node.kind === "&") ? place : -1;
      }
      default:
        return node satisfies never;
    }
  }

  #repeat(node: Extract<Node, { inner: Node }>, place: Place): Place {
    let at = node.kind === "+" ? this.#match(node.inner, place) : place;
    while (at >= 0) {
      const end = this.#match(node.inner, at);
      if (end < 0 || end === at) break;
      at = end;
    }
    return at;
  }

  #rule(name: string, place: Place): Place {
    if (name === "FALLIBLE") return this.#fallible ? place : -1;
    const tokenClass = CLASSES[name];
    if (tokenClass !== undefined) return this.#class(tokenClass, place);
    const key = `${name} ${place} ${this.#fallible} ${this.#quiet > 0}`;
    const known = this.#memo.get(key);
    if (known !== undefined) return known;
    const body = this.#grammar.get(name);
    if (!body) throw new Error(`no rule ${name}`);
    const [fallible, split] = [this.#fallible, this.#split];
    if (name === "fallible_block") this.#fallible = true;
    else if (name === "fn" || name === "fn_decl" || name === "lifecycle") this.#fallible = false;
    this.#split = SPLIT_RULES.has(name);
    const end = this.#match(body, place);
    this.#fallible = fallible;
    this.#split = split;
    this.#memo.set(key, end);
    return end;
  }

  #word(text: string, place: Place): Place {
    const index = place >> 1;
    const kind = this.#tokens.kinds[index] ?? K.eof;
    if (text === ">" && this.#split && kind === K[">>"]) return place + 1;
    if (place % 2 === 0) {
      const wanted = KINDS[text];
      const isWord =
        wanted !== undefined && wanted > K.backtick
          ? kind === wanted
          : kind === K.ident && this.#tokens.wordOf(index) === text;
      if (isWord) return place + 2;
    }
    return this.#fail(index);
  }

  #class(kind: number, place: Place): Place {
    const index = place >> 1;
    if (place % 2 === 1 || this.#tokens.kinds[index] !== kind) return this.#fail(index);
    if (kind === K.fstring && !this.#fstring(index)) return this.#fail(index);
    return place + 2;
  }

  /** Each interpolation must be one expression of its own. */
  #fstring(index: number): boolean {
    const pieces = this.#tokens.fstrings[this.#tokens.values[index] ?? 0] ?? [];
    return pieces.every(
      (piece) => piece.kind === "text" || new Oracle(this.#grammar, piece.tokens).accepts("expr", piece.first),
    );
  }

  #fail(index: number): Place {
    if (this.#quiet === 0 && index > this.furthest) this.furthest = index;
    return -1;
  }
}
