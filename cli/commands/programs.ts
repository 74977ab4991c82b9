// The commands that make and start programs, one chunk of the bundle: each file that is loaded costs start-up time.
export { bench } from "./bench.ts";
export { build } from "./build.ts";
export { run } from "./run.ts";
export { test } from "./test.ts";
