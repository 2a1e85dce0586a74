/** Connections of SQL stores, by the priority of those that read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresStorage, sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import type { Priority, Store, Transaction, TransactionOptions } from '../../../src/store/storage/port.ts';
import { openApp, SECRET_KEY } from '../../support/app.ts';
import { newSchema, postgresUrl } from '../../support/postgres.ts';
import { folder, migrationsThrough, note, noteSchema } from './support.ts';

/** Databases with five connections to read from, of which ordinary readers have three. */
const databases = [
  {
    engine: 'sqlite',
    skip: false,
    make: async () => {
      const { file, [Symbol.asyncDispose]: dispose } = await folder();
      return { storage: (options = {}) => sqliteStorage({ file, ...options }), [Symbol.asyncDispose]: dispose };
    },
  },
  {
    engine: 'postgres',
    skip: postgresUrl ? false : 'POSTGRES_URL is not set: run it through scripts/postgres.ts',
    make: async () => {
      const { connectionString, [Symbol.asyncDispose]: dispose } = await newSchema();
      return {
        storage: (options = {}) => postgresStorage({ connectionString, connections: 5, ...options }),
        [Symbol.asyncDispose]: dispose,
      };
    },
  },
] as const;
const ORDINARY = 3;

const count = (tx: Transaction) => tx.count('note', { op: 'all' });

