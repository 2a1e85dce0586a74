import type { Interval, VersionBound } from './interval.ts';
import { readIntervals } from './range.ts';

/**
 * A range in the form that all routers read (blang/semver 3.5): comparators of whole versions, and two bars between blanks. It holds for the same versions.
 * @returns `>=10.0.0 <11.0.0 || >=12.0.0`; empty where it holds for no version; undefined for what is no range, or cannot be said
 */
export const plainRange = (text: string): string | undefined => {
  const intervals = readIntervals(text);
  if (!intervals || intervals.some(({ from, to }) => isUnspeakable(from) || isUnspeakable(to))) return undefined;
  return intervals.map(comparatorsOf).join(' || ');
};

/** There, an `x` anywhere in a comparator stands for any number. */
const isUnspeakable = (bound: VersionBound | undefined): boolean => bound?.version.version.includes('x') === true;

/** The first of all versions. */
const FIRST = '0.0.0-0';

const comparatorsOf = ({ from, to }: Interval): string => {
  if (from?.isIn && to?.isIn && from.version.compare(to.version) === 0) return from.version.version;
  const [begin, end] = [from && `>${from.isIn ? '=' : ''}${from.version.version}`, to && `<${to.isIn ? '=' : ''}${to.version.version}`];
  return [begin, end].filter(Boolean).join(' ') || `>=${FIRST}`;
};
