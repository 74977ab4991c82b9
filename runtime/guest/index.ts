// The guest runtime: what every Hale binary carries. Exports in snake_case of the files named here are exports of the module, under their own
// names (docs/runtime-abi.md describes them); camelCase names serve other guest files and are taken out when it is built.
// Files of helpers only (`thread`, `lock`, `large`, `wide`, `exact` ..) are imported where they are used and not named here.
//
// House rules of this room: no managed objects, strings or arrays of AssemblyScript (raw memory, and string literals as static bytes, only); no
// initialisers of globals but literals (they would need a start function); a global is per thread, what threads share lies in static memory
// (`memory.data`).
export * from "./start";
export * from "./end";
export * from "./memory";
export * from "./string";
export * from "./text";
export * from "./decimal";
export * from "./output";
export * from "./panic";
export * from "./assertions";
export * from "./loci";
export * from "./collections";
export * from "./sorting";
export * from "./library/index";
