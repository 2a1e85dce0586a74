import type SemVer from 'semver/classes/semver.js';
import compare from 'semver/functions/compare.js';

/** A bound of an interval. */
export interface VersionBound {
  readonly version: SemVer;
  /** True if the interval includes this version. */
  readonly isInclusive: boolean;
}

/** The versions between two bounds; if a bound is missing, the interval is unbounded on that side. */
export interface Interval {
  readonly from?: VersionBound;
  readonly to?: VersionBound;
}

export const isWithin = ({ from, to }: Interval, version: SemVer): boolean => isAfter(from, version) && isBefore(to, version);

const isAfter = (from: VersionBound | undefined, version: SemVer): boolean => {
  const order = from ? compare(version, from.version) : 1;
  return order > 0 || (order === 0 && from?.isInclusive === true);
};
const isBefore = (to: VersionBound | undefined, version: SemVer): boolean => {
  const order = to ? compare(version, to.version) : -1;
  return order < 0 || (order === 0 && to?.isInclusive === true);
};

/**
 * The intersection of two unions of intervals. If the intervals within each union do not overlap, the result has at most as many intervals
 * as both unions together.
 */
export const intersectIntervals = (first: readonly Interval[], second: readonly Interval[]): readonly Interval[] =>
  first.flatMap((a) => second.flatMap((b) => overlap(a, b)));

const overlap = (a: Interval, b: Interval): readonly Interval[] => {
  const from = stricter(a.from, b.from, 1);
  const to = stricter(a.to, b.to, -1);
  const order = from && to ? compare(from.version, to.version) : -1;
  return order < 0 || (order === 0 && from?.isInclusive && to?.isInclusive) ? [{ ...(from && { from }), ...(to && { to }) }] : [];
};

/** @param side 1: returns the later of two lower bounds; -1: the earlier of two upper bounds */
const stricter = (a: VersionBound | undefined, b: VersionBound | undefined, side: 1 | -1): VersionBound | undefined => {
  if (!a || !b) return a ?? b;
  const order = compare(a.version, b.version) * side;
  return order > 0 || (order === 0 && !a.isInclusive) ? a : b;
};