/** A read that holds its connection until it is let go. */
const holding = (store: Store, priority: () => Priority | undefined, options: TransactionOptions = {}) => {
  const [held, free, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const state = { runs: 0 };
  const work = async (tx: Transaction) => {
    state.runs++;
    await count(tx);
    held.resolve();
    await free.promise;
    return count(tx);
  };
  const onWait = () => {
    waiting.resolve();
    return () => undefined;
  };
  const answer = store.transaction('read', work, { priority, onWait, ...options });
  return Object.assign(state, { answer, held: held.promise, waits: waiting.promise, letGo: () => free.resolve() });
};
const ordinary = () => 'ordinary' as const;
const reserved = () => 'reserved' as const;

for (const { engine, skip, make } of databases)
  describe(`connections by priority (${engine})`, { skip }, () => {
    const open = async () => {
      const database = await make();
      const store = await database.storage({ migrations: migrationsThrough(noteSchema) }).open(noteSchema);
      await store.transaction('write', async (tx) => {
        await tx.insert('note', note('a'));
        await tx.nextRevision();
      });
      return {
        store,
        add: (id: string) =>
          store.transaction('write', async (tx) => {
            await tx.insert('note', note(id));
            await tx.nextRevision();
          }),
        async [Symbol.asyncDispose]() {
          await store.close();
          await database[Symbol.asyncDispose]();
        },
      };
    };
    const crowd = async (store: Store) => {
      const readers = Array.from({ length: ORDINARY }, () => holding(store, ordinary));
      await Promise.all(readers.map(({ held }) => held));
      return {
        leave: async () => {
          for (const { letGo } of readers) letGo();
          await Promise.all(readers.map(({ answer }) => answer));
        },
      };
    };

    test('the priority is asked for with the first statement that needs a connection, and no more once it is known', async () => {
      await using database = await open();
      let asked = 0;
      const seen: number[] = [];
      const work = async (tx: Transaction) => {
        for (const ask of [() => tx.revision(), () => count(tx), () => count(tx)]) {
          await ask();
          seen.push(asked);
        }
      };
      const priority = () => {
        asked++;
        return ordinary();
      };
      await database.store.transaction('read', work, { priority });
      assert.deepEqual(seen, [0, 1, 1]);
    });

    test('ordinary readers leave connections to reserved ones, to writers, and to callers that are not known yet', async () => {
      await using database = await open();
      const { store, add } = database;
      const { leave } = await crowd(store);
      const late = holding(store, ordinary);
      await late.waits;
      assert.equal(await store.transaction('read', count, { priority: reserved }), 1);
      assert.equal(await store.transaction('read', count, { priority: () => undefined }), 1);
      assert.equal(await store.transaction('read', count), 1);
      await add('b');
      await leave();
      late.letGo();
      assert.deepEqual([await late.answer, late.runs], [2, 1], 'it has begun after its wait');
    });

    test('any number of callers that are not known take one reserved connection, and none from those that are', async () => {
      await using database = await open();
      const { store } = database;
      const { leave } = await crowd(store);
      const first = holding(store, () => undefined);
      await first.held;
      const others = Array.from({ length: 20 }, () => holding(store, () => undefined));
      await Promise.all(others.map(({ waits }) => waits));
      assert.equal(await store.transaction('read', count, { priority: reserved }), 1);
      for (const { letGo } of [first, ...others]) letGo();
      assert.deepEqual(new Set(await Promise.all([first, ...others].map(({ answer }) => answer))), new Set([1]));
      await leave();
    });

    test('a caller that turns out to be ordinary gives its connection back while it waits, and runs again', async () => {
      await using database = await open();
      const { store } = database;
      const { leave } = await crowd(store);
      const known: (Priority | undefined)[] = [undefined, undefined];
      const found = known.map((_, i) => holding(store, () => known[i]));
      for (const [i, { held, letGo, waits }] of found.entries()) {
        await held;
        known[i] = 'ordinary';
        letGo();
        await waits;
      }
      assert.equal(await store.transaction('read', count, { priority: reserved }), 1);
      await leave();
      assert.deepEqual(await Promise.all(found.map(({ answer }) => answer)), [1, 1]);
      assert.deepEqual(
        found.map(({ runs }) => runs),
        [2, 2],
      );
    });

    test('a caller that turns out to be an administrator continues at once', async () => {
      await using database = await open();
      const { store } = database;
      const { leave } = await crowd(store);
      let known: Priority | undefined;
      const administrator = holding(store, () => known);
      await administrator.held;
      known = 'reserved';
      administrator.letGo();
      assert.deepEqual([await administrator.answer, administrator.runs], [1, 1]);
      await leave();
    });

    test('a read runs again when the state has moved since its revision was asked for, and no more however much is written', async () => {
      for (const priority of [ordinary, reserved, () => undefined]) {
        await using database = await open();
        const { store, add } = database;
        let runs = 0;
        const work = async (tx: Transaction) => {
          const revision = await tx.revision();
          await add(`note ${++runs}`);
          return [revision, await count(tx)];
        };
        assert.deepEqual(await store.transaction('read', work, { priority }), [2, 2]);
        assert.equal(runs, 2);
      }
    });

    test('one that gives up while it waits is out of the queue, and one that gives up later ends', async () => {
      await using database = await open();
      const { store } = database;
      const { leave } = await crowd(store);
      const gone = new AbortController();
      const waiting = holding(store, ordinary, { signal: gone.signal });
      const next = holding(store, ordinary);
      await Promise.all([waiting.waits, next.waits]);
      const ended = assert.rejects(waiting.answer, RangeError);
      gone.abort(new RangeError('given up'));
      await ended;
      assert.equal(waiting.runs, 1);
      await leave();
      next.letGo();
      assert.equal(await next.answer, 1);
      const ending = new AbortController();
      const work = async (tx: Transaction) => {
        await count(tx);
        ending.abort(new RangeError('given up'));
        return count(tx);
      };
      for (let i = 0; i <= ORDINARY; i++)
        await assert.rejects(store.transaction('read', work, { priority: ordinary, signal: ending.signal }), RangeError);
    });

    test('nothing can be read in a read that is over, and its work is not run again when that fails', async () => {
      await using database = await open();
      const { store } = database;
      let kept: Transaction | undefined;
      await store.transaction('read', async (tx) => void (kept = tx), { priority: ordinary });
      await assert.rejects(async () => kept?.get('note', 'a'), TypeError);
      let runs = 0;
      const failing = async (tx: Transaction) => {
        runs++;
        await count(tx);
        throw new RangeError('changed my mind');
      };
      for (const priority of [ordinary, reserved, () => undefined])
        await assert.rejects(store.transaction('read', failing, { priority }), RangeError);
      assert.equal(runs, 3);
    });

    test('every call of an ordinary session gives its slot back, though nothing is remembered of it', async () => {
      await using database = await make();
      const settings = { readCacheBytes: 0, requestTimeoutMs: 5000 };
      await using app = await openApp(engine, { storage: database.storage(), secretKey: SECRET_KEY, settings });
      const as = await (await app.user()).login();
      const request = async (method: string, path: string, body?: unknown) =>
        (await app.request(method, path, { as, ...(body === undefined ? {} : { body }) })).status;
      for (let round = 0; round < 2 * ORDINARY; round++) {
        assert.equal(await request('GET', '/current-identity'), 200);
        assert.equal(await request('POST', '/edge/client/v1/sessions', { serviceId: 'none', type: 'Dial' }), 404);
        assert.equal(await request('GET', '/identities/none'), 401);
      }
    });
  });
