// Primitives of std::math. The functions are those of musl, as AssemblyScript's library has them; the sign of a NaN
// is fixed here, because it is printed (reference 09 section 8) and WebAssembly leaves it open.
const NAN: u64 = 0x7ff8000000000000;
const NEGATIVE_NAN: u64 = 0xfff8000000000000;

export function __math_nan(): f64 {
  return reinterpret<f64>(NAN);
}

export function __math_inf(): f64 {
  return Infinity;
}

export function __math_is_nan(x: f64): bool {
  return x != x;
}

/** What a function gives where it has no value: a NaN operand passes through, anything else makes `made`. */
function undefinedAt(x: f64, made: u64): f64 {
  return x != x ? x : reinterpret<f64>(made);
}

export function __math_sqrt(x: f64): f64 {
  return x >= 0 || x == 0 ? sqrt<f64>(x) : undefinedAt(x, NEGATIVE_NAN);
}

export function __math_exp(x: f64): f64 {
  return x == x ? NativeMath.exp(x) : x;
}

export function __math_log(x: f64): f64 {
  return x >= 0 ? NativeMath.log(x) : undefinedAt(x, NEGATIVE_NAN);
}

export function __math_floor(x: f64): f64 {
  return x == x ? floor<f64>(x) : x;
}

export function __math_ceil(x: f64): f64 {
  return x == x ? ceil<f64>(x) : x;
}

export function __math_sin(x: f64): f64 {
  return isFinite(x) ? NativeMath.sin(x) : undefinedAt(x, NEGATIVE_NAN);
}

export function __math_cos(x: f64): f64 {
  return isFinite(x) ? NativeMath.cos(x) : undefinedAt(x, NEGATIVE_NAN);
}

export function __math_tan(x: f64): f64 {
  return isFinite(x) ? NativeMath.tan(x) : undefinedAt(x, NEGATIVE_NAN);
}

export function __math_asin(x: f64): f64 {
  return abs<f64>(x) <= 1 ? NativeMath.asin(x) : undefinedAt(x, NAN);
}

export function __math_acos(x: f64): f64 {
  return abs<f64>(x) <= 1 ? NativeMath.acos(x) : undefinedAt(x, NAN);
}

export function __math_atan(x: f64): f64 {
  return x == x ? NativeMath.atan(x) : x;
}

export function __math_tanh(x: f64): f64 {
  return x == x ? NativeMath.tanh(x) : x;
}

export function __math_pow(x: f64, y: f64): f64 {
  // C: 1 to any power, and anything to the power 0, is 1, NaN included.
  if (x == 1 || y == 0) return 1;
  if (x != x) return x;
  if (y != y) return y;
  if (x < 0 && isFinite(x) && isFinite(y) && floor<f64>(y) != y) return reinterpret<f64>(NEGATIVE_NAN);
  // C: -1 to an infinite power is 1; JavaScript's rule is another.
  if (x == -1 && !isFinite(y)) return 1;
  return NativeMath.pow(x, y);
}

export function __math_atan2(y: f64, x: f64): f64 {
  if (y != y) return y;
  return x == x ? NativeMath.atan2(y, x) : x;
}

/** Toward zero; a NaN or a value outside the range gives the least Int. */
export function __math_trunc(x: f64): i64 {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (x as i64) : i64.MIN_VALUE;
}
