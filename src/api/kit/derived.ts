import { foldCase } from '../../query/fold-case.ts';
import { sortedSet } from '../../query/order.ts';
import type { Field, Fields } from './field.ts';
import { readSelectors } from './roles.ts';
import { type HiddenSetField, hiddenSet } from './sets.ts';

/** A hidden index of the attributes in the role array `from`, to find policies by attribute. Every write updates it. */
export const attributeIndex = (from: string): HiddenSetField => hiddenSet({ of: 'attributeIndex', from });

/** A hidden index of the keys of the maps `from`, which are ids of one kind, to find entities by them. Every write updates it. */
export const keysOf = (...from: readonly string[]): HiddenSetField => hiddenSet({ of: 'keys', from });

/** A hidden index of the case-folded text `from`, for case-insensitive lookup; empty if `from` is unset. Every write updates it. */
export const folded = (from: string): HiddenSetField => hiddenSet({ of: 'folded', from });

type Values = Readonly<Record<string, unknown>>;

/** How a field is derived from a row; undefined for a field that is not derived. */
const derivationOf = ({ set, derivedFrom }: Field): ((row: Values) => unknown) | undefined => {
  // Role arrays are lists of texts, and maps are objects.
  if (set?.of === 'attributeIndex') return (row) => sortedSet(readSelectors((row[set.from] ?? []) as readonly string[]).attributes);
  if (set?.of === 'keys') return (row) => sortedSet(set.from.flatMap((map) => Object.keys((row[map] ?? {}) as object)));
  if (set?.of !== 'folded') return derivedFrom;
  return (row) => {
    const text = row[set.from];
    return typeof text === 'string' ? [foldCase(text)] : [];
  };
};

/** True for a field that is computed from others at every write: `attributeIndex`, `keysOf`, `folded` and `derivedFrom`. */
export const isDerived = (field: Field): boolean => derivationOf(field) !== undefined;

const derivationsOf = (fields: Fields) => {
  let derivations = known.get(fields);
  if (!derivations) {
    derivations = Object.entries(fields).flatMap(([name, field]) => {
      const derive = derivationOf(field);
      return derive ? [[name, derive] as const] : [];
    });
    known.set(fields, derivations);
  }
  return derivations;
};
const known = new WeakMap<Fields, readonly (readonly [name: string, derive: (row: Values) => unknown])[]>();

/** The derived fields of a row, as they follow from its other fields. */
export const derivedFields = (fields: Fields, row: Values): Values => {
  const derived: Record<string, unknown> = {};
  for (const [name, derive] of derivationsOf(fields)) derived[name] = derive(row);
  return derived;
};

/** Adds the derived fields to the fields of a row. */
export const withDerived = <R extends Values>(fields: Fields, row: R): R => ({ ...row, ...derivedFields(fields, row) });

/**
 * The derived fields of a row that do not follow from its other fields, with the values that do: null and the empty set also follow from a field that is
 * missing, as in rows of an earlier release.
 */
export const wrongDerivedFields = (fields: Fields, row: Values): Values =>
  Object.fromEntries(Object.entries(derivedFields(fields, row)).filter(([name, value]) => !isSameDerived(row[name], value)));

/** True if two values of a derived field say the same. */
export const isSameDerived = (a: unknown, b: unknown): boolean =>
  JSON.stringify(isNothing(a) ? null : a) === JSON.stringify(isNothing(b) ? null : b);

const isNothing = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);
