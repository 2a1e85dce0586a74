/** The part of a comparison that follows its left side: operator and values, with the blanks that the language requires (docs/filters.md). */
import type { Cursor } from './cursor.ts';
import { FilterError } from './errors.ts';
import { type Literal, VALUE_NAMES } from './literal.ts';
import type { FilterToken } from './tokens.ts';
import type { Comparison, Operator, Subject } from './tree.ts';

/** Maximum number of values in a list. */
export const MAX_LIST_ITEMS = 1000;

type Rest = Omit<Comparison, 'is' | 'subject'>;

export const parseComparison = (cursor: Cursor, subject: Subject): Comparison => {
  const first = cursor.token;
  const rest = first.is === 'mark' ? symbolComparison(cursor) : wordComparison(cursor, first);
  return { is: 'comparison', subject, ...rest };
};

const OPERATORS = "an operator ('=', '!=', '<', '<=', '>', '>=', 'contains', 'icontains', 'in', 'between')";

const symbolComparison = (cursor: Cursor): Rest => {
  const { text, at } = cursor.token;
  if (text === '=' || text === '!=') {
    cursor.take();
    return { operator: '=', negated: text === '!=', values: [value(cursor, 'string', 'number', 'date', 'boolean', 'null')], at };
  }
  if (text === '<' || text === '<=' || text === '>' || text === '>=') {
    cursor.take();
    return { operator: text, negated: false, values: [value(cursor, 'string', 'number', 'date')], at };
  }
  throw cursor.unexpected(OPERATORS);
};

const wordComparison = (cursor: Cursor, first: FilterToken): Rest => {
  const negated = cursor.accept('not');
  const { at, blanks } = cursor.token;
  const operator = WORDS.find((word) => cursor.at(word));
  if (operator === undefined) throw cursor.unexpected(negated ? "'contains', 'icontains', 'in' or 'between'" : OPERATORS);
  if (operator === 'in' || operator === 'between') {
    if (first.blanks === 0) throw new FilterError(`a blank must stand before '${first.text}'`, first.at + 1);
  }
  // Other servers of this API read `not in` as one word that contains one blank; input that they refuse is refused here, too.
  if (operator === 'in' && negated && blanks !== 1) throw new FilterError("'not in' has exactly one blank in it", at + 1);
  cursor.take();
  cursor.expectBlank();
  return { operator, negated, values: READERS[operator](cursor), at };
};

const WORDS = ['contains', 'icontains', 'in', 'between'] as const satisfies readonly Operator[];

const READERS: Readonly<Record<(typeof WORDS)[number], (cursor: Cursor) => Comparison['values']>> = {
  contains: (cursor) => [value(cursor, 'string', 'number')],
  icontains: (cursor) => [value(cursor, 'string')],
  in: (cursor) => list(cursor),
  between: (cursor) => {
    const lower = value(cursor, 'number', 'date');
    cursor.expectBlank();
    cursor.expect('and');
    cursor.expectBlank();
    return [lower, value(cursor, lower.is)];
  },
};

const list = (cursor: Cursor): Comparison['values'] => {
  cursor.expect('[');
  const first = value(cursor, 'string', 'number', 'date');
  const items: [Literal, ...Literal[]] = [first];
  while (cursor.accept(',')) {
    if (items.length === MAX_LIST_ITEMS) throw new FilterError(`the list has more than ${MAX_LIST_ITEMS} values`, cursor.token.at + 1);
    items.push(value(cursor, first.is));
  }
  if (!cursor.accept(']')) throw cursor.unexpected("',' or ']'");
  return items;
};

const value = (cursor: Cursor, ...kinds: readonly Literal['is'][]): Literal => {
  const literal = literalOf(cursor);
  if (literal === undefined || !kinds.includes(literal.is)) throw cursor.unexpected(kinds.map((kind) => VALUE_NAMES[kind]).join(' or '));
  cursor.take();
  return literal;
};

/** The next token as a value, if it is one. */
const literalOf = (cursor: Cursor): Literal | undefined => {
  const { token } = cursor;
  const { at } = token;
  if (token.is === 'number') return { is: 'number', value: token.value, decimal: token.decimal, at };
  if (token.is === 'string' || token.is === 'date') return { is: token.is, value: token.value, at };
  if (cursor.at('true') || cursor.at('false')) return { is: 'boolean', value: cursor.at('true'), at };
  return cursor.at('null') ? { is: 'null', at } : undefined;
};
