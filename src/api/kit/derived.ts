import type { Field } from './field.ts';
import { readSelectors } from './selectors.ts';
import { type HiddenSetField, hiddenSet, sortedSet } from './sets.ts';

/** The attributes that the role array `from` names: kept beside it by every write, so that policies are found by them. */
export const attributeIndex = (from: string): HiddenSetField => hiddenSet({ of: 'attributeIndex', from });

/** The ids that are keys of the maps `from`, which are of one kind: kept beside them by every write, so that entities are found by them. */
export const keysOf = (...from: readonly string[]): HiddenSetField => hiddenSet({ of: 'keys', from });

/** A row with its derived fields: those that `attributeIndex` and `keysOf` declare. */
export const withDerived = <R extends Readonly<Record<string, unknown>>>(fields: Readonly<Record<string, Field>>, row: R): R => {
  const derived: Record<string, readonly string[]> = {};
  for (const [name, { set }] of Object.entries(fields)) {
    // Role arrays are lists of texts, and maps are objects.
    if (set?.of === 'attributeIndex') derived[name] = sortedSet(readSelectors((row[set.from] ?? []) as readonly string[]).attributes);
    if (set?.of === 'keys') derived[name] = sortedSet(set.from.flatMap((map) => Object.keys((row[map] ?? {}) as object)));
  }
  return { ...row, ...derived };
};
