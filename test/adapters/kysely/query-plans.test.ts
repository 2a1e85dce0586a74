import assert from 'node:assert/strict';
import type { SQLInputValue } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { rendered } from '../../../adapters/storage/kysely/render.ts';
import { Scope } from '../../../adapters/storage/kysely/scope.ts';
import {
  selectAmongFirst,
  selectCount,
  selectDistinct,
  selectPage,
  selectReferenced,
  selectRow,
} from '../../../adapters/storage/kysely/select.ts';
import type { Sql } from '../../../adapters/storage/kysely/sql.ts';
import { sqlite } from '../../../adapters/storage/kysely/sqlite/engine.ts';
import { ALL, and, booleanField, equals, has, oneOf, type Predicate, stringField } from '../../../src/query/predicate.ts';
import type { Query, Store } from '../../../src/store/storage/port.ts';
import { note, noteSchema, notes } from './support.ts';

const scope = new Scope(sqlite, 'overlay_', 'default', noteSchema);
const storage = notes({ file: ':memory:' });

/** How SQLite means to run a statement. */
const plan = (statement: Sql): string => {
  const { text, parameters } = rendered(sqlite, statement);
  const steps = storage.connection.prepare(`explain query plan ${text}`).all(...(parameters as SQLInputValue[])); // as the engine makes them
  return steps.map((step) => String(step.detail)).join('\n');
};

const page = (where: Predicate, query: Omit<Query, 'where'> = { limit: 10 }) => plan(selectPage(scope, 'note', { where, ...query }));
const count = (where: Predicate) => plan(selectCount(scope, 'note', where));

/** `t` is the narrow rows, `t_document` and `d` are the documents: those are only ever looked up by number. */
const assertNoScan = (steps: string) => assert.doesNotMatch(steps, /SCAN (t|t_document|d|s\d?|overlay_\w+)\b|TEMP B-TREE/, steps);

