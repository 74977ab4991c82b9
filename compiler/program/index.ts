// Room: from a path to a whole program.
// In:  a target path (file or directory).
// Out: seeds with their syntax trees, imports resolved, test/bench file rules applied, content hashes; the standard library, parsed as it is named.
// The only room of the compiler that reads files; never checks a type.
export { type FileRead, readSource } from "./input.ts";
export {
  type ImportBinding,
  type LoadedProgram,
  type LoadOptions,
  loadProgram,
  type Seed,
  type SeedFile,
} from "./load.ts";
export { libraryFiles, type LibraryFile, StandardLibrary } from "./standard-library.ts";
