import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { countRows, listRows } from '../../../adapters/storage/memory/select.ts';
import { ROWS_AT_ONCE } from '../../../adapters/storage/memory/slices.ts';
import { emptyTable, insertRow, type Posting, type Table } from '../../../adapters/storage/memory/table.ts';
import { firstOf } from '../../../adapters/storage/memory/top.ts';
import { emptyTree } from '../../../adapters/storage/memory/tree.ts';
import type { Predicate } from '../../../src/query/predicate.ts';
import type { Query, Row } from '../../../src/store/storage/port.ts';
import { countTurns } from '../../support/turns.ts';
import { watched } from '../../support/watched-tree.ts';

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
const schema = { kind: 'thing', columns, sets: [] };
const table = many.reduce<Table>(insertRow, emptyTable(schema));
const small = many.slice(0, 100).reduce<Table>(insertRow, emptyTable(schema));

const ofSite = (value: string): Predicate => ({ op: 'compare', field: { path: ['tags', 'site'], type: 'tag' }, is: '=', value });
const inGroups = (...values: number[]): Predicate => ({ op: 'in', field: { path: ['group'], type: 'number' }, values });
const shuffled = [{ field: { path: ['shuffled'], type: 'number' }, descending: false }] as const;
const reading = { lookup: () => undefined };

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
      const found = await listRows(table, query, reading);
      if (query.sort) expected.sort((a, b) => Number(a.shuffled) - Number(b.shuffled));
      else assert.deepEqual(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort());
      if (query.sort) assert.deepEqual(found, expected);
      assert.equal(new Set(found).size, found.length);
      assert.equal(await countRows(table, query.where, reading), expected.length);
      assert.ok(others.turns >= SLICES / 2, `${others.turns} turns`);
    });

  const byName = [{ field: { path: ['name'], type: 'string' }, descending: false }] as const;
  const named: Predicate = { op: 'compare', field: { path: ['name'], type: 'string' }, is: '>=', value: '' };
  const orders: Readonly<Record<string, Query>> = {
    'in order of id': { where: ofSite('none'), limit: 10 },
    'from the last id': { where: ofSite('none'), sort: [{ field: { path: ['id'], type: 'string' }, descending: true }], limit: 10 },
    'in the order of an index': { where: ofSite('none'), sort: byName, limit: 10 },
    'from the end of an index': { where: ofSite('none'), sort: byName.map((key) => ({ ...key, descending: true })), limit: 10 },
    'in a range of an index': { where: { op: 'and', terms: [named, ofSite('none')] } },
  };
  for (const [name, query] of Object.entries(orders))
    test(`are visited once, however many slices there are: ${name}`, async () => {
      let looks = 0;
      const look = () => looks++;
      const index = watched(table.indexes.get('name') ?? emptyTree<Posting>(), look);
      const rows = name.includes('id') ? watched(table.rows, look) : table.rows;
      const seen: Table = { ...table, rows, indexes: new Map(table.indexes).set('name', index) };
      assert.deepEqual(await listRows(seen, query, reading), []);
      assert.ok(looks >= ROWS && looks < ROWS + SLICES * 10, `${looks} looks at ${ROWS} rows`);
    });

  for (const mode of ['read', 'write'] as const)
    test(`are not visited any more once the caller has gone: in a ${mode} transaction`, async () => {
      const store = await memoryStorage().open([schema]);
      await store.transaction('write', async (tx) => {
        for (const each of many) await tx.insert('thing', each);
      });
      for (const [name, [query]] of Object.entries(questions)) {
        const gone = new AbortController();
        const reason = new Error(name);
        const { signal } = gone;
        const work = [
          store.transaction(mode, async (tx) => [await tx.list('thing', query)], { signal }),
          store.transaction('read', async (tx) => [await tx.count('thing', ofSite('none'))], { signal }),
        ];
        gone.abort(reason);
        assert.deepEqual(
          await Promise.allSettled(work),
          work.map(() => ({ status: 'rejected', reason })),
        );
      }
      assert.equal(await store.transaction(mode, (tx) => tx.count('thing', ofSite('s3'))), Math.floor((ROWS + 6) / 10));
    });

  test('that are few are answered at once', () => {
    assert.equal(countRows(small, ofSite('s3'), reading), 10);
    assert.ok(Array.isArray(listRows(small, { where: ofSite('s3'), sort: shuffled }, reading)));
    assert.ok(Array.isArray(listRows(table, { where: { op: 'all' }, limit: 10 }, reading)));
  });

  test('are the first of all, in order', async () => {
    const numbers = many.map(({ shuffled }) => Number(shuffled));
    const sorted = numbers.toSorted((a, b) => a - b);
    for (const count of [0, 1, 10, ROWS, Infinity])
      assert.deepEqual(await firstOf(numbers, count, (a, b) => a - b), sorted.slice(0, count));
  });
});
