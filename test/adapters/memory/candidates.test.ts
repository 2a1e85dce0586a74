import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listRows } from '../../../adapters/storage/memory/select.ts';
import { emptyTable, insertRow, type Posting, type Table } from '../../../adapters/storage/memory/table.ts';
import { emptyTree } from '../../../adapters/storage/memory/tree.ts';
import { and, equals, type Predicate, stringField } from '../../../src/query/predicate.ts';
import { watched } from '../../support/watched-tree.ts';

const ROWS = 2000;
const OWNERS = 1000;

/** Rows of many owners, two each, in two halves, each made at a time of its own. */
const table = Array.from({ length: ROWS }, (_, i) => i).reduce<Table>(
  (all, i) =>
    insertRow(all, {
      ...{ id: `r${String(i).padStart(4, '0')}`, version: 1, createdAt: '', updatedAt: '' },
      ...{ owner: `o${i % OWNERS}`, half: i < ROWS / 2 ? 'first' : 'second', at: i },
    }),
  emptyTable({
    kind: 'thing',
    columns: [
      { name: 'owner', type: 'string', index: true },
      { name: 'half', type: 'string', index: true },
      { name: 'at', type: 'number', index: true },
    ],
    sets: [],
  }),
);
const since = (value: number): Predicate => ({ op: 'compare', field: { path: ['at'], type: 'number' }, is: '>=', value });
const idsWhere = async (where: Predicate): Promise<readonly string[]> =>
  (await listRows(table, { where }, { lookup: () => undefined })).map(({ id }) => id);

describe('what a question can concern, in the memory store', () => {
  test('is not looked for among very many rows where another condition leaves few: these are asked instead', async () => {
    let leaves = 0;
    const index = watched(table.indexes.get('at') ?? emptyTree<Posting>(), () => leaves++);
    const watchedTable = { ...table, indexes: new Map(table.indexes).set('at', index) };
    for (let owner = 0; owner < OWNERS; owner++) {
      const rows = await listRows(
        watchedTable,
        { where: and(equals(stringField('owner'), `o${owner}`), since(1)) },
        { lookup: () => undefined },
      );
      assert.equal(rows.length, owner === 0 ? 1 : 2);
    }
    assert.ok(leaves <= 5 * OWNERS, `${leaves} leaves of an index were looked at for ${OWNERS} questions`);
  });

  test('is tested for each of two conditions that hold for about as many rows', async () => {
    const where = and(equals(stringField('half'), 'first'), since(500));
    assert.deepEqual(
      await idsWhere(where),
      Array.from({ length: 500 }, (_, i) => `r${String(i + 500).padStart(4, '0')}`),
    );
  });
});
