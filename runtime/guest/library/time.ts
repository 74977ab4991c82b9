// Primitives of std::time.
import * as host from "../host";

const REALTIME: i32 = 0;
const MONOTONIC: i32 = 1;

export function __clock_wall(): i64 {
  return host.clock(REALTIME);
}

export function __clock_monotonic(): i64 {
  return host.clock(MONOTONIC);
}
