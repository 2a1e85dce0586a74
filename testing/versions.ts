import { readVersion, readVersionRange } from '../src/semver/range.ts';

/**
 * A version that is in one range of each list; an empty list takes any version. It is one that the ranges name, or the patch, minor or major version
 * after one.
 * @throws TypeError if none of these is
 */
export const versionIn = (lists: readonly (readonly string[])[]): string => {
  const needed = lists.filter((ranges) => ranges.length > 0);
  const found = [...needed.flat().flatMap(versionsAround), '1.0.0', '0.0.0'].find((text) => {
    const version = readVersion(text);
    return version !== undefined && needed.every((ranges) => ranges.some((range) => readVersionRange(range)?.(version)));
  });
  if (found === undefined)
    throw new TypeError(
      `found no version in ${needed.map((ranges) => ranges.join(' or ')).join(' and in ')}: report one with postureResponses.create`,
    );
  return found;
};

const NAMED = /(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?(-[0-9A-Za-z.-]+)?/g;

const versionsAround = (range: string): readonly string[] =>
  [...range.matchAll(NAMED)].flatMap(([, ...[major, minor, patch, prerelease = '']]) => {
    const [a = 0, b = 0, c = 0] = [major, minor, patch].map((part) => Number(part === 'x' ? 0 : (part ?? 0)));
    return [`${a}.${b}.${c}${prerelease}`, `${a}.${b}.${c}`, `${a}.${b}.${c + 1}`, `${a}.${b + 1}.0`, `${a + 1}.0.0`];
  });
