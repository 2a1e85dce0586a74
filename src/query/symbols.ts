/** The symbols of a kind: the names that filters may use (docs/filters.md), and what each stands for. */
import type { FieldRef, FieldType, Predicate } from './predicate.ts';

export interface Symbols {
  readonly kind: string;
  find(name: string): FilterSymbol | undefined;
  /** All names, as a list answers them in `meta.filterableFields`. */
  readonly names: readonly string[];
}

/**
 * - `field`: a single-valued field.
 * - `set`: a set of texts. One that is `withheld` must be known but can't be probed: it counts as empty.
 * - `references`: a set of ids of another kind, whose fields a subquery may ask for.
 * - `tags`: the names `tags.<name>`, each of which is a field; or, where they are `withheld`, a secret that matches nothing.
 * - `secret`: a name that must be known but can't be probed. It takes the operators of its type, but only equality can
 *   ever match, by `matches` (say, by a hash of the value); without that nothing does. It can't be sorted by.
 */
export type FilterSymbol =
  | { readonly is: 'field'; readonly field: FieldRef; readonly sortable: boolean }
  | { readonly is: 'set'; readonly set: string; readonly withheld?: true }
  | { readonly is: 'references'; readonly set: string; readonly target: () => Symbols }
  | { readonly is: 'tags'; readonly withheld?: true }
  | { readonly is: 'secret'; readonly type: FieldType; readonly matches?: (value: string) => Predicate };

/** The symbols of some kinds: `SymbolOf<'set' | 'references'>`. */
export type SymbolOf<Is extends FilterSymbol['is'] = FilterSymbol['is']> = Extract<FilterSymbol, { readonly is: Is }>;

/**
 * The symbols of a kind from a table of them.
 *
 * @example symbolsOf('ca', { name: fieldSymbol('string', 'name'), verificationToken: { is: 'secret', type: 'string' }, tags: { is: 'tags' } })
 */
export const symbolsOf = (kind: string, table: Readonly<Record<string, FilterSymbol>>): Symbols => {
  const byName = new Map(Object.entries(table)); // a plain object would also know 'constructor'
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

/** The names that mean the same thing in both kinds, as `inner` has them: a subquery may only use these. */
export const shared = (outer: Symbols, inner: Symbols): Symbols => {
  const find = (name: string): FilterSymbol | undefined => {
    const here = outer.find(name);
    const there = inner.find(name);
    if (here?.is === 'tags' && there?.is === 'tags') return there;
    return here?.is === 'field' && there?.is === 'field' && here.field.type === there.field.type ? there : undefined;
  };
  return { kind: inner.kind, find, names: inner.names.filter((name) => find(name) !== undefined) };
};
