import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilterError, MAX_FILTER_LENGTH, MAX_LIST_ITEMS, MAX_NESTING, MAX_TERMS, parse } from '../../../src/query/index.ts';
import type { Condition } from '../../../src/query/tree.ts';

/** The shape of a condition: names and constants, with every group in parentheses. */
const shape = (condition: Condition | undefined): string => {
  if (condition?.is === 'and' || condition?.is === 'or') return `(${condition.terms.map(shape).join(` ${condition.is} `)})`;
  if (condition?.is === 'not') return `(not ${shape(condition.term)})`;
  return condition?.is === 'flag' ? condition.name.text : String(condition?.is);
};

test('and, or and not group to the right, without precedence', () => {
  const shapes = {
    'a and b or c': '(a and (b or c))',
    'a or b and c': '(a or (b and c))',
    'a and b and c': '(a and b and c)',
    'a and b or c or d and e': '(a and (b or c or (d and e)))',
    'not a and b': '(not (a and b))',
    'not not a': '(not (not a))',
    'a and not b or c': '(a and (not (b or c)))',
    '(a and b) or c': '((a and b) or c)',
    '(not a) and b': '((not a) and b)',
    'a and (b and c)': '(a and (b and c))',
    '( ( a ) )': 'a',
    ' \t\r\na\n': 'a',
    'A Or b AND c': '(A or (b and c))',
  };
  for (const [filter, expected] of Object.entries(shapes)) assert.equal(shape(parse(filter).where), expected, filter);
});

test('blanks are needed around words and not around signs', () => {
  // biome-ignore format: a list
  const accepted = ['a="x"', 'a  =  "x"', 'a!=1', 'a<1', 'a<=-1', 'a>1', 'a>=1', '(a="x")', '( a )', 'a in ["x","y"]', 'a in [ 1 , 2 ]', 'a\nin\t[1]', 'anyOf(a)="x"', 'anyOf( a )contains "x"', 'isEmpty( a )', 'a not  contains "x"', 'a not in [1]', 'a not\nin [1]', 'a = datetime( 2024-01-01T00:00:00Z )', 'true sort by a,b , c desc'];
  // biome-ignore format: a list
  const refused = ['not(a)', '(a)and (b)', 'a and(b)', 'a contains"x"', 'a in[1]', 'anyOf(a)in [1]', 'anyOf(a)not in [1]', 'a not  in [1]', 'a between 1 and2', 'a="x"and b', '(a)sort by a', 'anyOf (a) = 1', 'isEmpty (a)', 'isEmpty(from a where(b))', 'a = datetime (2024-01-01T00:00:00Z)', '(a)skip 1', '\u00a0a', 'a =\u000b1'];
  for (const filter of accepted) assert.doesNotThrow(() => parse(filter), filter);
  for (const filter of refused) assert.throws(() => parse(filter), FilterError, filter);
});

test('what the language does not have is refused', () => {
  // biome-ignore format: a list
  const refused = ['', ' ', 'a ==1', 'a <> 1', 'a =~ 1', "a = 'x'", 'a = `x`', 'a like "x"', 'a && b', 'a || b', 'a = .5', 'a = 5.', 'a = +5', 'a = 05', 'a = 1e05', 'a = 0x1', 'a in []', 'a in [true]', 'a in [null]', 'a in [1,"x"]', 'a in [1,]', 'a in (1)', '1 = a', '"x" = a', 'a = b', 'a is null', 'a < null', 'a < true', 'a contains null', 'a between "a" and "b"', 'a between 1 and datetime(2024-01-01T00:00:00Z)', 'noneOf(a) = 1', 'anyOf(a)', 'count(a)', 'isEmpty(a) = true', 'anyOf(from a where true) = 1', 'isEmpty(from a)', 'tags.d1', 'tags.', 'a..b', 'a-b', '_a', 'a b', 'and', 'a and', 'not', '(a', 'a)', '()', 'a = DATETIME(2024-01-01T00:00:00Z)', 'é', 'true = true', 'limit', 'limit = 5', 'from a where true', 'a not = 1', 'a not', 'a icontains 5'];
  for (const filter of refused) assert.throws(() => parse(filter), FilterError, filter);
});

