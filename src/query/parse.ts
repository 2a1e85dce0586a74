/**
 * Parser of the filter language (docs/filters.md): recursive descent, with one function per grammar rule. Neither `and` nor `or` takes
 * precedence: everything after an operator is its right side, so `a and b or c` is `a and (b or c)`, and `not a and b` is `not (a and b)`.
 * Terms joined by the same operator become one node.
 */
import { Cursor } from './cursor.ts';
import { FilterError } from './errors.ts';
import { parseComparison } from './parse-comparison.ts';
import type { Condition, Filter, SetQuery, SortItem, Subject } from './tree.ts';

/** Maximum nesting depth of a filter: parentheses, `not`, changes between `and` and `or`, and subqueries. */
export const MAX_NESTING = 64;

/**
 * Parses a filter. Empty text is not a filter: callers for which an empty parameter selects everything must check for it first.
 *
 * @throws FilterError with the position, the token found there, and the expected one
 * @example parse('name contains "a" and isAdmin sort by name desc limit 5')
 */
export const parse = (text: string): Filter => {
  const cursor = new Cursor(text);
  const filter = parseQuery(cursor, 0);
  if (cursor.token.is !== 'end') throw cursor.unexpected("the end of the filter, 'and', 'or', or the next of 'sort by', 'skip', 'limit'");
  return filter;
};

/**
 * Parses the `sort` parameter of a list, which has the syntax of `sort by` in a filter.
 *
 * @throws FilterError
 * @example parseSort('isAdmin desc, name')
 */
export const parseSort = (text: string): readonly SortItem[] => {
  const cursor = new Cursor(text);
  const keys = parseSortKeys(cursor);
  if (cursor.token.is !== 'end') throw cursor.unexpected("the end, ',', 'asc' or 'desc'");
  return keys;
};

const parseQuery = (cursor: Cursor, level: number): Filter => {
  const first = cursor.token;
  const opens = (clause: string): boolean => {
    if (!cursor.at(clause)) return false;
    if (cursor.token !== first) cursor.expectBlank();
    cursor.take();
    cursor.expectBlank();
    return true;
  };
  const where = cursor.at('sort') || cursor.at('skip') || cursor.at('limit') ? undefined : parseCondition(cursor, level);
  const sort = opens('sort') ? parseSortBy(cursor) : undefined;
  const skip = opens('skip') ? parseInteger(cursor) : undefined;
  const limit = opens('limit') ? parseLimit(cursor) : undefined;
  return { where, sort, skip, limit };
};

const parseLimit = (cursor: Cursor): number | 'none' => (cursor.accept('none') ? 'none' : parseInteger(cursor));

const parseSortBy = (cursor: Cursor): readonly SortItem[] => {
  cursor.expect('by');
  cursor.expectBlank();
  return parseSortKeys(cursor);
};

const parseSortKeys = (cursor: Cursor): readonly SortItem[] => {
  const keys: SortItem[] = [];
  do {
    const name = cursor.takeName();
    const descending = cursor.accept('desc');
    if (!descending) cursor.accept('asc');
    keys.push({ name, descending });
  } while (cursor.accept(','));
  return keys;
};

const parseInteger = (cursor: Cursor): number => {
  const { is, text } = cursor.token;
  const isInteger = is === 'number' && /^-?[0-9]+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  if (!isInteger) throw cursor.unexpected('a 64-bit integer');
  cursor.take();
  return Number(text);
};

const parseCondition = (cursor: Cursor, level: number): Condition => {
  if (!cursor.accept('not')) return parseChain(cursor, parsePrimary(cursor, level), level);
  cursor.expectBlank();
  return { is: 'not', term: parseCondition(cursor, nextLevel(cursor, level)) };
};

/** Parses the terms after `first`. The last term includes everything that is joined by the other operator. */
const parseChain = (cursor: Cursor, first: Condition, level: number): Condition => {
  const is = peekJoiner(cursor);
  if (is === undefined) return first;
  const terms = [first];
  for (let next: typeof is | undefined = is; next === is; ) {
    cursor.expectBlank();
    cursor.take();
    cursor.expectBlank();
    const isNot = cursor.at('not');
    const term = isNot ? parseCondition(cursor, level) : parsePrimary(cursor, level);
    next = peekJoiner(cursor);
    terms.push(next === undefined || next === is ? term : parseChain(cursor, term, nextLevel(cursor, level)));
  }
  return { is, terms };
};

const peekJoiner = (cursor: Cursor): 'and' | 'or' | undefined => (['and', 'or'] as const).find((word) => cursor.at(word));

const parsePrimary = (cursor: Cursor, level: number): Condition => {
  if (cursor.accept('(')) {
    const term = parseCondition(cursor, nextLevel(cursor, level));
    cursor.expect(')');
    return term;
  }
  cursor.countTerm();
  if (cursor.accept('true')) return { is: 'constant', value: true };
  if (cursor.accept('false')) return { is: 'constant', value: false };
  if (cursor.accept('isEmpty')) return { is: 'empty', set: parseSetQuery(cursor, 'isEmpty', level) };
  const subject = parseSubject(cursor, level);
  const standsAlone = subject.is === 'field' && (cursor.token.is === 'end' || ALONE.some((symbol) => cursor.at(symbol)));
  return standsAlone ? { is: 'flag', name: subject.name } : parseComparison(cursor, subject);
};

/** Tokens that may follow a name that is a condition by itself. */
const ALONE = [')', 'and', 'or', 'sort', 'skip', 'limit'];

const parseSubject = (cursor: Cursor, level: number): Subject => {
  for (const is of ['anyOf', 'allOf'] as const) {
    if (!cursor.accept(is)) continue;
    cursor.expectArguments(is);
    const name = cursor.takeName();
    cursor.expect(')');
    return { is, name };
  }
  if (cursor.accept('count')) return { is: 'count', set: parseSetQuery(cursor, 'count', level) };
  return { is: 'field', name: cursor.takeName('a condition') };
};

const parseSetQuery = (cursor: Cursor, name: string, level: number): SetQuery => {
  cursor.expectArguments(name);
  const set = cursor.accept('from') ? parseSubquery(cursor, nextLevel(cursor, level)) : { name: cursor.takeName(), where: undefined };
  cursor.expect(')');
  return set;
};

const parseSubquery = (cursor: Cursor, level: number): SetQuery => {
  const name = cursor.takeName();
  cursor.expect('where');
  cursor.expectBlank();
  return { name, where: parseQuery(cursor, level) };
};

const nextLevel = (cursor: Cursor, level: number): number => {
  if (level < MAX_NESTING) return level + 1;
  throw new FilterError(`the filter is nested more than ${MAX_NESTING} levels deep`, cursor.token.at + 1);
};
