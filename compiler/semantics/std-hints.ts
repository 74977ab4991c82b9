// Names of the library that do not exist, and what their writer may have meant.

/** Spellings that do not exist, with what does the job (09 1.3). */
export const BUILT_IN_INSTEAD: ReadonlyMap<string, string> = new Map([
  ...["str::len", "str::length", "string::len", "string::length"].map((path) => [path, "len(s)"] as const),
  ["bytes::len", "len(b)"],
  ["vec::len", "len(a)"],
  ["math::abs", "abs(x)"],
  ["math::min", "min(a, b)"],
  ["cmp::min", "min(a, b)"],
  ["math::max", "max(a, b)"],
  ["cmp::max", "max(a, b)"],
  ["str::to_string", "to_string(x)"],
  ["str::from_int", "to_string(x)"],
  ...["io::print", "fmt::print", "io::stdout::print"].map((path) => [path, "print(x)"] as const),
  ...["io::println", "fmt::println", "io::stdout::println"].map((path) => [path, "println(x)"] as const),
  ["base64", "std::text::base64"],
  ["markdown", "std::text::md_to_html"],
  ["str::to_lower", "std::str::lower(s)"],
  ["str::to_upper", "std::str::upper(s)"],
  ["str::split", "std::str::split_into(s, separator, target)"],
  ["str::concat", "a + b"],
  ["io::fs::list_dir", "std::io::fs::list_dir_at(dir, i)"],
  ...["env::get", "env::getenv", "os::getenv", "env::var_or"].map((path) => [path, "std::env::var(name)"] as const),
  ["env::args", "std::env::args_count()` and `std::env::arg(i)"],
  ["io::fs::read", "std::io::fs::read_file(path)"],
  ["io::fs::write", "std::io::fs::write_file(path, text)"],
  ["io::fs::append", "std::io::fs::write_file_append(path, text)"],
  ...["io::fs::exists", "io::fs::is_file"].map((path) => [path, "std::io::fs::file_exists(path)"] as const),
  ...["io::fs::remove", "io::fs::remove_file", "io::fs::delete", "io::fs::rm"].map(
    (path) => [path, "std::io::fs::unlink(path)"] as const,
  ),
  ["io::fs::create_dir", "std::io::fs::mkdir(path)"],
  ...["io::fs::remove_dir", "io::fs::rmdir", "io::fs::copy", "io::fs::chmod"].map(
    (path) => [path, "std::process::run(command, ..)"] as const,
  ),
  ["str::uppercase", "std::str::upper(s)"],
  ["str::lowercase", "std::str::lower(s)"],
  ["str::find", "std::str::index_of(s, part)"],
  ...["str::char_at", "str::char", "str::chars"].map(
    (path) => [path, "s[i..i + 1]` or `std::str::byte_at(std::str::bytes_view(s), i)"] as const,
  ),
  ...["str::bytes", "str::as_bytes", "str::to_bytes"].map((path) => [path, "std::bytes::from_string(s)"] as const),
  ["str::lines", 'std::str::split_into(s, "\\n", target)'],
  ["str::is_empty", 's == ""'],
  ["str::format", 'f"{x:.2}"'],
  ...["time::now_ms", "time::now_ns", "time::millis"].map((path) => [path, "std::time::monotonic()"] as const),
  ...["math::random", "random::int"].map((path) => [path, "std::rand::next_int(max)"] as const),
]);

/** Words of library names too common to say that two names are related. */
const COMMON_WORDS: ReadonlySet<string> = new Set(["from", "to", "in", "at", "of", "is", "can"]);

/** Up to three candidates that share a word with `name` (`remove_file`, `file_size`), or that one of the two begins with. */
export function relatedNames(name: string, candidates: readonly string[]): readonly string[] {
  const words = name.split("_").filter((word) => word.length > 1 && !COMMON_WORDS.has(word));
  const isRelated = (candidate: string): boolean =>
    candidate.startsWith(name) ||
    (candidate.length > 2 && name.startsWith(candidate)) ||
    candidate.split("_").some((word) => words.includes(word));
  return candidates.filter((candidate) => !candidate.startsWith("__") && isRelated(candidate)).slice(0, 3);
}
