/** Parses the operator and the values of a comparison, with the blanks that the language requires (docs/filters.md). */
import type { Cursor } from './cursor.ts';
import { FilterError } from './errors.ts';
import { type Literal, VALUE_NAMES } from './literal.ts';
import type { FilterToken } from './tokens.ts';
import type { Comparison, Operator, Subject } from './tree.ts';

/** Maximum number of values in a list. */
export const MAX_LIST_ITEMS = 1000;

type ComparisonTail = Omit<Comparison, 'is' | 'subject'>;

export const parseComparison = (cursor: Cursor, subject: Subject): Comparison => {
  const first = cursor.token;
  const tail = first.is === 'mark' ? parseSymbolTail(cursor) : parseWordTail(cursor, first);
  return { is: 'comparison', subject, ...tail };
};

const OPERATORS = "an operator ('=', '!=', '<', '<=', '>', '>=', 'contains', 'icontains', 'in', 'between')";

const parseSymbolTail = (cursor: Cursor): ComparisonTail => {
  const { text, at } = cursor.token;
  if (text === '=' || text === '!=') {
    cursor.take();
    return { operator: '=', negated: text === '!=', values: [parseValue(cursor, 'string', 'number', 'date', 'boolean', 'null')], at };
  }
  if (text === '<' || text === '<=' || text === '>' || text === '>=') {
    cursor.take();
    return { operator: text, negated: false, values: [parseValue(cursor, 'string', 'number', 'date')], at };
  }
  throw cursor.unexpected(OPERATORS);
};

const parseWordTail = (cursor: Cursor, first: FilterToken): ComparisonTail => {
  const negated = cursor.accept('not');
  const { at, blanks } = cursor.token;
  const operator = WORD_OPERATORS.find((word) => cursor.at(word));
  if (operator === undefined) throw cursor.unexpected(negated ? "'contains', 'icontains', 'in' or 'between'" : OPERATORS);
  if (operator === 'in' || operator === 'between') {
    if (first.blanks === 0) throw new FilterError(`a blank is required before '${first.text}'`, first.at + 1);
  }
  // Other servers of this API read `not in` as one word that contains one blank. Input that they reject is rejected here, too.
  if (operator === 'in' && negated && blanks !== 1) throw new FilterError("'not in' must contain exactly one blank", at + 1);
  cursor.take();
  cursor.expectBlank();
  return { operator, negated, values: VALUE_PARSERS[operator](cursor), at };
};

const WORD_OPERATORS = ['contains', 'icontains', 'in', 'between'] as const satisfies readonly Operator[];

const VALUE_PARSERS: Readonly<Record<(typeof WORD_OPERATORS)[number], (cursor: Cursor) => Comparison['values']>> = {
  contains: (cursor) => [parseValue(cursor, 'string', 'number')],
  icontains: (cursor) => [parseValue(cursor, 'string')],
  in: (cursor) => parseList(cursor),
  between: (cursor) => {
    const lower = parseValue(cursor, 'number', 'date');
    cursor.expectBlank();
    cursor.expect('and');
    cursor.expectBlank();
    return [lower, parseValue(cursor, lower.is)];
  },
};

const parseList = (cursor: Cursor): Comparison['values'] => {
  cursor.expect('[');
  const first = parseValue(cursor, 'string', 'number', 'date');
  const items: [Literal, ...Literal[]] = [first];
  while (cursor.accept(',')) {
    if (items.length === MAX_LIST_ITEMS) throw new FilterError(`the list has more than ${MAX_LIST_ITEMS} values`, cursor.token.at + 1);
    items.push(parseValue(cursor, first.is));
  }
  if (!cursor.accept(']')) throw cursor.unexpected("',' or ']'");
  return items;
};

const parseValue = (cursor: Cursor, ...kinds: readonly Literal['is'][]): Literal => {
  const literal = peekLiteral(cursor);
  if (literal === undefined || !kinds.includes(literal.is)) throw cursor.unexpected(kinds.map((kind) => VALUE_NAMES[kind]).join(' or '));
  cursor.take();
  return literal;
};

/** The next token as a value, if it is one. */
const peekLiteral = (cursor: Cursor): Literal | undefined => {
  const { token } = cursor;
  const { at } = token;
  if (token.is === 'number') return { is: 'number', value: token.value, decimal: token.decimal, at };
  if (token.is === 'string' || token.is === 'date') return { is: token.is, value: token.value, at };
  if (cursor.at('true') || cursor.at('false')) return { is: 'boolean', value: cursor.at('true'), at };
  return cursor.at('null') ? { is: 'null', at } : undefined;
};
