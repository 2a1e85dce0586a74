/** Code that the mappings of several kinds share. */
import { EVERYTHING, idOfSelector } from '../../src/contract/api/kit/roles.ts';
import { readPem, writePem } from '../../src/crypto/pki/pem.ts';
import { sortedSet } from '../../src/query/order.ts';
import { isoTime } from '../../src/runtime/platform/clock.ts';
import type { Adopting } from './mapping.ts';

export const isoOf = (date: Date): string => isoTime(date.getTime());
export const isoOrNull = (date: Date | null): string | null => date && isoOf(date);

export const textOrNull = (text: string | null): string | null => (text === null || text.trim() === '' ? null : text);

const MAX_COST = 65_535;

/** A cost within the bounds of this controller. */
export const costWithin = (cost: number, field: string, { lose }: Pick<Adopting, 'lose'>): number => {
  const within = Math.min(Math.max(Math.trunc(cost), 0), MAX_COST);
  if (within !== cost) lose('bounds', `${field} ${cost} becomes ${within}`);
  return within;
};

const PRECEDENCES = ['default', 'required', 'failed'] as const;

/** The name of a precedence, which the former controller keeps as a number. */
export const precedenceOf = (number: number): (typeof PRECEDENCES)[number] => PRECEDENCES[number] ?? 'default';

/** The ids that are known, in order, without duplicates; others are lost. */
export const knownIds = (
  ids: readonly string[],
  known: { has(id: string): boolean },
  what: string,
  { lose }: Pick<Adopting, 'lose'>,
): readonly string[] => {
  const missing = ids.filter((id) => !known.has(id));
  for (const id of missing) lose('dangling', `there is no ${what} ${id}`);
  return sortedSet(missing.length === 0 ? ids : ids.filter((id) => known.has(id)));
};

/**
 * Reports a reference to an entity that is not adopted.
 * @param what its kind, in words
 */
export const loseReference = (id: string, what: string, { lose, known }: Pick<Adopting, 'lose' | 'known'>): void => {
  if (known.fabricServices.has(id)) lose('fabric-only', `the service ${id} is known only to the fabric`);
  else lose('dangling', `there is no ${what} ${id}`);
};

const isSelector = (role: string): boolean => role.startsWith('#') || role.startsWith('@');

/** A role array without the entities that are not known. */
export const knownSelectors = (
  roles: readonly string[],
  known: { has(id: string): boolean },
  what: string,
  adopting: Pick<Adopting, 'lose' | 'known'>,
): readonly string[] => {
  if (roles.length === 1 && roles[0] === EVERYTHING) return [EVERYTHING];
  if (!roles.every(isSelector)) adopting.lose('limits', 'a role begins with neither # nor @, and selects nothing');
  const kept = roles.filter((role) => {
    const id = idOfSelector(role);
    const isKnown = id === undefined || known.has(id);
    if (!isKnown) loseReference(id, what, adopting);
    return isKnown;
  });
  return sortedSet(kept);
};

/** The certificates of a PEM text, each in the form in which this controller stores it; none if it cannot be read. */
export const certificatesIn = (pem: string): readonly { readonly pem: string; readonly der: Uint8Array }[] => {
  const { value = [] } = readPem(pem, { labels: ['CERTIFICATE'], maxBlocks: 20 });
  return value.map((der) => ({ pem: writePem('CERTIFICATE', der), der }));
};

/** A map as an object, which no key can harm. */
export const objectOf = <V>(entries: Iterable<readonly [string, V]>): Readonly<Record<string, V>> => Object.fromEntries(entries);