test('the clauses are in the order sort by, skip, limit, each at most once', () => {
  // biome-ignore format: a list
  const accepted = { 'sort by a': [1, undefined, undefined], 'skip 3': [0, 3, undefined], 'limit -1': [0, undefined, -1], 'LIMIT None': [0, undefined, 'none'], 'true Sort  By a ASC,b Desc skip -3 limit 9223372036854775807': [2, -3, 2 ** 63] };
  for (const [filter, [keys, skip, limit]] of Object.entries(accepted)) {
    const parsed = parse(filter);
    assert.deepEqual([parsed.sort?.length ?? 0, parsed.skip, parsed.limit], [keys, skip, limit], filter);
  }
  // biome-ignore format: a list
  const refused = ['limit 1 skip 1', 'skip 1 sort by a', 'sort a', 'sort by', 'sort by a desc asc', 'sort by a,', 'sort by a b', 'limit 1.0', 'limit 1e1', 'limit "1"', 'limit 9223372036854775808', 'skip none', 'skip 1 skip 1', 'sort by a and b'];
  for (const filter of refused) assert.throws(() => parse(filter), FilterError, filter);
});

test('strings know six escapes, read from left to right, and no control characters', () => {
  const valueIn = (filter: string): unknown => {
    const { where } = parse(filter);
    return where?.is === 'comparison' && where.values[0].is === 'string' ? where.values[0].value : undefined;
  };
  assert.equal(valueIn(String.raw`a = "\"\\\n\r\t\f"`), '"\\\n\r\t\f');
  assert.equal(valueIn(String.raw`a = "\\n"`), '\\n', 'a backslash and the letter n');
  assert.equal(valueIn('a = "😀 it\'s é) and ]"'), "😀 it's é) and ]");
  for (const inside of ['\n', '\t', '\u0000', '\u001f', '\\x', '\\u0041', '\\/', '\\'])
    assert.throws(() => parse(`a = "${inside}"`), FilterError, JSON.stringify(inside));
});

test('errors say what was found, where, and what would be right', () => {
  const messages = {
    'name =': 'expected a string in double quotes or a number or datetime(...) or true or false or null, found the end, at position 7',
    "name = 'x'": "''' is not valid here: strings must be in double quotes, at position 8",
    'name = "x': 'the string has no closing quote, at position 8',
    'isAdmin and(b)': "expected a blank, found '(', at position 12",
    'tags.d1 = "x"': "'tags.d1' is not a name: names consist of letters and _, and of - after a dot, without digits, at position 1",
    'a in [1, "x"]': 'expected a number, found \'"x"\', at position 10',
    'true limit 1.5': "expected a 64-bit integer, found '1.5', at position 12",
  };
  for (const [filter, message] of Object.entries(messages)) assert.throws(() => parse(filter), { name: 'FilterError', message });
});

test('length, nesting, conditions and lists are bounded', () => {
  const nested = (levels: number): string => `${'('.repeat(levels)}a${')'.repeat(levels)}`;
  const list = (items: number): string => `a in [${Array(items).fill('1').join(',')}]`;
  const terms = (count: number): string => Array(count).fill('a').join(' and ');
  // biome-ignore format: a list
  const accepted = [`a${' '.repeat(MAX_FILTER_LENGTH - 1)}`, nested(MAX_NESTING), `${'not '.repeat(MAX_NESTING)}a`, list(MAX_LIST_ITEMS), terms(MAX_TERMS)];
  const refused = {
    [`a${' '.repeat(MAX_FILTER_LENGTH)}`]: /has 16385 characters, more than 16384/,
    [nested(MAX_NESTING + 1)]: /nested more than 64 levels deep/,
    [`${'not '.repeat(MAX_NESTING + 1)}a`]: /nested more than 64 levels deep/,
    [`${'a and b or '.repeat(MAX_NESTING)}a`]: /nested more than 64 levels deep/,
    [list(MAX_LIST_ITEMS + 1)]: /the list has more than 1000 values/,
    [terms(MAX_TERMS + 1)]: /more than 500 conditions/,
    [`a = 1${'0'.repeat(400)}`]: /too large/,
  };
  for (const filter of accepted) assert.doesNotThrow(() => parse(filter), filter.slice(0, 40));
  for (const [filter, message] of Object.entries(refused)) assert.throws(() => parse(filter), message, filter.slice(0, 40));
});
