// Numbers and switches that the user sets by environment variables.
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

/** Whether the variable is `1`. */
export function isOneInEnvironment(name: usize, length: i32): bool {
  const value = memory.data(8, 8);
  return host.env(name, length, value, 8) == 1 && load<u8>(value) == 49;
}
