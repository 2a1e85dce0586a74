import type { Interval, VersionBound } from './interval.ts';
import { readIntervals } from './range.ts';

/**
 * Converts a range to an equivalent one that all routers can parse (blang/semver 3.5): only comparators with complete versions, and ` || `
 * between alternatives.
 * @returns e.g. `>=10.0.0 <11.0.0 || >=12.0.0`; empty if no version matches; undefined if the range is invalid or has no equivalent
 */
export const plainRange = (text: string): string | undefined => {
  const intervals = readIntervals(text);
  if (!intervals || intervals.some(({ from, to }) => isInexpressible(from) || isInexpressible(to))) return undefined;
  return intervals.map(comparatorsOf).join(' || ');
};

/** The library that routers use treats an `x` anywhere in a comparator as a wildcard. */
const isInexpressible = (bound: VersionBound | undefined): boolean => bound?.version.version.includes('x') === true;

const LOWEST_VERSION = '0.0.0-0';

const comparatorsOf = ({ from, to }: Interval): string => {
  if (from?.isInclusive && to?.isInclusive && from.version.compare(to.version) === 0) return from.version.version;
  const [begin, end] = [
    from && `>${from.isInclusive ? '=' : ''}${from.version.version}`,
    to && `<${to.isInclusive ? '=' : ''}${to.version.version}`,
  ];
  return [begin, end].filter(Boolean).join(' ') || `>=${LOWEST_VERSION}`;
};
