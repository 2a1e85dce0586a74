/**
 * Version ranges of operating systems: Semantic Versioning 2.0, with alternatives separated by `||` (specification, "Posture check"). An
 * alternative is a list of comparators, separated by blanks, which must all hold: `1.2.3`, `1.2.x`, `1.x` or `1.x.x`, optionally after `=`,
 * `==`, `>`, `>=`, `<`, `<=`, `!` or `!=`. Prereleases precede their release, and are otherwise treated like any version; build metadata is
 * ignored. Other forms (`^1.2`, `~1.2.3`, `>=10`, `*`, `1.2.3 - 2.0.0`) are parsed by the package `semver`.
 */
import { LRUCache } from 'lru-cache';
import type Comparator from 'semver/classes/comparator.js';
import SemverRange from 'semver/classes/range.js';
import SemVer from 'semver/classes/semver.js';
import parse from 'semver/functions/parse.js';
import { type Interval, intersectIntervals, isWithin } from './interval.ts';

export type VersionRange = (version: SemVer) => boolean;

/** Maximum length of a range, in characters. */
const MAX_LENGTH = 1000;

/** @returns the version; undefined if the text is not `MAJOR.MINOR.PATCH[-pre][+build]` */
export const readVersion = (text: string): SemVer | undefined => (/^\d\S*$/.test(text) ? (parse(text) ?? undefined) : undefined);

const ranges = new LRUCache<string, readonly Interval[]>({ max: 1000 });

/** The versions in a range, as intervals that may overlap; undefined if the range is invalid. */
export const readIntervals = (text: string): readonly Interval[] | undefined => {
  const cached = ranges.get(text);
  if (cached) return cached;
  if (text.length > MAX_LENGTH) return undefined;
  const alternatives = text.split('||').map((alternative) => readAlternative(alternative.trim()));
  if (!alternatives.every((alternative) => alternative !== undefined)) return undefined;
  const intervals = alternatives.flat();
  ranges.set(text, intervals);
  return intervals;
};

/** @returns the range, or undefined if it is invalid */
export const readVersionRange = (text: string): VersionRange | undefined => {
  const intervals = readIntervals(text);
  return intervals && ((version) => intervals.some((interval) => isWithin(interval, version)));
};

const readAlternative = (text: string): readonly Interval[] | undefined => {
  if (text === '') return undefined;
  const words = [...text.matchAll(/(>=|<=|==|!=|>|<|=|!)?\s*([^\s<>=!]+)\s*/g)];
  const isWhole = words.reduce((length, [word]) => length + word.length, 0) === text.length;
  const comparators = words.map(([, operator = '=', version = '']) => readComparator(operator, version));
  if (isWhole && comparators.every((comparator) => comparator !== undefined)) return comparators.reduce(intersectIntervals);
  return readWithLibrary(text);
};

const readWithLibrary = (text: string): readonly Interval[] | undefined => {
  try {
    return new SemverRange(text, { includePrerelease: true }).set.flatMap((all) => all.map(intervalsOf).reduce(intersectIntervals));
  } catch {
    return undefined; // the library throws for an invalid range
  }
};

const ALL_VERSIONS: readonly Interval[] = [{}];

const intervalsOf = ({ operator, semver: version }: Comparator): readonly Interval[] => {
  // A comparator without a version matches every version.
  if (!(version instanceof SemVer)) return ALL_VERSIONS;
  switch (operator) {
    case '>':
      return [{ from: { version, isInclusive: false } }];
    case '>=':
      return [{ from: { version, isInclusive: true } }];
    case '<':
      return [{ to: { version, isInclusive: false } }];
    case '<=':
      return [{ to: { version, isInclusive: true } }];
    default:
      return [{ from: { version, isInclusive: true }, to: { version, isInclusive: true } }];
  }
};

/** A version in a comparator covers all versions from `low` up to, but not including, `high`; a complete version has no `high`. */
const readComparator = (operator: string, text: string): readonly Interval[] | undefined => {
  const [low, high] = boundsOf(text);
  if (!low || high === null) return undefined;
  const begin = { version: low, isInclusive: true };
  const before: Interval = { to: { version: low, isInclusive: false } };
  const end = high ? { version: high, isInclusive: false } : begin;
  const beyond: Interval = { from: { version: end.version, isInclusive: !end.isInclusive } };
  switch (operator) {
    case '>':
      return [beyond];
    case '>=':
      return [{ from: begin }];
    case '<':
      return [before];
    case '<=':
      return [{ to: end }];
    case '!':
    case '!=':
      return [before, beyond];
    default:
      return [{ from: begin, to: end }];
  }
};

const boundsOf = (text: string): readonly [low: SemVer | null | undefined, high?: SemVer | null] => {
  const [, major, minor] = /^(\d+)\.(?:(\d+)\.x|x(?:\.x)?)$/.exec(text) ?? [];
  if (major === undefined) return [readVersion(text)];
  return minor === undefined
    ? [parse(`${major}.0.0`), parse(`${Number(major) + 1}.0.0`)]
    : [parse(`${major}.${minor}.0`), parse(`${major}.${Number(minor) + 1}.0`)];
};
