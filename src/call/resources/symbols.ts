import * as z from 'zod';
import { type Field, fieldType } from '../../contract/api/kit/field.ts';
import type { Operation } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { equals, type FilterSymbol, fieldSymbol, type Symbols, stringField, symbolsOf } from '../../query/index.ts';
import type { Grant } from '../grant.ts';
import type { Settings } from '../settings.ts';
import { kindOf } from './kinds.ts';

const ID = fieldSymbol('string', 'id');
const base: Readonly<Record<string, FilterSymbol>> = {
  id: ID,
  createdAt: fieldSymbol('date', 'createdAt'),
  updatedAt: fieldSymbol('date', 'updatedAt'),
  isSystem: fieldSymbol('boolean', 'isSystem'),
  tags: { is: 'tags' },
};

const symbolsByKind = new WeakMap<Kind, Symbols>();

/** The filter symbols of a kind: the base fields, the fields marked with `filter`, and the other symbols that it declares. */
export const symbolsFor = (kind: Kind): Symbols => {
  let symbols = symbolsByKind.get(kind);
  if (!symbols) symbolsByKind.set(kind, (symbols = symbolsOf(kind.kind, { ...base, ...fieldSymbols(kind), ...declaredSymbols(kind) })));
  return symbols;
};

/** The options that decide the filter symbols of a list, besides its kind. */
interface ListCall {
  readonly operation: Operation;
  readonly grant: Pick<Grant, 'isDelegated'>;
  readonly core: { readonly settings: Pick<Settings, 'compat'> };
}

/**
 * The filter symbols of a list. Lists of the client API evaluate only conditions on fields that they show. Filters may name other stored
 * fields, because existing clients do, but these are treated like secrets, as are tags if the operation requires no session. Of the
 * entities in a set, only the id can be queried. For delegated callers a secret matches nothing, so that the right to read does not let
 * them verify guesses of tokens. For clients of release 1.7, symbols of later releases do not exist.
 */
export const symbolsOfList = (kind: Kind, { operation, grant, core }: ListCall): Symbols => {
  let symbols = symbolsFor(kind);
  if (core.settings.compat === '1.7')
    symbols = derived(symbols, '1.7', (name, symbol) => (isNewerThan17(kind, name) ? symbolIn17(kind, name) : symbol));
  if (grant.isDelegated) symbols = derived(symbols, 'delegated', (_, symbol) => withoutMatches(symbol));
  const { answer } = operation;
  if (!operation.surfaces.includes(surfaces.client) || answer.is !== 'page') return symbols;
  const hidesTags = operation.permission === 'open';
  return derived(symbols, operation, (name, symbol) =>
    name === 'tags' && hidesTags ? { is: 'tags', withheld: true } : shownOnly(symbol, isShown(kind, name, answer.item)),
  );
};

/** True if a release after 1.7 introduced the symbol of a field. A symbol that is new has the name of its field. */
const isNewerThan17 = ({ fields, symbols = {} }: Kind, name: string): boolean => {
  const [field, symbol] = [fields[name], symbols[name]];
  return field?.since !== undefined || field?.filterableSince !== undefined || (symbol && 'filterableSince' in symbol) === true;
};

/** The symbol that release 1.7 has under a name that stands for another field since. */
const symbolIn17 = (kind: Kind, name: string): FilterSymbol | undefined => {
  const found = Object.entries(kind.fields).find(([, { filterIn17 }]) => filterIn17 === name);
  return found && valueSymbol(...found);
};

const derivedSymbols = new WeakMap<Symbols, Map<Operation | 'delegated' | '1.7', Symbols>>();

/** The symbols that a function makes of others, without those of which it makes none. Cached by its use. */
const derived = (
  symbols: Symbols,
  use: Operation | 'delegated' | '1.7',
  change: (name: string, symbol: FilterSymbol) => FilterSymbol | undefined,
): Symbols => {
  let known = derivedSymbols.get(symbols);
  if (!known) derivedSymbols.set(symbols, (known = new Map()));
  let result = known.get(use);
  if (!result) {
    const table: Record<string, FilterSymbol> = {};
    for (const name of symbols.names) {
      const symbol = symbols.find(name);
      const changed = symbol && change(name, symbol);
      if (changed) table[name] = changed;
    }
    known.set(use, (result = symbolsOf(symbols.kind, table)));
  }
  return result;
};

