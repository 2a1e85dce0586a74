import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilterError, parse, readFilter } from '../../../src/query/index.ts';
import { people } from './sample.ts';

const VALUES = { string: '"a"', number: '5', date: 'datetime(2024-02-29T12:00:00Z)', boolean: 'true', null: 'null' } as const;
type Value = keyof typeof VALUES;

/** The table of docs/filters.md: for every subject, what may stand after each operator. */
// biome-ignore format: a table
const TABLE: Readonly<Record<string, Readonly<Record<string, readonly Value[]>>>> = {
  name: { '=': ['string', 'number', 'null'], '<': ['string', 'number'], contains: ['string', 'number'], icontains: ['string'], in: ['string', 'number'], between: [] },
  age: { '=': ['number', 'null'], '<': ['number'], contains: ['string', 'number'], icontains: [], in: ['string', 'number'], between: ['number'] },
  isAdmin: { '=': ['boolean', 'null'], '<': [], contains: [], icontains: [], in: [], between: [] },
  seenAt: { '=': ['date', 'null'], '<': ['date'], contains: [], icontains: [], in: ['date'], between: ['date'] },
  'tags.site': { '=': ['string', 'number', 'boolean', 'date', 'null'], '<': ['string', 'number', 'date'], contains: ['string'], icontains: ['string'], in: ['string', 'number', 'date'], between: [] },
  'anyOf(roles)': { '=': ['string', 'number', 'null'], '<': ['string', 'number'], contains: ['string', 'number'], icontains: ['string'], in: ['string', 'number'], between: [] },
  'count(roles)': { '=': ['number', 'null'], '<': ['number'], contains: [], icontains: [], in: ['string', 'number'], between: ['number'] },
  token: { '=': ['string', 'number', 'null'], '<': ['string', 'number'], contains: ['string', 'number'], icontains: ['string'], in: ['string', 'number'], between: [] },
};

const FORMS: Readonly<Record<string, readonly ((value: string) => string)[]>> = {
  '=': [(v) => `= ${v}`, (v) => `!= ${v}`],
  '<': [(v) => `< ${v}`, (v) => `<= ${v}`, (v) => `> ${v}`, (v) => `>= ${v}`],
  contains: [(v) => `contains ${v}`, (v) => `not contains ${v}`],
  icontains: [(v) => `icontains ${v}`, (v) => `not icontains ${v}`],
  in: [(v) => `in [${v}]`, (v) => `not in [${v}, ${v}]`],
  between: [(v) => `between ${v} and ${v}`, (v) => `not between ${v} and ${v}`],
};

test('every type takes the operators and values of the table, and no others', () => {
  for (const [subject, row] of Object.entries(TABLE)) {
    for (const [operator, takes] of Object.entries(row)) {
      for (const [value, written] of Object.entries(VALUES)) {
        for (const form of FORMS[operator] ?? []) {
          const filter = `${subject} ${form(written)}`;
          const read = (): unknown => readFilter(filter, people);
          if (takes.includes(value as Value)) assert.doesNotThrow(read, filter);
          else assert.throws(read, FilterError, filter);
        }
      }
    }
  }
});

test('names are known exactly or not at all', () => {
  // biome-ignore format: a list
  const refused = ['bogus = 1', 'NAME = "x"', 'name.x = "a"', 'tags', 'tags = null', 'city = "x"', 'address = null', 'constructor = null', 'toString', 'roles', 'roles = "red"', 'roles contains "r"', 'hobbies = "go"', 'hobbies.name = "Go"', 'anyOf(name) = "x"', 'allOf(isAdmin) = true', 'anyOf(tags.x) = "a"', 'isEmpty(name)', 'count(age) = 1', 'anyOf(bogus) = "x"', 'isEmpty(bogus)'];
  for (const filter of refused) assert.throws(() => readFilter(filter, people), FilterError, filter);
});

test('only boolean fields and tags are conditions by themselves', () => {
  for (const filter of ['isAdmin', 'tags.site', 'isHaunted']) assert.doesNotThrow(() => readFilter(filter, people), filter);
  for (const filter of ['name', 'age', 'seenAt', 'roles', 'token']) assert.throws(() => readFilter(filter, people), FilterError, filter);
});

test('errors name the field, its type and what it takes', () => {
  // biome-ignore format: a list
  const messages = {
    'isAdmin = "true"': "'isAdmin' (boolean) requires true or false after '=', not a string in double quotes, at position 11",
    'true and name between 1 and 2': "'name' (string) does not support 'between', at position 15",
    'anyOf(age) = 1': "'age' is not a set, as anyOf, allOf, isEmpty and count require, at position 7",
    roles: "'roles' is a set: use it in anyOf, allOf, isEmpty or count, at position 1",
    'isEmpty(from hobbies where x = 1)': "'x' is unknown here; there are id, name, createdAt, isSystem, tags.<name>, at position 28",
  };
  for (const [filter, message] of Object.entries(messages))
    assert.throws(() => readFilter(filter, people), { name: 'FilterError', message });
});

test('dates are taken to UTC with three decimals', () => {
  const normalised = {
    '2024-02-29T12:30:00Z': '2024-02-29T12:30:00.000Z',
    '2024-02-29t12:30:00z': '2024-02-29T12:30:00.000Z',
    '2024-02-29T12:30:00.1Z': '2024-02-29T12:30:00.100Z',
    '2024-02-29T12:30:00.123999999Z': '2024-02-29T12:30:00.123Z',
    '2024-02-29T00:30:00+05:30': '2024-02-28T19:00:00.000Z',
    '2023-12-31T23:59:59-11:00': '2024-01-01T10:59:59.000Z',
    '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
  };
  for (const [written, value] of Object.entries(normalised)) {
    const { where } = parse(`seenAt = datetime(${written})`);
    assert.equal(where?.is === 'comparison' && where.values[0].is === 'date' && where.values[0].value, value, written);
  }
  // biome-ignore format: a list
  const refused = ['2024-02-30T00:00:00Z', '2023-02-29T00:00:00Z', '2024-13-01T00:00:00Z', '2024-00-01T00:00:00Z', '2024-01-00T00:00:00Z', '2024-01-01T24:00:00Z', '2024-01-01T00:60:00Z', '2024-01-01T00:00:60Z', '2024-01-01T00:00:00', '2024-01-01 00:00:00Z', '2024-01-01', '2024-01-01T00:00Z', '2024-01-01T00:00:00,5Z', '2024-01-01T00:00:00+0530', '2024-01-01T00:00:00+24:00', '"2024-01-01T00:00:00Z"', '9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00', ''];
  for (const written of refused) assert.throws(() => parse(`seenAt = datetime(${written})`), FilterError, written);
});
