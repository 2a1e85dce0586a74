import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SCANNED_AT_ONCE } from '../../../adapters/storage/kysely/windows.ts';
import { service } from '../../../src/contract/api/kinds.ts';
import type { Predicate } from '../../../src/query/predicate.ts';
import type { Query } from '../../../src/store/storage/port.ts';
import { type App, openApp } from '../../support/app.ts';
import { countTurns } from '../../support/turns.ts';

const WINDOWS = 2;
const ROWS = WINDOWS * SCANNED_AT_ONCE + 5;

const fill = (app: App, count: number) =>
  app.inStore('write', async (entities) => {
    for (let i = 0; i < count; i++)
      await entities.insert(service, {
        ...{ id: `s${String(i).padStart(5, '0')}`, name: `service ${i}`, encryptionRequired: true, maxIdleTimeMillis: i % 7 },
        ...{ terminatorStrategy: 'smartrouting', roleAttributes: [], configs: [], tags: { site: i % 10, half: i % 2 } },
      });
  });

const tag = (name: string, value: string): Predicate => ({ op: 'compare', field: { path: ['tags', name], type: 'tag' }, is: '=', value });
const both: Predicate = { op: 'and', terms: [tag('site', '3'), tag('half', '1')] };
const EVERYTHING: Predicate = { op: 'all' };
const SITE: Predicate = { op: 'or', terms: [tag('site', '3'), tag('site', '8')] };

describe('a filter that reads the documents of a whole table in SQLite', () => {
  test('is worked on in windows, between which others have turns, and finds the same', async () => {
    await using app = await openApp('sqlite');
    await fill(app, ROWS);
    const expected = Array.from({ length: ROWS }, (_, i) => i)
      .filter((i) => i % 10 === 3 || i % 10 === 8)
      .map((i) => `s${String(i).padStart(5, '0')}`);
    const read = (query: Query) => app.inStore('read', (entities) => entities.list(service, query));
    for (const query of [{}, { limit: 3 }, { limit: 5, offset: 600 }, { limit: 500, offset: 500 }, { limit: 2, offset: 5000 }]) {
      const { offset = 0, limit = Infinity } = query as Query;
      const found: readonly string[] = (await read({ where: SITE, ...query })).map(({ id }) => id);
      assert.deepEqual(found, expected.slice(offset, offset + limit), JSON.stringify(query));
    }
    const orders = { name: 'string', createdAt: 'date', maxIdleTimeMillis: 'number', encryptionRequired: 'boolean' } as const;
    const half = tag('half', '1');
    for (const [where, ofTen] of [
      [EVERYTHING, 10],
      [SITE, 2],
      [half, 5],
    ] as const)
      for (const [field, type] of Object.entries(orders))
        for (const descending of [false, true]) {
          const sort = [{ field: { path: [field] as const, type }, descending }];
          const all = await read({ where, sort });
          assert.ok(all.length >= (ROWS * ofTen) / 10 - 5, field);
          for (const query of [
            { limit: 3 },
            { limit: 5, offset: 600 },
            { limit: 500, offset: 500 },
            { limit: 9, offset: 1500 },
            { limit: 1000, offset: 1 },
            { limit: 20, offset: all.length - 5 },
          ])
            assert.deepEqual(
              await read({ where, sort, ...query }),
              all.slice(query.offset ?? 0, (query.offset ?? 0) + query.limit),
              `${field} ${descending}`,
            );
        }
    using others = countTurns();
    assert.equal(await app.inStore('read', (entities) => entities.count(service, SITE)), expected.length);
    assert.deepEqual(await read({ where: tag('site', 'none'), limit: 10 }), []);
    assert.ok(others.turns >= WINDOWS, `${others.turns} turns`);
    for (const field of ['name', 'maxIdleTimeMillis']) {
      using meanwhile = countTurns();
      const sort = [{ field: { path: [field] as const, type: 'string' as const }, descending: false }];
      assert.deepEqual(await read({ where: tag('site', 'none'), sort, limit: 10 }), []);
      if (field !== 'name') assert.equal((await read({ where: EVERYTHING, sort, limit: 10 })).length, 10);
      assert.ok(meanwhile.turns >= WINDOWS, `${meanwhile.turns} turns in the order of ${field}`);
    }
    for (const where of [EVERYTHING, half]) {
      using meanwhile = countTurns();
      const sort = [{ field: { path: ['maxIdleTimeMillis'] as const, type: 'number' as const }, descending: true }];
      const page = await read({ where, sort, limit: 10, offset: 1400 });
      assert.deepEqual(page, (await read({ where, sort })).slice(1400, 1410));
      assert.ok(meanwhile.turns >= WINDOWS, `${meanwhile.turns} turns for a deep page`);
    }
    assert.equal(await app.inStore('read', (entities) => entities.count(service, both)), Math.floor((ROWS + 6) / 10));
  });
});
