// Room: whole-program analyses over the typed program, one file each.
// In:  a `TypedProgram`.
// Out: findings (diagnostics) for check and verify.
// Never changes the program, never rejects what the checker accepted but through a finding.
export {};
