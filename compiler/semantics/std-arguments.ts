// Library functions whose parameter takes a few types only: which (reference 09 4.2, 6.2; 10-b2 3, 7).
import type { Context } from "./context.ts";
import { BOOL, INT, STRING } from "./type-table.ts";
import { typeText } from "./type-text.ts";
import type { TypedExpr } from "./typed.ts";
import type { Type } from "./types.ts";

interface Demand {
  /** Position of the argument, from 0. */
  readonly position: number;
  readonly what: string;
  takes(type: Type): boolean;
}

function words(position: number): Demand {
  return {
    position,
    what: "a `@form(vec)` locus of String",
    takes: (type) => type.kind === "locus" && type.form?.form === "vec" && type.form.element === STRING,
  };
}

const HTTP_MESSAGES: ReadonlySet<string> = new Set(["std::http::Request", "std::http::Response"]);

const DEMANDS: ReadonlyMap<string, Demand> = new Map([
  ["std::str::split_into", words(2)],
  ["std::str::join", words(0)],
  ["std::text::tokenize_words_into", words(1)],
  [
    "std::http::header",
    {
      position: 0,
      what: "a `std::http::Request` or a `std::http::Response`",
      takes: (type) => type.kind === "record" && HTTP_MESSAGES.has(typeText(type)),
    },
  ],
  [
    "std::io::udp::set_multicast_loop",
    { position: 1, what: "a Bool or an Int", takes: (type) => type === BOOL || type === INT },
  ],
]);

/** Whether the library function `name` takes these arguments; reports the one that it does not. */
export function suitsLibrary(cx: Context, name: string, values: readonly TypedExpr[]): boolean {
  const demand = DEMANDS.get(name);
  const value = demand && values[demand.position];
  if (!value || demand.takes(value.type)) return true;
  cx.error("E0401", value.span, `\`${name}\` needs ${demand.what}, got \`${typeText(value.type)}\``);
  return false;
}
