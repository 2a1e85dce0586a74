import { foldCase } from '../../query/fold-case.ts';
import { sortedSet } from '../../query/order.ts';
import type { Field } from './field.ts';
import { readSelectors } from './roles.ts';
import { type HiddenSetField, hiddenSet } from './sets.ts';

/** A hidden index of the attributes in the role array `from`, to find policies by attribute. Every write updates it. */
export const attributeIndex = (from: string): HiddenSetField => hiddenSet({ of: 'attributeIndex', from });

/** A hidden index of the keys of the maps `from`, which are ids of one kind, to find entities by them. Every write updates it. */
export const keysOf = (...from: readonly string[]): HiddenSetField => hiddenSet({ of: 'keys', from });

/** A hidden index of the case-folded text `from`, for case-insensitive lookup; empty if `from` is unset. Every write updates it. */
export const folded = (from: string): HiddenSetField => hiddenSet({ of: 'folded', from });

/** Adds the derived fields (`attributeIndex`, `keysOf`, `folded` and `derivedFrom`) to the fields of a row. */
export const withDerived = <R extends Readonly<Record<string, unknown>>>(fields: Readonly<Record<string, Field>>, row: R): R => {
  const derived: Record<string, unknown> = {};
  for (const name in fields) {
    const { set, derivedFrom } = fields[name] ?? {};
    // Role arrays are lists of texts, and maps are objects.
    if (set?.of === 'attributeIndex') derived[name] = sortedSet(readSelectors((row[set.from] ?? []) as readonly string[]).attributes);
    else if (set?.of === 'keys') derived[name] = sortedSet(set.from.flatMap((map) => Object.keys((row[map] ?? {}) as object)));
    else if (set?.of === 'folded') {
      const text = row[set.from];
      derived[name] = typeof text === 'string' ? [foldCase(text)] : [];
    } else if (derivedFrom) derived[name] = derivedFrom(row);
  }
  return { ...row, ...derived };
};
