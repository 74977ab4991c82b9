// Names of the library's reference that are not there yet (reference 10 section 13, 10-b2 section 10): a program that uses one is told so, not that the name is unknown.

/** By namespace, without `std::`. */
const NOT_YET: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "io::tls",
    new Set([
      "connect",
      "upgrade",
      "send_bytes",
      "recv_bytes",
      "recv_into",
      "recv_stamped_into",
      "set_recv_timeout",
      "set_send_timeout",
      "set_nodelay",
      "set_rx_timestamps",
      "close",
    ]),
  ],
  ["source", new Set(["Walk"])],
  ["bus", new Set(["Adapter", "UnixTransport", "__local_dispatch"])],
  ["shm", new Set(["last_record_seq", "last_record_kernel_ns", "last_record_user_ns"])],
  ["api", new Set(["Principal", "Context", "RoleSource", "StaticRoles", "local_context"])],
]);

/** Whether `names`, the path behind `std::`, is in the reference and not in the library. */
export function isStdNotYet(names: readonly string[]): boolean {
  const namespace = names.slice(0, -1).join("::");
  const item = names.at(-1) ?? "";
  // Raw queues, used only through the ring forms.
  if (namespace === "ring") return item.startsWith("__spsc_");
  return NOT_YET.get(namespace)?.has(item) ?? false;
}
