import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countRows, listRows } from '../../../adapters/storage/memory/select.ts';
import { ROWS_AT_ONCE } from '../../../adapters/storage/memory/slices.ts';
import { emptyTable, insertRow, type Table } from '../../../adapters/storage/memory/table.ts';
import { firstOf } from '../../../adapters/storage/memory/top.ts';
import type { Predicate } from '../../../src/query/predicate.ts';
import type { Query, Row } from '../../../src/storage/port.ts';
import { countTurns } from '../../support/turns.ts';

const SLICES = 4;
const ROWS = SLICES * ROWS_AT_ONCE + 7;

const row = (i: number): Row => ({
  ...{ id: `r${String(i).padStart(6, '0')}`, version: 1, createdAt: '', updatedAt: '' },
  ...{ name: `n${i}`, group: i % 3, shuffled: (i * 7919) % ROWS, tags: { site: `s${i % 10}` } },
});
const columns = [
  { name: 'name', type: 'string', index: 'unique' },
  { name: 'group', type: 'number', index: true },
  { name: 'shuffled', type: 'number', index: false },
] as const;
const many = Array.from({ length: ROWS }, (_, i) => row(i));
const table = many.reduce<Table>(insertRow, emptyTable({ kind: 'thing', columns, sets: [] }));
const small = many.slice(0, 100).reduce<Table>(insertRow, emptyTable({ kind: 'thing', columns, sets: [] }));

const ofSite = (value: string): Predicate => ({ op: 'compare', field: { path: ['tags', 'site'], type: 'tag' }, is: '=', value });
const inGroups = (...values: number[]): Predicate => ({ op: 'in', field: { path: ['group'], type: 'number' }, values });
const shuffled = [{ field: { path: ['shuffled'], type: 'number' }, descending: false }] as const;
const lookup = () => undefined;

/** What each question finds, as the same question finds it row by row. */
const questions: Readonly<Record<string, readonly [Query, (row: Row) => boolean]>> = {
  'a filter that no index serves': [{ where: ofSite('s3') }, ({ tags }) => (tags as { site: string }).site === 's3'],
  'a filter that no row satisfies': [{ where: ofSite('none'), limit: 10 }, () => false],
  'one of several values, and such a filter': [
    { where: { op: 'and', terms: [inGroups(0, 1), ofSite('s3')] } },
    ({ group, tags }) => group !== 2 && (tags as { site: string }).site === 's3',
  ],
  'one of several values': [{ where: inGroups(2, 0) }, ({ group }) => group !== 1],
  'the order of a field without an index': [{ where: { op: 'all' }, sort: shuffled }, () => true],
};

describe('many rows of the memory store', () => {
  for (const [name, [query, matches]] of Object.entries(questions))
    test(`are visited in slices, between which others have turns: ${name}`, async () => {
      using others = countTurns();
      const expected = many.filter(matches);
      const found = await listRows(table, query, lookup);
      if (query.sort) expected.sort((a, b) => Number(a.shuffled) - Number(b.shuffled));
      else assert.deepEqual(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort());
      if (query.sort) assert.deepEqual(found, expected);
      assert.equal(new Set(found).size, found.length);
      assert.equal(await countRows(table, query.where, lookup), expected.length);
      assert.ok(others.turns >= SLICES / 2, `${others.turns} turns`);
    });

  test('that are few are answered at once', () => {
    assert.equal(countRows(small, ofSite('s3'), lookup), 10);
    assert.ok(Array.isArray(listRows(small, { where: ofSite('s3'), sort: shuffled }, lookup)));
    assert.ok(Array.isArray(listRows(table, { where: { op: 'all' }, limit: 10 }, lookup)));
  });

  test('are the first of all, in order', async () => {
    const numbers = many.map(({ shuffled }) => Number(shuffled));
    const sorted = numbers.toSorted((a, b) => a - b);
    for (const count of [0, 1, 10, ROWS, Infinity])
      assert.deepEqual(await firstOf(numbers, count, (a, b) => a - b), sorted.slice(0, count));
  });
});
