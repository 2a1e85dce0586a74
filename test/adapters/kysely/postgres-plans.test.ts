import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { postgres } from '../../../adapters/storage/kysely/postgres/engine.ts';
import { rendered } from '../../../adapters/storage/kysely/render.ts';
import { Scope } from '../../../adapters/storage/kysely/scope.ts';
import { selectCount, selectDistinct, selectPage, selectReferenced, selectRow } from '../../../adapters/storage/kysely/select.ts';
import type { Sql } from '../../../adapters/storage/kysely/sql.ts';
import { ALL, and, booleanField, equals, has, oneOf, type Predicate, stringField } from '../../../src/query/predicate.ts';
import type { Query } from '../../../src/store/storage/port.ts';
import { needsPostgres, newSchema, type TestSchema } from '../../support/postgres.ts';
import { pgNotes } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

const scope = new Scope(postgres, 'overlay_', 'default', noteSchema);
const ROWS = 5000;

describe('query plans of PostgreSQL', needsPostgres, () => {
  let place: TestSchema;
  let client: pg.Client;
  before(async () => {
    place = await newSchema();
    const store = await pgNotes(place).open(noteSchema);
    await store.transaction('write', async (tx) => {
      for (let index = 0; index < ROWS; index++)
        await tx.insert(
          'note',
          note(`${index}`, { ownerId: `${index % 500}`, isOpen: index % 2 === 0, labels: [`l${index % 70}`, `m${index % 30}`] }),
        );
    });
    await store.close();
    client = new pg.Client({ connectionString: place.connectionString });
    await client.connect();
    await client.query('analyze');
  });
  after(async () => {
    await client.end();
    await place[Symbol.asyncDispose]();
  });

  /** How PostgreSQL means to run a statement, whose values it does not know. */
  const plan = async (statement: Sql): Promise<string> => {
    await client.query("set plan_cache_mode = 'force_generic_plan'");
    const { text, parameters } = rendered(postgres, statement);
    await client.query(`prepare asked as ${text}`);
    const literals = parameters.map((value) => (typeof value === 'string' ? client.escapeLiteral(value) : String(value)));
    const { rows } = await client.query(`explain execute asked${literals.length > 0 ? `(${literals.join(', ')})` : ''}`);
    await client.query('deallocate asked');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const page = (where: Predicate, query: Omit<Query, 'where'> = { limit: 10 }) => plan(selectPage(scope, 'note', { where, ...query }));
  const count = (where: Predicate) => plan(selectCount(scope, 'note', where));
  const assertIndexed = (steps: string, ...indexes: readonly string[]) => {
    assert.doesNotMatch(steps, /Seq Scan/, steps);
    for (const index of indexes) assert.match(steps, new RegExp(`(using|on) ${index}\\b`), steps);
  };

  test('a row is found by its id', async () => {
    assertIndexed(await plan(selectRow(scope, 'note', '7')), 'overlay_note_pkey', 'overlay_note__document_pkey');
  });

  test('a page by id or by a unique field reads an index in its order, in both directions', async () => {
    assertIndexed(await page(ALL), 'overlay_note_pkey');
    for (const descending of [false, true]) {
      assertIndexed(await page(ALL, { sort: [{ field: stringField('id'), descending }], limit: 10 }), 'overlay_note_pkey');
      assertIndexed(await page(ALL, { sort: [{ field: stringField('name'), descending }], limit: 10 }), 'overlay_note__by_name');
    }
  });

  test('a unique value, an indexed one and lists of them are looked up', async () => {
    for (const where of [equals(stringField('name'), 'x'), oneOf(stringField('name'), ['x', 'y'])])
      assertIndexed(await page(where), 'overlay_note__by_name');
    for (const where of [equals(stringField('ownerId'), 'x'), oneOf(stringField('ownerId'), ['x', 'y'])])
      assertIndexed(await page(where), 'overlay_note__by_owner_id');
    assertIndexed(await page(oneOf(stringField('id'), ['x', 'y'])), 'overlay_note_pkey');
  });

  test('rows that hold elements are found by them', async () => {
    for (const where of [
      has('labels', 'l1'),
      and(has('labels', 'l1'), has('labels', 'm1')),
      and(has('labels', 'l1'), equals(booleanField('isOpen'), true)),
      { op: 'overlaps', set: 'labels', values: ['l1', 'l2', 'm1'] } as const,
    ])
      assertIndexed(await page(where), 'overlay_note__labels_pkey');
  });

  test('counting all rows reads one number', async () => {
    const steps = await count(ALL);
    assert.doesNotMatch(steps, /overlay_note/);
    assert.match(steps, /overlay_controller_state/);
  });

  test('the elements in use are stepped through, value by value', async () => {
    assertIndexed(await plan(selectDistinct(scope, 'note', 'labels')), 'overlay_note__labels_pkey');
  });

  test('references are asked for one value after another', async () => {
    assertIndexed(await plan(selectReferenced(scope, 'note', 'ownerId', ['1', '9'])), 'overlay_note__by_owner_id');
  });
});