/** The same symbol, but a secret matches nothing. */
const withoutMatches = (symbol: FilterSymbol): FilterSymbol => (symbol.is === 'secret' ? { is: 'secret', type: symbol.type } : symbol);

/** The symbol if the list shows its value; otherwise one that evaluates no conditions. */
const shownOnly = (symbol: FilterSymbol, shown: boolean): FilterSymbol => {
  if (shown && symbol.is === 'references') return { ...symbol, target: () => symbolsOf(symbol.target().kind, { id: ID }) };
  if (shown || symbol.is === 'secret' || symbol.is === 'tags') return symbol;
  return symbol.is === 'field' ? { is: 'secret', type: symbol.field.type } : { is: 'set', set: symbol.set, withheld: true };
};

/** True if the items of a list show the value of a symbol. The base fields of every kind count as shown. */
const isShown = (kind: Kind, name: string, item: z.ZodType): boolean => {
  if (Object.hasOwn(base, name)) return true;
  return pathTo(kind, name).reduce<z.ZodType | undefined>(property, item) !== undefined;
};

/** The path in a detail to the value of a symbol. */
const pathTo = (kind: Kind, name: string): readonly string[] => {
  const symbol = kind.symbols?.[name];
  if (symbol) return 'path' in symbol ? symbol.path.split('.') : 'computed' in symbol ? [symbol.shownAs] : [name];
  const [field] = Object.entries(kind.fields).find(([key, { filter }]) => (filter === true ? key : filter) === name) ?? [name];
  return kind.fields[field]?.keep === 'hidden' ? name.split('.') : [field];
};

/** The schema of a property; undefined if the schema has no such property, or if it is always null. */
const property = (schema: z.ZodType | undefined, name: string): z.ZodType | undefined => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return property(schema.unwrap() as z.ZodType, name); // always a zod schema
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, name)) return undefined;
  return schema.shape[name] instanceof z.ZodNull ? undefined : schema.shape[name];
};

const fieldSymbols = (kind: Kind): Record<string, FilterSymbol> => {
  const table: Record<string, FilterSymbol> = {};
  for (const [key, field] of Object.entries(kind.fields)) {
    if (!field.filter) continue;
    const { set } = field;
    const target = set?.of === 'references' ? kindOf(set.target) : undefined;
    table[field.filter === true ? key : field.filter] = target
      ? { is: 'references', set: key, target: () => symbolsFor(target) }
      : set
        ? { is: 'set', set: key }
        : valueSymbol(key, field);
  }
  return table;
};

/** The symbol of a field with a single value. */
const valueSymbol = (key: string, { schema, filterNumbers }: Field): FilterSymbol => {
  const type = fieldType(schema);
  return { ...fieldSymbol(type === 'tag' ? 'string' : type, key), ...(filterNumbers && { numbers: filterNumbers }) };
};

const declaredSymbols = (kind: Kind): Record<string, FilterSymbol> =>
  Object.fromEntries(
    Object.entries(kind.symbols ?? {}).map(([name, symbol]): [string, FilterSymbol] => {
      if ('path' in symbol)
        return [name, { is: 'field', field: { path: symbol.path.split('.') as [string, ...string[]], type: symbol.type }, sortable: true }];
      if ('selectedBy' in symbol)
        return [name, { is: 'references', set: name, target: () => symbolsFor(selectedKind(kind, symbol.selectedBy)) }];
      if ('computed' in symbol) return [name, { is: 'field', field: { path: [name], type: symbol.computed }, sortable: false }];
      const { hashedAs } = symbol;
      return [
        name,
        {
          is: 'secret',
          type: symbol.secret,
          ...(hashedAs ? { matches: (value: string) => equals(stringField(hashedAs), hashToken(value)) } : {}),
        },
      ];
    }),
  );

/** The kind whose entities a role array selects. */
const selectedKind = (kind: Kind, field: string): Kind => {
  const set = kind.fields[field]?.set;
  const target = set?.of === 'selectors' ? kindOf(set.target) : undefined;
  if (!target) throw new TypeError(`${kind.kind}.${field} is not a role array of entities of a kind`);
  return target;
};
