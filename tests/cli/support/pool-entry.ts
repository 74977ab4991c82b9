// Compiles the files named on the command line on threads and prints what came of each.
// As the command line does it, so that the pool's module is a chunk of its own: its threads run that chunk.
const { CompilePool } = await import("../../../cli/compile-pool.ts");
const pool = new CompilePool(3);
const mode = { target: "wasm", profile: "dev" } as const;
const outcomes = await Promise.all(process.argv.slice(2).map((source) => pool.compile(source, mode)));
console.log(
  JSON.stringify(
    outcomes.map((each) => (each.kind === "compiled" ? { ...each, executable: each.executable.length } : each)),
  ),
);
