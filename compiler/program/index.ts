// Room: from a path to a whole program.
// In:  a target path (file or directory).
// Out: seeds with their syntax trees, imports resolved, test/bench file rules applied, content hashes.
// The only room of the compiler that reads files; never checks a type.
export {};
