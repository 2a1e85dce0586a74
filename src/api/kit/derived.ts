import { foldCase } from '../../query/fold-case.ts';
import { sortedSet } from '../../query/order.ts';
import type { Field } from './field.ts';
import { readSelectors } from './roles.ts';
import { type HiddenSetField, hiddenSet } from './sets.ts';

/** The attributes that the role array `from` names: stored with it by every write, as an index for finding policies. */
export const attributeIndex = (from: string): HiddenSetField => hiddenSet({ of: 'attributeIndex', from });

/** The ids that are keys of the maps `from`, all of one kind: stored with them by every write, as an index for finding entities. */
export const keysOf = (...from: readonly string[]): HiddenSetField => hiddenSet({ of: 'keys', from });

/** The text `from` as `foldCase` has it, if there is one: stored with it by every write, for case-insensitive lookup. */
export const folded = (from: string): HiddenSetField => hiddenSet({ of: 'folded', from });

/** Adds the derived fields (`attributeIndex`, `keysOf` and `folded`) to the fields of a row. */
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
