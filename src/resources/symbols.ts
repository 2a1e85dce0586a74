import * as z from 'zod';
import { fieldType } from '../api/kit/field.ts';
import type { Operation } from '../api/kit/operation.ts';
import type { Kind } from '../api/kit/resource.ts';
import { surfaces } from '../api/surfaces/index.ts';
import { type Grant, OWN_RIGHT } from '../call/grant.ts';
import { equals, type FilterSymbol, fieldSymbol, type Symbols, stringField, symbolsOf } from '../query/index.ts';
import { hashToken } from '../tokens/opaque.ts';
import { kindOf } from './kinds.ts';

const ID = fieldSymbol('string', 'id');
const base: Readonly<Record<string, FilterSymbol>> = {
  id: ID,
  createdAt: fieldSymbol('date', 'createdAt'),
  updatedAt: fieldSymbol('date', 'updatedAt'),
  isSystem: fieldSymbol('boolean', 'isSystem'),
  tags: { is: 'tags' },
};

const known = new WeakMap<Kind, Symbols>();

/** The symbols of a kind: the base fields, the fields that its table marks, and its own further symbols. */
export const symbolsFor = (kind: Kind): Symbols => {
  let symbols = known.get(kind);
  if (!symbols) known.set(kind, (symbols = symbolsOf(kind.kind, { ...base, ...fieldSymbols(kind), ...furtherSymbols(kind) })));
  return symbols;
};

const narrowed = new WeakMap<Operation, Symbols>();

/**
 * The symbols of a list. A list of the client API evaluates only conditions on what it shows: other stored fields are accepted by name, because
 * existing clients use them, but treated like secrets, and so are tags where no session is needed; of the entities in a set, only the id is queryable. For delegated callers a secret matches nothing,
 * so that the right to read does not reveal whether a guess of a token is right.
 */
export const symbolsOfList = (kind: Kind, operation: Operation, { isDelegated }: Pick<Grant, 'isDelegated'> = OWN_RIGHT): Symbols => {
  const { answer } = operation;
  const symbols = isDelegated ? guessless(symbolsFor(kind)) : symbolsFor(kind);
  if (!operation.surfaces.includes(surfaces.client) || answer.is !== 'page') return symbols;
  let known = narrowed.get(operation);
  if (!known) {
    const { item } = answer;
    const shown = (name: string): FilterSymbol =>
      name === 'tags' && operation.permission === 'open'
        ? { is: 'tags', withheld: true }
        : shownOnly(symbols.find(name), isShown(kind, name, item));
    const table = symbols.names.map((name) => [name, shown(name)] as const);
    narrowed.set(operation, (known = symbolsOf(kind.kind, Object.fromEntries(table))));
  }
  return known;
};

const withoutGuesses = new WeakMap<Symbols, Symbols>();

/** The same symbols, but secrets match nothing. */
const guessless = (symbols: Symbols): Symbols => {
  let narrower = withoutGuesses.get(symbols);
  if (!narrower) {
    const table = symbols.names.flatMap((name): [string, FilterSymbol][] => {
      const symbol = symbols.find(name);
      if (!symbol) return [];
      return [[name, symbol.is === 'secret' ? { is: 'secret', type: symbol.type } : symbol]];
    });
    withoutGuesses.set(symbols, (narrower = symbolsOf(symbols.kind, Object.fromEntries(table))));
  }
  return narrower;
};

const shownOnly = (symbol: FilterSymbol | undefined, shown: boolean): FilterSymbol => {
  if (symbol === undefined) throw new TypeError('a name without a symbol');
  if (shown && symbol.is === 'references') return { ...symbol, target: () => symbolsOf(symbol.target().kind, { id: ID }) };
  if (shown || symbol.is === 'secret' || symbol.is === 'tags') return symbol;
  return symbol.is === 'field' ? { is: 'secret', type: symbol.field.type } : { is: 'set', set: symbol.set, withheld: true };
};

/** True if a list of these items shows the value of a symbol. The base fields of every kind are always queryable. */
const isShown = (kind: Kind, name: string, item: z.ZodType): boolean => {
  if (Object.hasOwn(base, name)) return true;
  return wayTo(kind, name).reduce<z.ZodType | undefined>(property, item) !== undefined;
};

/** Where an answer shows it: what a symbol of another name stands for, or names after dots. */
const wayTo = (kind: Kind, name: string): readonly string[] => {
  const symbol = kind.symbols?.[name];
  if (symbol) return 'path' in symbol ? symbol.path.split('.') : 'computed' in symbol ? [symbol.shownAs] : [name];
  const [field] = Object.entries(kind.fields).find(([key, { filter }]) => (filter === true ? key : filter) === name) ?? [name];
  return kind.fields[field]?.keep === 'hidden' ? name.split('.') : [field];
};

/** A property of an object; undefined if there is none, or if it is always null. */
const property = (schema: z.ZodType | undefined, name: string): z.ZodType | undefined => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return property(schema.unwrap() as z.ZodType, name); // of a schema of zod's
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, name)) return undefined;
  return schema.shape[name] instanceof z.ZodNull ? undefined : schema.shape[name];
};

const fieldSymbols = (kind: Kind): Record<string, FilterSymbol> => {
  const table: Record<string, FilterSymbol> = {};
  for (const [key, field] of Object.entries(kind.fields)) {
    if (!field.filter) continue;
    const type = fieldType(field.schema);
    const { set } = field;
    const target = set?.of === 'references' ? kindOf(set.target) : undefined;
    table[field.filter === true ? key : field.filter] = target
      ? { is: 'references', set: key, target: () => symbolsFor(target) }
      : set
        ? { is: 'set', set: key }
        : fieldSymbol(type === 'tag' ? 'string' : type, key);
  }
  return table;
};

const furtherSymbols = (kind: Kind): Record<string, FilterSymbol> =>
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

/** The kind that a role array selects from. */
const selectedKind = (kind: Kind, field: string): Kind => {
  const set = kind.fields[field]?.set;
  const target = set?.of === 'selectors' ? kindOf(set.target) : undefined;
  if (!target) throw new TypeError(`${kind.kind}.${field} is no role array of entities of a kind`);
  return target;
};