describe('query plans of SQLite', () => {
  let store: Store;
  before(async () => {
    store = await storage.open(noteSchema);
    await store.transaction('write', async (tx) => {
      for (let index = 0; index < 50; index++)
        await tx.insert('note', note(`${index}`, { ownerId: `${index % 5}`, labels: [`l${index % 7}`, `m${index % 3}`] }));
    });
  });
  after(() => store.close());

  test('a row is found by its id', () => {
    const steps = plan(selectRow(scope, 'note', '7'));
    assert.match(steps, /SEARCH t USING PRIMARY KEY \(ns=\? AND id=\?\)/);
    assertNoScan(steps);
  });

  test('a page by id reads the rows in their order, with no sorting', () => {
    const steps = page(ALL);
    assert.match(steps, /SEARCH t USING PRIMARY KEY \(ns=\?\)/);
    assert.match(steps, /SEARCH d USING INTEGER PRIMARY KEY/);
    assertNoScan(steps);
  });

  test('a page by a unique field reads its index, with no sorting', () => {
    const steps = page(ALL, { sort: [{ field: stringField('name'), descending: false }], limit: 10 });
    assert.match(steps, /SEARCH t USING INDEX overlay_note__by_name \(ns=\?\)/);
    assert.doesNotMatch(steps, /TEMP B-TREE FOR ORDER BY/, steps);
  });

  test('a unique value, an indexed one and lists of them are looked up', () => {
    for (const where of [equals(stringField('name'), 'x'), oneOf(stringField('name'), ['x', 'y'])])
      assert.match(page(where), /SEARCH t USING INDEX overlay_note__by_name \(ns=\? AND name=\?\)/);
    for (const where of [equals(stringField('ownerId'), 'x'), oneOf(stringField('ownerId'), ['x', 'y'])])
      assert.match(page(where), /SEARCH t USING INDEX overlay_note__by_owner_id \(ns=\? AND owner_id=\?\)/);
    assert.match(page(oneOf(stringField('id'), ['x', 'y'])), /SEARCH t USING PRIMARY KEY \(ns=\? AND id=\?\)/);
    assertNoScan(page(equals(stringField('ownerId'), 'x')));
  });

  test('rows that hold an element are read from the element on, in order of id', () => {
    for (const where of [
      has('labels', 'l1'),
      and(has('labels', 'l1'), has('labels', 'm1')),
      and(has('labels', 'l1'), equals(booleanField('isOpen'), true)),
    ]) {
      const steps = page(where);
      assert.match(steps, /SEARCH s0 USING PRIMARY KEY \(ns=\? AND value=\?\)/);
      assertNoScan(steps.replaceAll(/USE TEMP B-TREE FOR ORDER BY$/gm, '')); // of the page itself, after it was found
    }
  });

  test('rows that hold one of some elements are merged from their lists', () => {
    const where: Predicate = { op: 'overlaps', set: 'labels', values: ['l1', 'l2', 'm1'] };
    for (const steps of [page(where), count(where)]) {
      assert.match(steps, /MERGE \(UNION\)/);
      assert.match(steps, /SEARCH s0 USING PRIMARY KEY \(ns=\? AND value=\?\)/);
    }
  });

  test('rows that hold one of many elements are found by these', () => {
    const where: Predicate = { op: 'overlaps', set: 'labels', values: Array.from({ length: 40 }, (_, index) => `l${index}`) };
    assert.match(page(where), /SEARCH t USING PRIMARY KEY \(ns=\? AND id=\?\)[\s\S]*SEARCH s[01] USING PRIMARY KEY \(ns=\? AND value=\?\)/);
    assert.match(count(where), /SCAN e VIRTUAL TABLE[\s\S]*SEARCH s0 USING PRIMARY KEY \(ns=\? AND value=\?\)/);
  });

  test('alternatives that lead to ids are one list, by which rows are looked up', () => {
    const where: Predicate = {
      op: 'or',
      terms: [
        oneOf(stringField('id'), ['1', '2']),
        { op: 'overlaps', set: 'labels', values: ['l1', 'l2'] },
        { op: 'covers', set: 'labels', values: ['l3', 'm1'] },
      ],
    };
    assert.match(page(where), /SEARCH t USING PRIMARY KEY \(ns=\? AND id=\?\)/);
    for (const steps of [page(where), count(where)]) assert.match(steps, /SEARCH s\d USING PRIMARY KEY \(ns=\? AND value=\?\)/);
  });

  test('lists that are all long are read side by side, and counted without looking at rows', () => {
    const where: Predicate = {
      op: 'or',
      terms: [and(has('labels', 'l1'), has('labels', 'm1')), and(has('labels', 'l2'), has('labels', 'm2'))],
    };
    const steps = count(where);
    assert.match(steps, /INTERSECT/);
    assert.doesNotMatch(steps, /SEARCH t\b/);
    assert.doesNotMatch(steps.replaceAll(/SEARCH s0 USING PRIMARY KEY \(ns=\? AND value=\?\)/g, ''), /SCAN overlay|SEARCH/);
  });

  test('a page of what many rows may be is looked for among the first in the order wanted', () => {
    const where: Predicate = {
      op: 'or',
      terms: [
        { op: 'covers', set: 'labels', values: ['l1', 'm1'] },
        { op: 'covers', set: 'labels', values: ['l2', 'm2'] },
      ],
    };
    const among = (query: Omit<Query, 'where'>) => selectAmongFirst(scope, 'note', { where, ...query });
    const byId = among({ limit: 10 });
    assert.ok(byId);
    assert.match(plan(byId), /SEARCH t USING PRIMARY KEY \(ns=\?\)/);
    assert.match(plan(byId), /SEARCH o0 USING PRIMARY KEY \(ns=\? AND value=\? AND id=\?\)/);
    const byName = among({ limit: 10, sort: [{ field: stringField('name'), descending: true }] });
    assert.ok(byName);
    assert.match(plan(byName), /SEARCH t USING INDEX overlay_note__by_name \(ns=\?\)/);
    assert.equal(among({ limit: 500 }), undefined);
    assert.equal(among({ limit: 10, sort: [{ field: { path: ['rank'], type: 'number' }, descending: false }] }), undefined);
  });

  test('a part of a name is looked for in the index of names', () => {
    assert.equal(
      count({ op: 'contains', field: stringField('name'), value: '7', fold: false }),
      'SEARCH t USING COVERING INDEX overlay_note__by_name (ns=?)',
    );
  });

  test('a column without an index is looked for in the narrow rows, not in the documents', () => {
    assert.equal(count(equals({ path: ['rank'], type: 'number' }, 7)), 'SEARCH t USING PRIMARY KEY (ns=?)');
    assert.match(count(equals({ path: ['tags', 'site'], type: 'tag' }, 'x')), /SEARCH t_document USING INTEGER PRIMARY KEY/);
  });

  test('an order without an index sorts the narrow rows as they lie', () => {
    const steps = page(ALL, { sort: [{ field: { path: ['updatedAt'], type: 'date' }, descending: true }], limit: 10 });
    assert.match(steps, /SEARCH t USING PRIMARY KEY \(ns=\?\)/);
  });

  test('counting all rows reads one number', () => {
    assert.equal(count(ALL), 'SEARCH overlay_controller_state USING PRIMARY KEY (ns=? AND name=?)');
  });

  test('the elements in use are stepped through, value by value', () => {
    const steps = plan(selectDistinct(scope, 'note', 'labels'));
    assert.match(steps, /SEARCH s USING PRIMARY KEY \(ns=\? AND value>\?\)/);
    assert.doesNotMatch(steps, /SCAN s\b/);
  });

  test('references are asked for one value after another', () => {
    assert.match(
      plan(selectReferenced(scope, 'note', 'ownerId', ['1', '9'])),
      /SEARCH t (EXISTS )?USING COVERING INDEX overlay_note__by_owner_id \(ns=\? AND owner_id=\?\)/,
    );
  });
});
