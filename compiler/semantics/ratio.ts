/** An exact positive fraction, reduced. */
export interface Ratio {
  readonly n: bigint;
  readonly d: bigint;
}

export const ONE: Ratio = { n: 1n, d: 1n };

export function ratio(n: bigint, d: bigint): Ratio {
  const divisor = gcd(n, d);
  return divisor === 0n ? ONE : { n: n / divisor, d: d / divisor };
}

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export function times(a: Ratio, b: Ratio): Ratio {
  return ratio(a.n * b.n, a.d * b.d);
}

export function over(a: Ratio, b: Ratio): Ratio {
  return ratio(a.n * b.d, a.d * b.n);
}

export function sameRatio(a: Ratio, b: Ratio): boolean {
  return a.n === b.n && a.d === b.d;
}

/** The greatest fraction of which both are whole multiples. */
export function meetOf(a: Ratio, b: Ratio): Ratio {
  return ratio(gcd(a.n * b.d, b.n * a.d), a.d * b.d);
}
