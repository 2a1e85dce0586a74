import { foldCase } from '../../query/fold-case.ts';
import { sortedSet } from '../../query/order.ts';
import type { Field } from './field.ts';
import { readSelectors } from './roles.ts';
import { type HiddenSetField, hiddenSet } from './sets.ts';

/** The attributes that the role array `from` names: kept beside it by every write, so that policies are found by them. */
export const attributeIndex = (from: string): HiddenSetField => hiddenSet({ of: 'attributeIndex', from });

/** The ids that are keys of the maps `from`, which are of one kind: kept beside them by every write, so that entities are found by them. */
export const keysOf = (...from: readonly string[]): HiddenSetField => hiddenSet({ of: 'keys', from });

/** The text `from` as `foldCase` has it, if there is one: kept beside it by every write, so that entities are found by it case-insensitively. */
export const folded = (from: string): HiddenSetField => hiddenSet({ of: 'folded', from });

/** The fields of a row with those that follow from others: what `attributeIndex`, `keysOf` and `folded` say. */
export const withDerived = <R extends Readonly<Record<string, unknown>>>(fields: Readonly<Record<string, Field>>, row: R): R => {
  const derived: Record<string, readonly string[]> = {};
  for (const name in fields) {
    const set = fields[name]?.set;
    // Role arrays are lists of texts, and maps are objects.
    if (set?.of === 'attributeIndex') derived[name] = sortedSet(readSelectors((row[set.from] ?? []) as readonly string[]).attributes);
    else if (set?.of === 'keys') derived[name] = sortedSet(set.from.flatMap((map) => Object.keys((row[map] ?? {}) as object)));
    else if (set?.of === 'folded') {
      const text = row[set.from];
      derived[name] = typeof text === 'string' ? [foldCase(text)] : [];
    }
  }
  return { ...row, ...derived };
};
