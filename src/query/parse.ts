/**
 * Parser of the filter language (docs/filters.md): recursive descent, one function per grammar rule. `and` and `or` have no precedence: everything
 * that follows belongs to the right side, so `a and b or c` is `a and (b or c)` and `not a and b` is `not (a and b)`. Terms joined by the same
 * operator become one node.
 */
import { type Cursor, cursorOf } from './cursor.ts';
import { asSortError, FilterError } from './errors.ts';
import { parseComparison } from './parse-comparison.ts';
import type { Condition, Filter, SetQuery, SortItem, Subject } from './tree.ts';

/** Maximum nesting depth of a filter: parentheses, `not`, changes between `and` and `or`, and subqueries. */
export const MAX_NESTING = 64;

/**
 * Parses a filter. Empty text is not a filter: callers for which an empty parameter means "everything" must check for it first.
 *
 * @throws FilterError with the position, what was found there, and what was expected
 * @example parse('name contains "a" and isAdmin sort by name desc limit 5')
 */
export const parse = (text: string): Filter => {
  const cursor = cursorOf(text);
  const filter = query(cursor, 0);
  if (cursor.token.is !== 'end') throw cursor.unexpected("the end of the filter, 'and', 'or', or the next of 'sort by', 'skip', 'limit'");
  return filter;
};

/**
 * Parses the `sort` parameter of a list: what may follow `sort by` in a filter.
 *
 * @throws SortError
 * @example parseSort('isAdmin desc, name')
 */
export const parseSort = (text: string): readonly SortItem[] =>
  asSortError(() => {
    const cursor = cursorOf(text);
    const keys = sortKeys(cursor);
    if (cursor.token.is !== 'end') throw cursor.unexpected("the end, ',', 'asc' or 'desc'");
    return keys;
  });

const query = (cursor: Cursor, level: number): Filter => {
  const first = cursor.token;
  const opens = (clause: string): boolean => {
    if (!cursor.at(clause)) return false;
    if (cursor.token !== first) cursor.expectBlank();
    cursor.take();
    cursor.expectBlank();
    return true;
  };
  const where = cursor.at('sort') || cursor.at('skip') || cursor.at('limit') ? undefined : condition(cursor, level);
  const sort = opens('sort') ? sortBy(cursor) : undefined;
  const skip = opens('skip') ? integer(cursor) : undefined;
  const limit = opens('limit') ? (cursor.accept('none') ? 'none' : integer(cursor)) : undefined;
  return { where, sort, skip, limit };
};

const sortBy = (cursor: Cursor): readonly SortItem[] => {
  cursor.expect('by');
  cursor.expectBlank();
  return sortKeys(cursor);
};

const sortKeys = (cursor: Cursor): readonly SortItem[] => {
  const keys: SortItem[] = [];
  do {
    const name = cursor.takeName();
    const descending = cursor.accept('desc');
    if (!descending) cursor.accept('asc');
    keys.push({ name, descending });
  } while (cursor.accept(','));
  return keys;
};

const integer = (cursor: Cursor): number => {
  const { is, text } = cursor.token;
  const isInteger = is === 'number' && /^-?[0-9]+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  if (!isInteger) throw cursor.unexpected('an integer of 64 bits');
  cursor.take();
  return Number(text);
};

const condition = (cursor: Cursor, level: number): Condition => {
  if (!cursor.accept('not')) return chain(cursor, primary(cursor, level), level);
  cursor.expectBlank();
  return { is: 'not', term: condition(cursor, deeper(cursor, level)) };
};

/** Parses the terms after `first`; the last term includes everything that is joined by the other operator. */
const chain = (cursor: Cursor, first: Condition, level: number): Condition => {
  const is = joiner(cursor);
  if (is === undefined) return first;
  const terms = [first];
  for (let next: typeof is | undefined = is; next === is; ) {
    cursor.expectBlank();
    cursor.take();
    cursor.expectBlank();
    const isNot = cursor.at('not');
    const term = isNot ? condition(cursor, level) : primary(cursor, level);
    next = joiner(cursor);
    terms.push(next === undefined || next === is ? term : chain(cursor, term, deeper(cursor, level)));
  }
  return { is, terms };
};

const joiner = (cursor: Cursor): 'and' | 'or' | undefined => (cursor.at('and') ? 'and' : cursor.at('or') ? 'or' : undefined);

const primary = (cursor: Cursor, level: number): Condition => {
  if (cursor.accept('(')) {
    const term = condition(cursor, deeper(cursor, level));
    cursor.expect(')');
    return term;
  }
  cursor.countTerm();
  if (cursor.accept('true')) return { is: 'constant', value: true };
  if (cursor.accept('false')) return { is: 'constant', value: false };
  if (cursor.accept('isEmpty')) return { is: 'empty', set: setQuery(cursor, 'isEmpty', level) };
  const subject = subjectOf(cursor, level);
  const standsAlone = subject.is === 'field' && (cursor.token.is === 'end' || ALONE.some((symbol) => cursor.at(symbol)));
  return standsAlone ? { is: 'flag', name: subject.name } : parseComparison(cursor, subject);
};

/** Tokens that may follow a name that is a condition by itself. */
const ALONE = [')', 'and', 'or', 'sort', 'skip', 'limit'];

const subjectOf = (cursor: Cursor, level: number): Subject => {
  for (const is of ['anyOf', 'allOf'] as const) {
    if (!cursor.accept(is)) continue;
    cursor.expectArguments(is);
    const name = cursor.takeName();
    cursor.expect(')');
    return { is, name };
  }
  if (cursor.accept('count')) return { is: 'count', set: setQuery(cursor, 'count', level) };
  return { is: 'field', name: cursor.takeName('a condition') };
};

const setQuery = (cursor: Cursor, name: string, level: number): SetQuery => {
  cursor.expectArguments(name);
  const set = cursor.accept('from') ? subquery(cursor, deeper(cursor, level)) : { name: cursor.takeName(), where: undefined };
  cursor.expect(')');
  return set;
};

const subquery = (cursor: Cursor, level: number): SetQuery => {
  const name = cursor.takeName();
  cursor.expect('where');
  cursor.expectBlank();
  return { name, where: query(cursor, level) };
};

const deeper = (cursor: Cursor, level: number): number => {
  if (level < MAX_NESTING) return level + 1;
  throw new FilterError(`the filter is nested more than ${MAX_NESTING} levels deep`, cursor.token.at + 1);
};
