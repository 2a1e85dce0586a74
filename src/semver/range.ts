/**
 * Version ranges of operating systems: Semantic Versioning 2.0, with alternatives separated by two bars (specification, "Posture check"). Within an
 * alternative, all comparators separated by blanks must hold: nothing, `=`, `==`, `>`, `>=`, `<`, `<=`, `!` or `!=` before `1.2.3`, `1.2.x`, `1.x` or
 * `1.x.x`. Prereleases precede their release and are ordinary otherwise; build metadata is ignored.
 * Other forms (`^1.2`, `~1.2.3`, `>=10`, `*`, `1.2.3 - 2.0.0`) are left to the package `semver`.
 */
import { LRUCache } from 'lru-cache';
import SemverRange from 'semver/classes/range.js';
import type SemVer from 'semver/classes/semver.js';
import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';

export type VersionRange = (version: SemVer) => boolean;

/** Longest text of a range that is read. */
const MAX_LENGTH = 1000;

/** @returns the version, if the text is `MAJOR.MINOR.PATCH[-pre][+build]` and nothing else */
export const readVersion = (text: string): SemVer | undefined => (/^\d\S*$/.test(text) ? (parse(text) ?? undefined) : undefined);

const ranges = new LRUCache<string, VersionRange>({ max: 1000 });

/** @returns the range, or undefined for what is none */
export const readVersionRange = (text: string): VersionRange | undefined => {
  const known = ranges.get(text);
  if (known) return known;
  if (text.length > MAX_LENGTH) return undefined;
  const alternatives = text.split('||').map((alternative) => readAlternative(alternative.trim()));
  if (!alternatives.every((alternative) => alternative !== undefined)) return undefined;
  const range: VersionRange = (version) => alternatives.some((holds) => holds(version));
  ranges.set(text, range);
  return range;
};

const readAlternative = (text: string): VersionRange | undefined => {
  if (text === '') return undefined;
  const words = [...text.matchAll(/(>=|<=|==|!=|>|<|=|!)?\s*([^\s<>=!]+)\s*/g)];
  const isWhole = words.reduce((length, [word]) => length + word.length, 0) === text.length;
  const comparators = words.map(([, operator = '=', version = '']) => readComparator(operator, version));
  if (isWhole && comparators.every((comparator) => comparator !== undefined))
    return (version) => comparators.every((holds) => holds(version));
  return readByLibrary(text);
};

const readByLibrary = (text: string): VersionRange | undefined => {
  try {
    const range = new SemverRange(text, { includePrerelease: true });
    return (version) => range.test(version);
  } catch {
    return undefined; // its way to say that this is no range
  }
};

/** A comparator is about the versions from `low` on and before `high`; a whole version has no `high`. */
const readComparator = (operator: string, text: string): VersionRange | undefined => {
  const [low, high] = boundsOf(text);
  if (!low || high === null) return undefined;
  const isBefore = (version: SemVer) => compare(version, low) < 0;
  const isBeyond = (version: SemVer) => (high ? compare(version, high) >= 0 : compare(version, low) > 0);
  switch (operator) {
    case '>':
      return isBeyond;
    case '>=':
      return (version) => !isBefore(version);
    case '<':
      return isBefore;
    case '<=':
      return (version) => !isBeyond(version);
    case '!':
    case '!=':
      return (version) => isBefore(version) || isBeyond(version);
    default:
      return (version) => !isBefore(version) && !isBeyond(version);
  }
};

const boundsOf = (text: string): readonly [low: SemVer | null | undefined, high?: SemVer | null] => {
  const [, major, minor] = /^(\d+)\.(?:(\d+)\.x|x(?:\.x)?)$/.exec(text) ?? [];
  if (major === undefined) return [readVersion(text)];
  return minor === undefined
    ? [parse(`${major}.0.0`), parse(`${Number(major) + 1}.0.0`)]
    : [parse(`${major}.${minor}.0`), parse(`${major}.${Number(minor) + 1}.0`)];
};
