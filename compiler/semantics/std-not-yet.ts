// Names of the library's reference that are not there yet (reference 09-a2 section 12, 10 section 13, 10-b2 section 10): a program that uses one is told so, not that the name is unknown.

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
  // The Go grammar.
  [
    "ts",
    new Set([
      "parse_go",
      "root_node",
      "node_child_count",
      "node_named_child_count",
      "node_child",
      "node_named_child",
      "node_is_named",
      "node_start_byte",
      "node_end_byte",
      "node_kind",
      "node_text",
    ]),
  ],
  ["api", new Set(["Principal", "Context", "RoleSource", "StaticRoles", "local_context"])],
]);

/** By locus of the library: methods that need the Go grammar. */
const METHODS_NOT_YET: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "std::lang::Lang",
    new Set([
      "is_package_clause",
      "is_import_decl",
      "is_fn_decl",
      "is_type_decl",
      "is_type_spec",
      "is_string_literal",
      "is_concurrent_spawn",
      "is_infinite_loop",
      "is_call_expression",
      "is_http_handler",
      "is_handler_registration",
      "is_main_fn",
      "is_init_fn",
      "extract_fn_name",
      "extract_type_name",
      "extract_package_name",
      "extract_spawn_target",
      "extract_call_name",
      "extract_call_receiver",
      "extract_handler_route",
      "extract_handler_target",
      "spawn_kind",
    ]),
  ],
]);

/** Whether a locus of the library has that method in the reference only. */
export function isStdMethodNotYet(locus: string, method: string): boolean {
  return METHODS_NOT_YET.get(locus)?.has(method) ?? false;
}

/** All of these, with `std::`: what `hale doc --stdlib` says of them. */
export function stdNamesNotYet(): readonly string[] {
  const items = [...NOT_YET].flatMap(([namespace, names]) => [...names].map((name) => `std::${namespace}::${name}`));
  const methods = [...METHODS_NOT_YET].flatMap(([locus, names]) => [...names].map((name) => `${locus}.${name}`));
  return [...items, ...methods].sort();
}

/** Whether `names`, the path behind `std::`, is in the reference and not in the library. */
export function isStdNotYet(names: readonly string[]): boolean {
  const namespace = names.slice(0, -1).join("::");
  const item = names.at(-1) ?? "";
  // Raw queues, used only through the ring forms.
  if (namespace === "ring") return item.startsWith("__spsc_");
  return NOT_YET.get(namespace)?.has(item) ?? false;
}
