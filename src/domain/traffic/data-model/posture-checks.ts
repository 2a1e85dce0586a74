/** What posture checks compare, in the forms that routers read: they compare letter by letter with what endpoints report, and read ranges of their own. */
import { hexDigits } from '../../../api/posture-checks/hex.ts';
import { plainRange } from '../../../semver/plain-range.ts';

/** To routers, a system without versions is one of which no version will do. */
const ANY_VERSION = ['>=0.0.0'];

/** Ranges of versions. One that cannot be said is left out, as no version would be in it to a router. @param ranges null: any version */
export const versionRanges = (ranges: readonly string[] | null): readonly string[] =>
  ranges === null ? ANY_VERSION : ranges.flatMap((range) => plainRange(range) || []);

/** A text as it is given, in lower and in upper case, each once. */
export const caseSpellings = (text: string): readonly string[] => [...new Set([text, text.toLowerCase(), text.toUpperCase()])];

/** A MAC address bare, with colons and with hyphens, in lower and in upper case. */
export const macSpellings = (address: string): readonly string[] => {
  const bare = hexDigits(address);
  const pairs = bare.match(/../g);
  if (!pairs) return [];
  return [bare, pairs.join(':'), pairs.join('-')].flatMap((one) => [...new Set([one, one.toUpperCase()])]);
};

/** Hashes and fingerprints as bare digits, in lower and in upper case, each once. One without digits stays: to routers, no hash at all would mean any. */
export const hexSpellings = (all: readonly string[]): readonly string[] => [
  ...new Set(all.map((one) => hexDigits(one) || one).flatMap((bare) => [bare, bare.toUpperCase()])),
];
