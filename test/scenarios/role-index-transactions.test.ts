/** Role indexes beneath the operations: what each transaction is told, whatever others do meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Predicate, stringField } from '../../src/query/index.ts';
import { createRoleIndexes } from '../../src/store/indexes/role-indexes.ts';
import type { CachedTransaction } from '../../src/store/read-cache/cached-transaction.ts';
import { createReadCache } from '../../src/store/read-cache/read-cache.ts';
import type { Query, Transaction } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { openApp } from '../support/app.ts';
import { createIdentities } from '../support/many-identities.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

const carrying = (attribute: string): Predicate => ({ op: 'overlaps', set: 'roleAttributes', values: [attribute] });
const person = (name: string, ...roleAttributes: string[]) => ({ name, type: 'User' as const, isAdmin: false, roleAttributes });

/** Identities `n0`, `n1`, ... from one number up to another. */
const numbered = (from: number, to: number, ...roleAttributes: string[]) =>
  Array.from({ length: to - from }, (_, i) => person(`n${from + i}`, ...roleAttributes));

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };

for (const name of stores) {
  const ground = async ({ maxBytes = 1_000_000 } = {}) => {
    const warned: string[] = [];
    const shared = newSharedStorage(name);
    const app = await openApp(name, { storage: shared.adapter(), settings: { roleIndexBytes: 0 } });
    const store = await shared.adapter().open(storageSchema);
    const stop = new AbortController();
    /** What scans go through. */
    const scanned: { by(tx: Transaction): Transaction } = { by: (tx) => tx };
    const running: Promise<unknown>[] = [];
    const indexes = createRoleIndexes(
      (work) => {
        const result = store.transaction('read', (tx) => work(scanned.by(tx), stop.signal));
        running.push(result.catch(() => undefined));
        return result;
      },
      maxBytes,
      { ...silent, warn: (line) => void warned.push(line) },
    );
    const cache = createReadCache(1_000_000, { indexes });
    const read = <T>(work: (tx: CachedTransaction) => Promise<T>) => store.transaction('read', (tx) => work(cache.reading(tx)));
    const count = (attribute: string) => read((tx) => tx.count('identity', carrying(attribute)));
    const scans = async () => {
      await Promise.all(running);
      await new Promise(setImmediate);
    };
    const warm = async () => {
      for (const attribute of ['x', 'y']) await count(attribute);
      await scans();
    };
    return {
      app,
      store,
      cache,
      count,
      warm,
      scans,
      scanned,
      stop,
      read,
      warned,
      rows: () => indexes.sizes().identity?.rows,
      [Symbol.asyncDispose]: async () => {
        await store.close();
        await app.close();
        await shared[Symbol.asyncDispose]();
      },
    };
  };

  test(`a transaction that sees an earlier state than the index is answered by its own (${name})`, async () => {
    await using all = await ground();
    const { app, store, cache, count, warm, rows } = all;
    await app.create('/identities', person('ann', 'a'));
    await warm();
    await store.transaction('read', async (tx) => {
      const early = cache.reading(tx);
      await early.revision();
      await app.create('/identities', person('bob', 'a'));
      assert.equal(await count('a'), 2);
      assert.equal(rows(), 3);
      assert.equal(await early.count('identity', carrying('a')), 1);
      const names = (await early.list('identity', { where: carrying('a') })).map((row) => row.name);
      assert.deepEqual(names, ['ann']);
    });
  });

  test(`a transaction that writes sees what it has written, and nobody else does (${name})`, async () => {
    await using all = await ground();
    const { app, store, cache, count, warm, rows } = all;
    const id = await app.create('/identities', person('ann', 'a'));
    await warm();
    const undone = new Error('undone');
    const writing = store.transaction('write', async (tx) => {
      const own = cache.writing(tx);
      assert.equal(await own.count('identity', carrying('a')), 1);
      const row = await own.get('identity', id);
      assert.ok(row);
      await own.update('identity', { ...row, roleAttributes: ['b'], version: await own.nextRevision() }, row.version);
      assert.deepEqual([await own.count('identity', carrying('a')), await own.count('identity', carrying('b'))], [0, 1]);
      assert.equal((await own.list('identity', { where: carrying('b') })).length, 1);
      throw undone;
    });
    await assert.rejects(writing, undone);
    assert.deepEqual([await count('a'), await count('b'), rows()], [1, 0, 2]);
  });

  test(`transactions that catch up at once see the same (${name})`, async () => {
    await using all = await ground();
    const { app, count, warm, rows } = all;
    await warm();
    for (let i = 0; i < 5; i++) await app.create('/identities', person(`n${i}`, 'a', `b${i}`));
    const counts = await Promise.all(['a', 'b0', 'a', 'b1', 'c'].map(count));
    assert.deepEqual([counts, rows()], [[5, 1, 5, 1, 0], 6]);
  });

  test(`what changes during the scan is in the index after it (${name})`, async () => {
    await using all = await ground();
    const { app, count, warm, scanned, rows, scans } = all;
    const id = await app.create('/identities', person('ann', 'a'));
    const gone = await app.create('/identities', person('bob', 'a'));
    await createIdentities(app.controller.api, numbered(0, 600));
    scanned.by = (tx) => {
      const change = async () => {
        await app.request('PATCH', `/identities/${id}`, { body: { roleAttributes: ['b'] } });
        await app.request('DELETE', `/identities/${gone}`);
        await app.create('/identities', person('cyd', 'a'));
      };
      let batches = 0;
      const list: Transaction['list'] = async (kind, query) => {
        const found = await tx.list(kind, query);
        if (++batches === 1) await change();
        return found;
      };
      return Object.assign(Object.create(tx) as Transaction, { list, revision: () => tx.revision() });
    };
    await warm();
    await scans();
    assert.equal(rows(), 603, 'as the scan saw them');
    assert.deepEqual([await count('a'), await count('b'), rows()], [1, 1, 603]);
  });

  /** The names of a page, and whether its rows were read by their ids. */
  const asking = async ({ store, cache }: Awaited<ReturnType<typeof ground>>, query: Query) => {
    const asked: Query[] = [];
    const rows = await store.transaction('read', (tx) => {
      const list: Transaction['list'] = (kind, query) => {
        if (kind === 'identity') asked.push(query);
        return tx.list(kind, query);
      };
      const spied = { list, revision: () => tx.revision() } as Transaction; // nothing else is asked for
      return cache.reading(spied).list('identity', query);
    });
    const names = rows.map((row) => String(row.name).slice(0, 3));
    return { names, byId: asked.every(({ where, sort = [] }) => where.op === 'in' && sort.length === 0) };
  };
  const NAME = stringField('name');
  const sorted = (descending: boolean, offset = 0): Query => ({
    where: carrying('a'),
    sort: [{ field: NAME, descending }],
    offset,
    limit: 2,
  });
  const after = (value: string): Query => ({ ...sorted(false), where: { op: 'compare', field: NAME, is: '>', value } });
  const containing = (value: string): Query => ({ where: { op: 'contains', field: NAME, value, fold: false }, limit: 2 });

  test(`a page that is sorted, or searched for a text, is read by its ids once it was asked for twice (${name})`, async () => {
    await using all = await ground();
    const { app, store, cache, warm, scans, read, rows } = all;
    const ids: string[] = [];
    for (const each of ['dan', 'bob', 'ann', 'cyd']) ids.push(await app.create('/identities', person(each, 'a')));
    await warm();
    for (const query of [sorted(false), sorted(true), containing('an'), containing('ob')]) await read((tx) => tx.list('identity', query));
    await scans();
    assert.deepEqual(await asking(all, after('bo')), { names: ['bob', 'cyd'], byId: true });
    assert.deepEqual(await asking(all, sorted(false, 1)), { names: ['bob', 'cyd'], byId: true });
    assert.deepEqual((await asking(all, sorted(true, 1))).names, ['cyd', 'bob']);
    assert.deepEqual((await asking(all, containing('an'))).names.toSorted(), ['ann', 'dan']);
    assert.deepEqual(await asking(all, containing('yd')), { names: ['cyd'], byId: true });
    // Earlier states are those of the store, also while names change.
    await store.transaction('read', async (tx) => {
      const early = cache.reading(tx);
      await early.revision();
      await app.request('PATCH', `/identities/${ids[3]}`, { body: { name: 'zoe' } });
      assert.deepEqual((await asking(all, sorted(true))).names, ['zoe', 'dan']);
      assert.deepEqual((await asking(all, containing('zo'))).names, ['zoe']);
      assert.deepEqual(
        (await early.list('identity', sorted(true))).map((row) => row.name),
        ['dan', 'cyd'],
      );
      assert.equal(await early.count('identity', containing('zo').where), 0);
    });
    await app.request('DELETE', `/identities/${ids[0]}`);
    assert.deepEqual(await asking(all, sorted(true)), { names: ['zoe', 'bob'], byId: true });
    assert.deepEqual((await asking(all, containing('dan'))).names, []);
    assert.equal(rows(), 4);
  });

  test(`a page behind many rows is read by its ids once it was asked for twice (${name})`, async () => {
    await using all = await ground();
    const { app, scans, read } = all;
    await createIdentities(
      app.controller.api,
      Array.from({ length: 1010 }, (_, i) => person(`n${String(i).padStart(4, '0')}`)),
    );
    const page = (offset: number, sort: Query['sort'] = []): Query => ({ where: { op: 'all' }, sort, offset, limit: 3 });
    const byName = [{ field: NAME, descending: false }];
    const expected = await all.store.transaction('read', (tx) => tx.list('identity', page(1003)));
    for (const offset of [0, 1, 2]) await read((tx) => tx.list('identity', page(offset)));
    await scans();
    assert.equal((await asking(all, page(999))).byId, false, 'the first pages need no index');
    for (const offset of [1000, 1001, 1002]) await read((tx) => tx.list('identity', page(offset, byName)));
    await scans();
    await read((tx) => tx.list('identity', page(1004, byName)));
    await scans();
    const names = expected.map((row) => String(row.name).slice(0, 3));
    assert.deepEqual(await asking(all, page(1003)), { names, byId: true });
    const sortedPage = await read((tx) => tx.list('identity', page(1005, byName)));
    // The administrator is before all that are named by a number.
    assert.deepEqual(
      sortedPage.map((row) => row.name),
      ['n1004', 'n1005', 'n1006'],
    );
    assert.equal((await asking(all, page(999))).byId, true, 'now that there is one, it knows their ids, too');
    assert.deepEqual(await asking(all, page(5000)), { names: [], byId: true });
  });

  test(`orders for which there is no room leave the index of roles as it is (${name})`, async () => {
    await using all = await ground({ maxBytes: 9000 });
    const { app, warm, scans, read, rows, count, warned } = all;
    for (let i = 0; i < 60; i++) await app.create('/identities', person(`n${String(i).padStart(2, '0')}${'x'.repeat(90)}`, 'a'));
    await warm();
    assert.equal(rows(), 61);
    for (let offset = 0; offset < 6; offset++) {
      await read((tx) => tx.list('identity', sorted(true, offset)));
      await scans();
    }
    assert.deepEqual(await asking(all, sorted(false)), { names: ['n00', 'n01'], byId: false });
    assert.deepEqual([await count('a'), rows(), warned.length], [60, 61, 1]);
  });

  test(`a scan that fails is begun again by later questions (${name})`, async () => {
    await using all = await ground();
    const { app, count, warm, scanned, rows } = all;
    await app.create('/identities', person('ann', 'a'));
    scanned.by = () => {
      throw new Error('the store is away');
    };
    await warm();
    assert.deepEqual([await count('a'), rows()], [1, undefined]);
    scanned.by = (tx) => tx;
    await app.create('/identities', person('bob', 'a'));
    await warm();
    assert.deepEqual([await count('a'), rows()], [2, 3]);
  });

  test(`a scan ends with its controller (${name})`, async () => {
    await using all = await ground();
    const { app, count, warm, stop, rows } = all;
    await createIdentities(app.controller.api, numbered(0, 501, 'a'));
    stop.abort(new Error('closed'));
    await warm();
    assert.deepEqual([await count('a'), rows()], [501, undefined]);
  });

  test(`an index with many later rows is made anew (${name})`, async () => {
    await using all = await ground();
    const { app, count, warm, rows } = all;
    await app.create('/identities', person('ann', 'a'));
    await warm();
    assert.equal(rows(), 2);
    await createIdentities(app.controller.api, numbered(0, 400, 'a'));
    assert.equal(await count('a'), 401);
    await createIdentities(app.controller.api, numbered(400, 800, 'a'));
    assert.equal(await count('a'), 801);
    await createIdentities(app.controller.api, numbered(800, 1200, 'a'));
    assert.equal(await count('a'), 1201);
    assert.equal(rows(), undefined);
    await warm();
    assert.deepEqual([await count('a'), rows()], [1201, 1202]);
  });
}
