/** Sort keys, from the `sort` parameter or from `sort by` in a filter, bound to the symbols of a kind. */
import { FilterError, SortError } from './errors.ts';
import { findSortable } from './lookup.ts';
import { parseSort } from './parse.ts';
import type { SortKey } from './predicate.ts';
import type { Symbols } from './symbols.ts';
import type { SortItem } from './tree.ts';

/**
 * Parses and binds the `sort` parameter.
 *
 * @throws SortError
 * @example readSort('isAdmin desc, name', identitySymbols)
 */
export const readSort = (text: string, symbols: Symbols): readonly SortKey[] => {
  try {
    return bindSort(parseSort(text), symbols);
  } catch (error) {
    throw error instanceof FilterError ? new SortError(error.message, { cause: error }) : error;
  }
};

/**
 * Binds parsed sort keys. Keys without effect are dropped: repeated fields, and all keys after the unique `id`.
 *
 * @throws FilterError for a name that is unknown or cannot be sorted by: sets, tags, secrets.
 */
export const bindSort = (items: readonly SortItem[], symbols: Symbols): readonly SortKey[] => {
  const keys = new Map<string, SortKey>();
  for (const { name, descending } of items) {
    const { field } = findSortable(name, symbols);
    if (!keys.has(name.text) && !keys.has('id')) keys.set(name.text, { field, descending });
  }
  return [...keys.values()];
};
