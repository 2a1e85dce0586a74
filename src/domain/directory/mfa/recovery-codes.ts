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

/** The index of a code in the list. Compared with every code in constant time, so that timing does not reveal the index. */
export const indexOfCode = (codes: readonly string[], code: string): number | undefined => {
  const given = toBytes(code);
  const indexes = codes.flatMap((each, index) => (isEqual(given, toBytes(each)) ? [index] : []));
  return indexes[0];
};
