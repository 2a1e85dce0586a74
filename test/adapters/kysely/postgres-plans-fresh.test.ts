/** Questions to PostgreSQL about tables that were just filled, as by a restore: the planner has no statistics of them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { postgres } from '../../../adapters/storage/kysely/postgres/engine.ts';
import { rendered } from '../../../adapters/storage/kysely/render.ts';
import { Scope } from '../../../adapters/storage/kysely/scope.ts';
import { selectCount, selectPage } from '../../../adapters/storage/kysely/select.ts';
import type { Sql } from '../../../adapters/storage/kysely/sql.ts';
import { and, booleanField, equals, has, not, or, type Predicate, stringField } from '../../../src/query/predicate.ts';
import { needsPostgres, newSchema, type TestSchema } from '../../support/postgres.ts';
import { pgNotes } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

const scope = new Scope(postgres, 'overlay_', 'default', noteSchema);
const ROWS = 2000;
const LABELS = 4;

const all = (...values: readonly string[]): Predicate => ({ op: 'covers', set: 'labels', values });

/** Role questions as policies ask them, in the forms that the store puts them into: from the rarest value, or list beside list. */
const questions: Readonly<Record<string, Predicate>> = {
  'all of a rare value and common ones': all('r1', 'a1', 'all'),
  'all of common values': all('a1', 'b1', 'all'),
  'lists of common values side by side': and(has('labels', 'a1'), has('labels', 'b1'), has('labels', 'all')),
  'common values and a field': and(has('labels', 'a1'), has('labels', 'b1'), equals(booleanField('isOpen'), true)),
  'one of some pairs': or(all('r1', 'all'), all('r2', 'a1'), and(has('labels', 'a1'), has('labels', 'b1'))),
  'all but those that hold a pair': not(all('a1', 'b1')),
};

describe('query plans of PostgreSQL for tables without statistics', needsPostgres, () => {
  let place: TestSchema;
  let client: pg.Client;
  before(async () => {
    place = await newSchema();
    client = new pg.Client({ connectionString: place.connectionString });
    await client.connect();
    const store = await pgNotes(place).open(noteSchema);
    for (const table of ['overlay_note', 'overlay_note__document', 'overlay_note__labels'])
      await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await store.transaction('write', async (tx) => {
      for (let index = 0; index < ROWS; index++) {
        const labels = [`r${index % 100}`, `a${index % 3}`, `b${index % 5}`, 'all'];
        await tx.insert('note', note(`${index}`, { isOpen: index % 2 === 0, labels }));
      }
    });
    await store.close();
  });
  after(async () => {
    await client.end();
    await place[Symbol.asyncDispose]();
  });

  /** How many rows the steps of a statement handed on or threw away. */
  const rowsHandled = async (statement: Sql): Promise<number> => {
    const { text, parameters } = rendered(postgres, statement);
    await client.query(`prepare asked as ${text}`);
    const literals = parameters.map((value) => (typeof value === 'string' ? client.escapeLiteral(value) : String(value)));
    const { rows } = await client.query(`explain (analyze, timing off, format json) execute asked(${literals.join(', ')})`);
    await client.query('deallocate asked');
    return handledBy(rows[0]['QUERY PLAN'][0].Plan);
  };

  for (const mode of ['force_generic_plan', 'force_custom_plan'])
    for (const [name, where] of Object.entries(questions))
      test(`the cost of a question follows the number of elements, not its square: ${name} (${mode})`, async () => {
        await client.query(`set plan_cache_mode = '${mode}'`);
        const page = { where, limit: 10 };
        const statements = [selectPage(scope, 'note', page), selectCount(scope, 'note', where)];
        // A sorted page of alternatives stays a join, for which PostgreSQL takes a hash table once there are some thousand rows.
        if (where.op !== 'or')
          statements.push(selectPage(scope, 'note', { ...page, sort: [{ field: stringField('name'), descending: false }] }));
        for (const statement of statements) {
          const handled = await rowsHandled(statement);
          assert.ok(handled < 10 * ROWS * LABELS, `${handled} rows for ${rendered(postgres, statement).text}`);
        }
      });
});

type Step = { readonly Plans?: readonly Step[] } & Readonly<Record<string, unknown>>;

/** Counts of a step are averages over its loops. */
const handledBy = (step: Step): number => {
  const each = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter'].map((name) => Number(step[name] ?? 0));
  const own = each.reduce((sum, count) => sum + count, 0) * Number(step['Actual Loops'] ?? 0);
  return (step.Plans ?? []).reduce((sum, inner) => sum + handledBy(inner), own);
};
