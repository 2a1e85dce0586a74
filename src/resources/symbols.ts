import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { fieldType } from '../api/kit/field.ts';
import type { Resource } from '../api/kit/resource.ts';
import { equals, type FilterSymbol, fieldSymbol, type Symbols, symbolsOf, text } from '../query/index.ts';
import { kindOf } from './kinds.ts';

const base: Readonly<Record<string, FilterSymbol>> = {
  id: fieldSymbol('string', 'id'),
  createdAt: fieldSymbol('date', 'createdAt'),
  updatedAt: fieldSymbol('date', 'updatedAt'),
  isSystem: fieldSymbol('boolean', 'isSystem'),
  tags: { is: 'tags' },
};

const known = new WeakMap<Resource, Symbols>();

/** What the filters of a kind may name: the base fields, the fields that its table marks, and its own further symbols. */
export const symbolsFor = (kind: Resource): Symbols => {
  let symbols = known.get(kind);
  if (!symbols) known.set(kind, (symbols = symbolsOf(kind.kind, { ...base, ...fieldSymbols(kind), ...furtherSymbols(kind) })));
  return symbols;
};

const fieldSymbols = (kind: Resource): Record<string, FilterSymbol> => {
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

const furtherSymbols = (kind: Resource): Record<string, FilterSymbol> =>
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
          ...(hashedAs ? { matches: (value: string) => equals(text(hashedAs), hashToken(value)) } : {}),
        },
      ];
    }),
  );

/** The kind that a role array selects from. */
const selectedKind = (kind: Resource, field: string): Resource => {
  const set = kind.fields[field]?.set;
  const target = set?.of === 'selectors' ? kindOf(set.target) : undefined;
  if (!target) throw new TypeError(`${kind.kind}.${field} is no role array of entities of a kind`);
  return target;
};

/** SHA-256 in hex: how tokens are kept. They are random enough (122 bits) to need no salt. */
export const hashToken = (token: string): string => bytesToHex(sha256(utf8ToBytes(token)));
