/** Resolves the names in a filter, and rejects names that are unknown or have the wrong type for their position. */
import { FilterError, shownText } from './errors.ts';
import type { SymbolOf, Symbols } from './symbols.ts';
import type { Name } from './tree.ts';

export const findSingle = (name: Name, symbols: Symbols): SymbolOf<'field' | 'secret'> => {
  const symbol = find(name, symbols);
  if (symbol.is === 'field' || symbol.is === 'secret') return symbol;
  throw nameError(name, symbol.is === 'tags' ? 'requires a name, as in tags.site' : 'is a set: use it in anyOf, allOf, isEmpty or count');
};

export const findSet = (name: Name, symbols: Symbols): SymbolOf<'set' | 'references'> => {
  const symbol = find(name, symbols);
  if (symbol.is === 'set' || symbol.is === 'references') return symbol;
  throw nameError(name, 'is not a set, as anyOf, allOf, isEmpty and count require');
};

export const findReferences = (name: Name, symbols: Symbols): SymbolOf<'references'> => {
  const symbol = find(name, symbols);
  if (symbol.is === 'references') return symbol;
  throw nameError(name, "is not a set of references to other entities, as 'from' requires");
};

export const findSortable = (name: Name, symbols: Symbols): SymbolOf<'field'> => {
  const symbol = find(name, symbols);
  if (symbol.is === 'field' && symbol.sortable) return symbol;
  throw nameError(name, 'cannot be sorted by');
};

/** The error for a name that cannot be used in its position. */
export const nameError = (name: Name, reason: string): FilterError => new FilterError(`${shownText(name.text)} ${reason}`, name.at + 1);

/** Resolves a name. `tags.<name>` is a field: everything after the first dot, including further dots, is the tag's name. */
const find = (name: Name, symbols: Symbols): SymbolOf => {
  const symbol = symbols.find(name.text);
  if (symbol !== undefined) return symbol;
  const tags = symbols.find('tags');
  if (name.text.startsWith('tags.') && tags?.is === 'tags') {
    if (tags.withheld) return { is: 'secret', type: 'tag' };
    return { is: 'field', field: { path: ['tags', name.text.slice('tags.'.length)], type: 'tag' }, sortable: false };
  }
  throw nameError(
    name,
    `is unknown here; there are ${symbols.names.map((known) => (known === 'tags' ? 'tags.<name>' : known)).join(', ')}`,
  );
};
