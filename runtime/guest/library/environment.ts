// Primitives of std::env, std::term, std::os, std::rand and std::diag: what the process is given.
import { setRawTerminal } from "../end";
import * as host from "../host";
import {
  ENV_ARG, ENV_ARGS_COUNT, ENV_VAR, ENV_VAR_EXISTS, OS_GETRANDOM, RAND_NEXT_INT, lengthOfServed, noteBytes, noteInput, noteNumber, noteText, serve, serveNumber,
} from "../journal"; // prettier-ignore
import { heap_alloc_count } from "../memory";
import { isJournaling } from "../thread";
import { BYTES, bytesFrom, discard, lengthOf, newBytes, textFrom } from "./cell";

/** Room for a value before its length is known. */
const GUESS: i32 = 256;

export function __args_count(): i64 {
  if (!isJournaling()) return host.argsCount();
  const served = serveNumber(ENV_ARGS_COUNT, 0);
  const count = served != 0 ? load<i64>(served) : (host.argsCount() as i64);
  noteNumber(ENV_ARGS_COUNT, 0, count);
  return count;
}

export function __arg(i: i64): usize {
  if (!isJournaling()) return argument(i);
  const served = serveNumber(ENV_ARG, i);
  const text = served != 0 ? textFrom(served, lengthOfServed(served, 8)) : argument(i);
  noteBytes(ENV_ARG, i, text + BYTES, lengthOf(text));
  return text;
}

function argument(i: i64): usize {
  if (i < 0 || i >= host.argsCount()) return 0;
  let text = newBytes(GUESS);
  const length = host.arg(i as i32, text + BYTES, GUESS);
  if (length > GUESS) {
    discard(text);
    text = newBytes(length);
    host.arg(i as i32, text + BYTES, length);
  }
  return sized(text, length);
}

export function __env_var(name: usize): usize {
  if (!isJournaling()) return variable(name);
  const served = serve(ENV_VAR, name + BYTES, lengthOf(name));
  const text = served != 0 ? textFrom(served, lengthOfServed(served, lengthOf(name))) : variable(name);
  noteInput(ENV_VAR, name + BYTES, lengthOf(name), text + BYTES, lengthOf(text));
  return text;
}

function variable(name: usize): usize {
  let text = newBytes(GUESS);
  const length = host.env(name + BYTES, lengthOf(name), text + BYTES, GUESS);
  if (length > GUESS) {
    discard(text);
    text = newBytes(length);
    host.env(name + BYTES, lengthOf(name), text + BYTES, length);
  }
  return sized(text, length);
}

export function __env_exists(name: usize): bool {
  if (!isJournaling()) return isSet(name);
  const served = serve(ENV_VAR_EXISTS, name + BYTES, lengthOf(name));
  const exists = served != 0 ? load<u8>(served) != 0 : isSet(name);
  noteText(ENV_VAR_EXISTS, name + BYTES, lengthOf(name), i64(exists));
  return exists;
}

function isSet(name: usize): bool {
  return host.env(name + BYTES, lengthOf(name), 0, 0) >= 0;
}

/** The first `length` bytes of `text`, which is given up. */
function sized(text: usize, length: i32): usize {
  const result = textFrom(text + BYTES, length);
  discard(text);
  return result;
}

/** A secret as it is; once there is one, the process leaves no core dump. */
export function __secret_guard(secret: usize): usize {
  if (lengthOf(secret) > 0) host.hideMemory();
  return bytesFrom(secret + BYTES, lengthOf(secret));
}

// -- terminal

export function __term_is_tty(fd: i64): bool {
  return fd >= 0 && fd <= i32.MAX_VALUE && host.isatty(fd as i32) == 1;
}

/** columns << 16 | rows of standard output, 0 without a terminal. */
export function __term_size(): i64 {
  return max(host.ttySize(1), 0);
}

export function __term_raw(on: bool): void {
  setRawTerminal(on);
}

// -- randomness

export function __os_random(n: i64): usize {
  const bytes = newBytes(n as i32);
  const served = isJournaling() ? serveNumber(OS_GETRANDOM, n) : 0;
  if (served != 0) {
    memory.copy(bytes + BYTES, served, n as usize);
  } else if (host.random(bytes + BYTES, n as i32) < 0) {
    discard(bytes);
    return 0;
  }
  if (isJournaling()) noteBytes(OS_GETRANDOM, n, bytes + BYTES, n as i32);
  return bytes;
}

/** State of the generator (Vigna, "xorshift1024*, xorshift128+", splitmix64); each thread has its own. */
let state: u64 = 0;
let seeded: bool = false;
const seed: usize = memory.data(8, 8);

export function __rand_below(max: i64): i64 {
  if (max <= 0) return 0;
  if (!seeded) {
    if (isJournaling()) return journaledBelow(max);
    __rand_seed();
  }
  return below(max);
}

/** A generator that is journaled never counts as seeded, so that this way is asked each time. */
function journaledBelow(max: i64): i64 {
  const served = serveNumber(RAND_NEXT_INT, max);
  if (served == 0 && state == 0) seedState();
  const drawn = served != 0 ? load<i64>(served) : below(max);
  noteNumber(RAND_NEXT_INT, max, drawn);
  return drawn;
}

function below(max: i64): i64 {
  const bound = max as u64;
  // Drops the numbers that would make some results likelier than others.
  const limit = u64.MAX_VALUE - u64.MAX_VALUE % bound;
  let drawn = nextRandom();
  while (drawn >= limit) drawn = nextRandom();
  return (drawn % bound) as i64;
}

export function __rand_seed(): void {
  seedState();
  seeded = !isJournaling();
}

function seedState(): void {
  store<u64>(seed, 0);
  host.random(seed, 8);
  state = load<u64>(seed) ^ (host.clock(0) as u64);
}

function nextRandom(): u64 {
  state += 0x9e3779b97f4a7c15;
  let z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// -- counters

export function __diag_heap_allocs(): i64 {
  return heap_alloc_count();
}
