// The effect classes of library functions: one line of their doc comments, `/// effects: syscall, block` (reference 10 section 14). It stands for the
// whole function. A library function without the line has what its body has.
import type { TypedFunction } from "../semantics/index.ts";
import { docCommentOf } from "../syntax/index.ts";

const known = new WeakMap<TypedFunction, readonly string[] | null>();

/** The classes that a library function states; undefined: it states none, look at its body. `effects: none` gives []. */
export function statedEffects(fn: TypedFunction): readonly string[] | undefined {
  const earlier = known.get(fn);
  if (earlier !== undefined) return earlier ?? undefined;
  const stated = parseEffectLine(docCommentOf(fn.span.file, fn.span.start));
  known.set(fn, stated ?? null);
  return stated;
}

function parseEffectLine(comment: string): readonly string[] | undefined {
  const line = /^effects:(.*)$/m.exec(comment)?.[1];
  if (line === undefined) return undefined;
  return line
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "none");
}

/** `std::time::sleep` and what it is made of: waiting, but no blocking call in the rules about threads (11.5). */
export function isSleep(fn: TypedFunction): boolean {
  return fn.name === "std::time::sleep" || fn.name === "std::time::__sleep";
}

/** The waits that park on an `async_io` pool instead of holding its thread (11.5). */
export function parks(fn: TypedFunction): boolean {
  if (isSleep(fn)) return true;
  const [, namespace = "", name = ""] = /^std::io::(tcp|udp|tls)::(?:\w+\.)?_*(\w+)$/.exec(fn.name) ?? [];
  if (namespace === "tls") return name === "recv_into" || name === "recv_stamped_into";
  return namespace !== "" && /^(tcp_|udp_)?(recv|accept)/.test(name);
}
