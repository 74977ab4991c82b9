// The commands that read and write sources, one chunk of the bundle: each file that is loaded costs start-up time.
export { check, verify } from "./check.ts";
export { completions } from "./completions.ts";
export { doc } from "./doc.ts";
export { fmt } from "./fmt.ts";
export { init } from "./init.ts";
export { inputs } from "./inputs.ts";
export { lex } from "./lex.ts";
export { parse } from "./parse.ts";
export { targets } from "./targets.ts";
