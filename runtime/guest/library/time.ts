// Primitives of std::time.
import * as host from "../host";
import { TIME_MONOTONIC, TIME_NOW, noteNumber, serveNumber } from "../journal";
import { isJournaling } from "../thread";

const REALTIME: i32 = 0;
const MONOTONIC: i32 = 1;

export function __clock_wall(): i64 {
  return isJournaling() ? journaled(TIME_NOW, REALTIME) : host.clock(REALTIME);
}

export function __clock_monotonic(): i64 {
  return isJournaling() ? journaled(TIME_MONOTONIC, MONOTONIC) : host.clock(MONOTONIC);
}

function journaled(kind: i32, which: i32): i64 {
  const served = serveNumber(kind, 0);
  const time = served != 0 ? load<i64>(served) : host.clock(which);
  noteNumber(kind, 0, time);
  return time;
}
