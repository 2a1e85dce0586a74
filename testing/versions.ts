import { readVersion, readVersionRange } from '../src/query/semver/range.ts';

/**
 * Finds a version that is in at least one range of each list; an empty list allows any version. The candidates are the versions in the
 * ranges, and the next patch, minor and major version after each.
 * @throws TypeError if no candidate matches
 */
export const versionIn = (lists: readonly (readonly string[])[]): string => {
  const constraints = lists.filter((ranges) => ranges.length > 0);
  const found = [...constraints.flat().flatMap(versionsAround), '1.0.0', '0.0.0'].find((text) => {
    const version = readVersion(text);
    return version !== undefined && constraints.every((ranges) => ranges.some((range) => readVersionRange(range)?.(version)));
  });
  if (found === undefined)
    throw new TypeError(
      `found no version in ${constraints.map((ranges) => ranges.join(' or ')).join(' and in ')}: report one with postureResponses.create`,
    );
  return found;
};

const NAMED = /(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?(-[0-9A-Za-z.-]+)?/g;

const versionsAround = (range: string): readonly string[] =>
  [...range.matchAll(NAMED)].flatMap(([, ...[major, minor, patch, prerelease = '']]) => {
    const [a = 0, b = 0, c = 0] = [major, minor, patch].map((part) => Number(part === 'x' ? 0 : (part ?? 0)));
    return [`${a}.${b}.${c}${prerelease}`, `${a}.${b}.${c}`, `${a}.${b}.${c + 1}`, `${a}.${b + 1}.0`, `${a + 1}.0.0`];
  });
