// Receives that make a new buffer each time (11.8 rule 3).
import type { Event } from "./body-facts.ts";

const FUNCTIONS: ReadonlySet<string> = new Set([
  "std::io::tcp::recv",
  "std::io::tcp::recv_bytes",
  "std::io::tcp::__recv",
  "std::io::tcp::__recv_bytes",
  "std::io::udp::recv",
  "std::io::udp::recv_with_source",
  "std::io::udp::__recv",
  "std::io::tls::recv_bytes",
]);

const METHODS: ReadonlySet<string> = new Set(["recv_bytes", "recv_with_source"]);

export function isAllocatingReceive(event: Event): boolean {
  if (event.kind !== "call") return false;
  const { callee } = event.call;
  switch (callee.kind) {
    case "function":
      return FUNCTIONS.has(callee.function.name);
    case "method":
      return METHODS.has(callee.function.name.slice(callee.function.name.lastIndexOf(".") + 1));
    case "interface":
      return METHODS.has(callee.interface.methods[callee.method]?.name ?? "");
    default:
      return false;
  }
}
