/**
 * The candidate closest to `name`, or undefined when none is near: at most one edit (insertion, deletion, substitution,
 * swap of neighbours), or two for names of four letters or more (09 1.2).
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const limit = name.length >= 4 ? 2 : 1;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name, candidate, limit);
    if (distance < bestDistance || (distance === bestDistance && best !== undefined && candidate < best)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return bestDistance <= limit ? best : undefined;
}

/**
 * Optimal string alignment distance, in the band of diagonals that can stay within the limit (Ukkonen 1985); `limit + 1` beyond it.
 * What both names begin and end with does not count.
 */
function editDistance(left: string, right: string, limit: number): number {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let [endA, endB] = [left.length, right.length];
  while (endA > start && endB > start && left[endA - 1] === right[endB - 1]) {
    endA--;
    endB--;
  }
  const [a, b] = [left.slice(start, endA), right.slice(start, endB)];
  const far = limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(far);
    row[0] = i;
    let least = i;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const substitution = (last[j - 1] ?? far) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let value = Math.min((last[j] ?? far) + 1, (row[j - 1] ?? far) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, (beforeLast[j - 2] ?? far) + 1);
      row[j] = value;
      least = Math.min(least, value);
    }
    if (least > limit) return far;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? far;
}
