// The guest runtime: what every Hale binary carries. Exports in snake_case of the files named here are exports of the module, under their own
// names (docs/runtime-abi.md describes them); camelCase names serve other guest files and are taken out when it is built.
// A file with helpers only (`thread`, `lock`, `large`, `wide`, `exact`) is imported where it is used and not named here.
//
// House rules of this room: no managed objects, strings or arrays of AssemblyScript (raw memory only); no non-constant initialisers of
// globals (they would need a start function); a global is per thread, what threads share lies in static memory (`memory.data`).
export * from "./start";
export * from "./memory";
export * from "./string";
export * from "./text";
export * from "./output";
export * from "./panic";
export * from "./collections";
