import type { CodeInfo } from "./entry.ts";

/** Files, seeds, imports, the entry (reference 08). */
export const PROGRAM_CODES = {
  E0201: {
    title: "No such target",
    explanation: "The path is neither a file nor a directory.",
    example: "hale check missing.hl",
  },
  E0202: {
    title: "Unreadable file",
    explanation: "The operating system refuses to read it; the message is its own.",
    example: "hale check secret.hl",
  },
  E0203: {
    title: "Not UTF-8",
    explanation: "A source file is UTF-8 text. Save it in that encoding.",
    example: "hale check latin1.hl",
  },
  E0204: {
    title: "Directory without sources",
    explanation: "A seed is the `.hl` files directly in a directory; test and bench files do not count.",
    example: "hale check docs",
  },
  E0205: {
    title: "Import not found",
    explanation:
      'For `import "P" as a;` the file `P.hl`, the directory `P/` and the same directory below the workspace root are tried, in this order.',
    example: 'import "lib/gone" as gone; fn main() { }',
  },
  E0206: {
    title: "Alias bound twice",
    explanation: "All files of a seed share its aliases: one name, one library.",
    example: 'import "a" as x; import "b" as x; fn main() { }',
  },
  E0207: {
    title: "File taken twice",
    explanation: "A file is part of a build once: as a library of its own, or as part of its directory's library.",
    example: 'import "geo" as geo; import "geo/point" as point; fn main() { }',
  },
  E0208: {
    title: "Duplicate name",
    explanation:
      "Types, functions, constants, loci, interfaces, topics and perspectives of a seed share one namespace, over all its files.",
    example: "fn total() { } fn total() { } fn main() { }",
  },
  E0209: {
    title: "Unknown head of a path",
    explanation: "Before `::` stands an import's alias, a type of this seed, or `std`.",
    example: "fn main() { maths::double(2); }",
  },
  E0210: {
    title: "Not declared by the library",
    explanation: "The imported seed has no declaration of this name.",
    example: 'import "lib" as lib; fn main() { lib::missing(); }',
  },
  E0211: {
    title: "Alias of another seed",
    explanation: "An import's alias belongs to the seed that declares it. Import the library here as well.",
    example: 'import "store" as store; fn main() { money::cents(1); }',
  },
  E0212: {
    title: "No entry",
    explanation: "A program that is run or built has a top-level `fn main()` or a `main locus`.",
    example: "fn helper() { }",
  },
  E0213: {
    title: "main in a module",
    explanation: "The entry point stands at the top level.",
    example: "module m { fn main() { } }",
  },
  E0214: {
    title: "Signature of main",
    explanation: "`main` has no parameters, returns nothing or an Int, and cannot fail.",
    example: 'fn main() -> String { return "x"; }',
  },
  E0215: {
    title: "More than one main locus",
    explanation: "A program has one root of its deployment.",
    example: "main locus A { } main locus B { } fn main() { }",
  },
} as const satisfies Record<string, CodeInfo>;
