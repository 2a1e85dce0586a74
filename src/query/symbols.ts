/** The symbols of a kind: the names that filters may use (docs/filters.md), and the meaning of each. */
import type { FieldRef, FieldType, Predicate } from './predicate.ts';

export interface Symbols {
  readonly kind: string;
  find(name: string): FilterSymbol | undefined;
  /** All names, as lists report them in `meta.filterableFields`. */
  readonly names: readonly string[];
}

/**
 * - `field`: a single-valued field.
 * - `set`: a set of texts. If it is `withheld`, its name is valid, but it is treated as empty, so that it cannot be probed.
 * - `references`: a set of ids of another kind, whose fields a subquery may use.
 * - `tags`: the names `tags.<name>`, each of which is a field or, if `withheld`, a secret that matches nothing.
 * - `secret`: a name that is valid but cannot be probed. It supports the operators of its type, but only equality can
 *   match, through `matches` (e.g. by a hash of the value); without `matches`, nothing does. It is not sortable.
 */
export type FilterSymbol =
  | {
      readonly is: 'field';
      readonly field: FieldRef;
      readonly sortable: boolean;
      /** For a field of strings: numbers that filters may contain in place of its values, by value. */
      readonly numbers?: Readonly<Record<string, number>> | undefined;
    }
  | { readonly is: 'set'; readonly set: string; readonly withheld?: true }
  | { readonly is: 'references'; readonly set: string; readonly target: () => Symbols }
  | { readonly is: 'tags'; readonly withheld?: true }
  | { readonly is: 'secret'; readonly type: FieldType; readonly matches?: (value: string) => Predicate };

/** Symbols with one of these discriminators: `SymbolOf<'set' | 'references'>`. */
export type SymbolOf<Is extends FilterSymbol['is'] = FilterSymbol['is']> = Extract<FilterSymbol, { readonly is: Is }>;

/**
 * Creates the symbols of a kind from a table.
 *
 * @example symbolsOf('ca', { name: fieldSymbol('string', 'name'), verificationToken: { is: 'secret', type: 'string' } })
 */
export const symbolsOf = (kind: string, table: Readonly<Record<string, FilterSymbol>>): Symbols => {
  const byName = new Map(Object.entries(table)); // a plain object would also contain 'constructor'
  return { kind, find: (name) => byName.get(name), names: [...byName.keys()] };
};

/** A single-valued field at a path of the row's document. */
export const fieldSymbol = (type: Exclude<FieldType, 'tag'>, ...path: readonly [string, ...string[]]): FilterSymbol => ({
  is: 'field',
  field: { path, type },
  sortable: true,
});

/** Fields at the top of a document, each under its own name, by their types. */
export const fieldSymbols = (types: Readonly<Record<string, Exclude<FieldType, 'tag'>>>): Readonly<Record<string, FilterSymbol>> =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, fieldSymbol(type, name)]));

/** The symbols of `inner` whose names have the same meaning in `outer`: a subquery may use only these. */
export const sharedSymbols = (outer: Symbols, inner: Symbols): Symbols => {
  const find = (name: string): FilterSymbol | undefined => {
    const outerSymbol = outer.find(name);
    const innerSymbol = inner.find(name);
    if (outerSymbol?.is === 'tags' && innerSymbol?.is === 'tags') return innerSymbol;
    return outerSymbol?.is === 'field' && innerSymbol?.is === 'field' && outerSymbol.field.type === innerSymbol.field.type
      ? innerSymbol
      : undefined;
  };
  return { kind: inner.kind, find, names: inner.names.filter((name) => find(name) !== undefined) };
};
