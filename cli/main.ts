// Room: the command line.
// In:  arguments, environment, files, signals.
// Out: reports and listings on stdout, diagnostics and progress on stderr, an exit status.
// Never knows the language; the compiler is loaded only by commands that find work for it.
import { dispatch } from "./dispatch.ts";
import { exitWith } from "./guarded-exit.ts";

await exitWith(() => dispatch(process.argv.slice(2)));
