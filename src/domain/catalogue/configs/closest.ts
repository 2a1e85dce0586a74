const MAX_LENGTH = 64;
const MAX_NAMES = 200;

/** @returns the name that was probably meant: at most a third of its letters differ, and at most two. Work is bounded for any input. */
export const closest = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let least = 3;
  for (const candidate of known.slice(0, MAX_NAMES)) {
    if (candidate.length > MAX_LENGTH || Math.abs(candidate.length - name.length) >= least) continue;
    const distance = edits(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least && distance * 3 <= candidate.length) {
      best = candidate;
      least = distance;
    }
  }
  return best;
};

/** Letters to insert, drop, change or swap with the next on the way from one word to the other (Damerau-Levenshtein, restricted). */
const edits = (a: string, b: string): number => {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const swapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j] ? (before[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, changed, swapped));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
};
