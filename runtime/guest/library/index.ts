// Primitives of the standard library: the exports that `std/**/*.hl` declares with `@ffi("guest")`, under the same names.
export * from "./str";
export * from "./bytes";
export * from "./builder";
export * from "./number";
export * from "./math";
export * from "./decimal";
export * from "./window";
export * from "./regex";
export * from "./base64";
export * from "./json";
export * from "./hash";
export * from "./time";
export * from "./environment";
export * from "./descriptor";
export * from "./fs";
export * from "./process";
