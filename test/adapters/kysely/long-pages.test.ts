/** A page of large documents on SQLite, whose driver reads a whole answer before anybody else has a turn. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import type { Row, Store } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';

const ROWS = 20;
/** Characters of a row: each is read and parsed alone. */
const LARGE = 1_100_000;

const rowOf = (i: number): Row => ({
  id: `id-${String(i).padStart(2, '0')}`,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  tags: { large: `${i}`.padEnd(LARGE, 'x') },
  name: `name ${i}`,
});

const withRows = async (work: (store: Store) => Promise<void>) => {
  const folder = await mkdtemp(join(tmpdir(), 'long-pages-'));
  try {
    await using store = await openedIn(folder);
    await store.transaction('write', async (tx) => {
      for (let i = 0; i < ROWS; i++) await tx.insert('configType', rowOf(i));
    });
    await work(store);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const openedIn = async (folder: string) => {
  const store = await sqliteStorage({ file: join(folder, 'controller.db'), synchronous: 'NORMAL' }).open(storageSchema);
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
};

const all = { where: { op: 'all' } } as const;

test('others have turns while it is read, and it is whole and in order', () =>
  withRows(async (store) => {
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const rows = await store.transaction('read', (tx) => tx.list('configType', all));
    clearInterval(others);
    assert.deepEqual(
      rows.map(({ id }) => id),
      Array.from({ length: ROWS }, (_, i) => rowOf(i).id),
    );
    assert.ok(rows.every((row, i) => JSON.stringify(row.tags) === JSON.stringify(rowOf(i).tags)));
    assert.ok(turns >= ROWS + 2, `${turns} turns`);
  }));

test('others have turns while what finds its rows is verified', () =>
  withRows(async (store) => {
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const { faults } = await store.transaction('read', (tx) => tx.verify('configType', { limit: 100 }));
    clearInterval(others);
    assert.deepEqual(faults, []);
    assert.ok(turns >= ROWS, `${turns} turns`);
  }));

test('the same page may be read twice at once in one transaction', () =>
  withRows(async (store) => {
    const [one, other] = await store.transaction('read', (tx) => Promise.all([tx.list('configType', all), tx.list('configType', all)]));
    assert.equal(one.length, ROWS);
    assert.deepEqual(other, one);
  }));

test('a transaction that ends before such a page is read leaves nothing to the next one', () =>
  withRows(async (store) => {
    let page: Promise<unknown> = Promise.resolve();
    await store.transaction('read', async (tx) => {
      page = tx.list('configType', all).catch((error: unknown) => error);
      await tx.count('configType', all.where);
    });
    await store.transaction('write', (tx) => tx.delete('configType', rowOf(0).id));
    // On each connection of the pool.
    const counts = await Promise.all(
      Array.from({ length: 8 }, () => store.transaction('read', async (tx) => (await tx.list('configType', { ...all, limit: 1 }))[0]?.id)),
    );
    assert.deepEqual(new Set(counts), new Set([rowOf(1).id]));
    assert.match(String(await page), /the transaction is over/);
  }));
