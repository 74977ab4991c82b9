// Numbers that the user sets by environment variables.
import * as host from "./host";

/** The value of the variable, a decimal number below 10^9; `otherwise` when it is missing or something else. */
export function numberFromEnvironment(name: usize, length: i32, otherwise: i64): i64 {
  const digits = memory.data(16, 8);
  const count = host.env(name, length, digits, 16);
  if (count <= 0 || count > 9) return otherwise;
  let value: i64 = 0;
  for (let i = 0; i < count; i++) {
    const digit = load<u8>(digits + i) - 48;
    if (digit > 9) return otherwise;
    value = value * 10 + digit;
  }
  return value;
}
