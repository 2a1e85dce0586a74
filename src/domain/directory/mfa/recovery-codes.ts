import { isEqual, toBytes } from '../../../platform/password-hasher.ts';
import type { Random } from '../../../platform/platform.ts';
import { randomBase32 } from './totp.ts';

const COUNT = 20;
const LENGTH = 6;

/** Twenty codes, no two the same. */
export const newRecoveryCodes = (random: Pick<Random, 'bytes'>): readonly string[] => {
  const codes = new Set<string>();
  while (codes.size < COUNT) codes.add(randomBase32(random, LENGTH));
  return [...codes];
};

/** Where in the list the code stands. It is compared with all of them, wherever it stands, so that the time tells nothing. */
export const placeOfCode = (codes: readonly string[], code: string): number | undefined => {
  const given = toBytes(code);
  const places = codes.flatMap((each, place) => (isEqual(given, toBytes(each)) ? [place] : []));
  return places[0];
};
