import { execFileSync } from 'node:child_process';
import { root } from '../test-files.ts';
import type { Mutant } from './mutant.ts';

/** A generator of numbers from 0 to 1: mulberry32, which gives the same ones for the same seed. */
const randomOf = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

/**
 * Chooses mutants at random, in turn of each kind, because there are ten times as many arguments as comparisons. At most one is on a line.
 */
export const sampleOf = (mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] => {
  const random = randomOf(seed);
  const kinds = [...Map.groupBy(mutants, ({ kind }) => kind)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => [...each]);
  const chosen = new Map<string, Mutant>();
  while (chosen.size < count && kinds.some((each) => each.length > 0))
    for (const each of kinds) {
      const [mutant] = each.splice(Math.floor(random() * each.length), 1);
      if (mutant && chosen.size < count) chosen.set(`${mutant.file}:${mutant.line}`, mutant);
    }
  return [...chosen.values()];
};

/** The lines of each file that changed since a commit, those of uncommitted changes included. */
export const changedLines = (since: string): ReadonlyMap<string, ReadonlySet<number>> => {
  const diff = execFileSync('git', ['diff', '--unified=0', '--merge-base', since, '--', 'src', 'client', 'adapters', 'adopt', 'server'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  const changed = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const line of diff.split('\n')) {
    const [, file] = /^\+\+\+ b\/(.*)$/.exec(line) ?? [];
    if (file !== undefined) changed.set(file, (lines = new Set()));
    const [, first, length = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let each = 0; first !== undefined && each < Number(length); each++) lines.add(Number(first) + each);
  }
  return changed;
};
