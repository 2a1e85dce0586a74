import { foldCase } from '../../../query/fold-case.ts';
import { sortedSet } from '../../../query/order.ts';
import type { Field, Fields } from './field.ts';
import { readSelectors } from './roles.ts';
import { type HiddenSetField, hiddenSet } from './sets.ts';

/** A hidden index of the attributes in the role array `from`, to find policies by attribute. It is updated at every write. */
export const attributeIndex = (from: string): HiddenSetField => hiddenSet({ of: 'attributeIndex', from });

/** A hidden index of the keys of the maps `from`, which are ids of one kind, to find entities by them. It is updated at every write. */
export const keysOf = (...from: readonly string[]): HiddenSetField => hiddenSet({ of: 'keys', from });

/** A hidden index of the case-folded text `from`, for case-insensitive lookup; empty if `from` is unset. It is updated at every write. */
export const folded = (from: string): HiddenSetField => hiddenSet({ of: 'folded', from });

type Values = Readonly<Record<string, unknown>>;

/** The derivation of a field from a row; undefined for a field that is not derived. */
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

const cache = new WeakMap<Fields, readonly (readonly [name: string, derive: (row: Values) => unknown])[]>();

const derivationsOf = (fields: Fields) => {
  let derivations = cache.get(fields);
  if (!derivations) {
    derivations = Object.entries(fields).flatMap(([name, field]) => {
      const derive = derivationOf(field);
      return derive ? [[name, derive] as const] : [];
    });
    cache.set(fields, derivations);
  }
  return derivations;
};

/** Computes the derived fields of a row from its other fields. */
export const derivedFields = (fields: Fields, row: Values): Values => {
  const derived: Record<string, unknown> = {};
  for (const [name, derive] of derivationsOf(fields)) derived[name] = derive(row);
  return derived;
};

/** Adds the derived fields to the fields of a row. */
export const withDerived = <R extends Values>(fields: Fields, row: R): R => ({ ...row, ...derivedFields(fields, row) });

/**
 * The derived fields whose values in a row are wrong, with the correct values. A missing field, as in rows of an earlier release, is
 * equivalent to null and to the empty set.
 */
export const wrongDerivedFields = (fields: Fields, row: Values): Values =>
  Object.fromEntries(Object.entries(derivedFields(fields, row)).filter(([name, value]) => !isSameDerived(row[name], value)));

/** True if two values of a derived field are equivalent. */
export const isSameDerived = (a: unknown, b: unknown): boolean =>
  JSON.stringify(isUnset(a) ? null : a) === JSON.stringify(isUnset(b) ? null : b);

const isUnset = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);
