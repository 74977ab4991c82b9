// How fast the native back end compiles: WebAssembly bytes a second, decoding and linking included. `node bench/run.mjs compile-native`.
import { readFileSync } from "node:fs";
import { Bench } from "tinybench";
import { compileNative } from "../compiler/native/index.ts";
import { decodeModule, encodeModule } from "../compiler/wasm/index.ts";

/** The guest runtime: 170 KB of ordinary code with names. */
const built = decodeModule(readFileSync(new URL("../dist/runtime-linux.wasm", import.meta.url)));
/** Without the machine code that the build has put into the file. */
const bytes = encodeModule(built, { names: true, positions: false });
const megabytes = bytes.length / 1e6;

const bench = new Bench({ time: 3000, warmupTime: 3000 });
bench.add("decode", () => {
  decodeModule(bytes);
});
bench.add("decode, compile and link", () => {
  compileNative(decodeModule(bytes), { main: "hale_start" });
});
await bench.run();
console.table(
  bench.tasks.map(({ name, result }) => {
    const seconds = "latency" in result ? result.latency.p50 / 1000 : Number.NaN;
    return { name, "ms (median)": (seconds * 1000).toFixed(1), "MB/s": (megabytes / seconds).toFixed(2) };
  }),
);
