// The commands that make and start programs (`bench` has a chunk of its own: it loads packages), one chunk of the bundle: each file that is loaded costs start-up time.
export { build } from "./build.ts";
export { run } from "./run.ts";
export { test } from "./test.ts";
