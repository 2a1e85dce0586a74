/** On SQLite, writers that wait for one another share a transaction: none of them is answered before it is committed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqliteStorage } from '../../../adapters/storage/kysely/index.ts';
import { newRow } from '../../../src/call/resources/merge.ts';
import { configType } from '../../../src/contract/api/configs.ts';
import { ALL } from '../../../src/query/predicate.ts';
import { webPlatform } from '../../../src/runtime/platform/web.ts';
import { type Entities, entitiesOf } from '../../../src/store/entities/entities.ts';
import { createStamps } from '../../../src/store/entities/stamps.ts';
import { createReadCache } from '../../../src/store/read-cache/read-cache.ts';
import { StorageError } from '../../../src/store/storage/errors.ts';
import type { Store, Transaction } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { folder, note, noteSchema, notes } from './support.ts';

const opened = async () => {
  const place = await folder();
  const storage = notes(place);
  const store = await storage.open(noteSchema);
  return {
    store,
    storage,
    async [Symbol.asyncDispose]() {
      await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
};

const sharing = <T>(store: Store, work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> =>
  store.transaction('write', work, { mayShareCommit: true, ...(signal && { signal }) });
const insert = (store: Store, id: string) => sharing(store, (tx) => tx.insert('note', note(id)));
const idsIn = (store: Store) => store.transaction('read', async (tx) => (await tx.list('note', { where: ALL })).map(({ id }) => id));
const statuses = async (writers: readonly Promise<unknown>[]) => (await Promise.allSettled(writers)).map(({ status }) => status);

test('a writer is answered when those that share its commit are done, and not before it is committed', async () => {
  await using one = await opened();
  const { store } = one;
  const [began, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isAnswered = false;
  const first = insert(store, 'a').then(() => {
    isAnswered = true;
  });
  const second = sharing(store, async (tx) => {
    assert.equal(tx.uncommitted?.isEmpty, false);
    assert.equal((await tx.get('note', 'a'))?.id, 'a');
    began.resolve();
    await go.promise;
    await tx.insert('note', note('b'));
  });
  await began.promise;
  assert.deepEqual([isAnswered, await idsIn(store)], [false, []]);
  go.resolve();
  await first;
  assert.deepEqual(await idsIn(store), ['a', 'b']);
  await second;
});

test('a writer that did not say so shares no commit', async () => {
  await using one = await opened();
  const { store } = one;
  const go = Promise.withResolvers<void>();
  const second = store.transaction('write', async (tx) => {
    assert.equal(tx.uncommitted, undefined);
    await go.promise;
  });
  const first = insert(store, 'a');
  setImmediate(() => go.resolve());
  await Promise.all([first, second]);
  assert.deepEqual(await idsIn(store), ['a']);
});

test('a writer that comes after long work shares no commit with it, and others have a turn before it', async () => {
  await using one = await opened();
  const { store } = one;
  let turns = 0;
  const first = sharing(store, async (tx) => {
    setImmediate(() => turns++);
    await tx.insert('note', note('a', { body: 'x'.repeat(600_000) }));
  });
  const second = sharing(store, async (tx) => {
    assert.equal(tx.uncommitted?.isEmpty, true);
    assert.equal(turns, 1);
    assert.deepEqual(await idsIn(store), ['a']);
  });
  await Promise.all([first, second]);
});

test('nobody else can join the transaction that writers share', async () => {
  await using one = await opened();
  await assert.rejects(
    sharing(one.store, async (tx) => tx.host),
    TypeError,
  );
});

test('where the commit fails, every writer that shares it fails, and nothing is stored', async () => {
  await using one = await opened();
  const { store, storage } = one;
  storage.connection.exec(
    'create table parent (id integer primary key); create table child (parent integer references parent (id) deferrable initially deferred)',
  );
  const orphan = () =>
    sharing(store, async () => {
      storage.connection.exec('insert into child values (1)');
    });
  const writers = [insert(store, 'a'), orphan(), insert(store, 'b')];
  assert.deepEqual(await statuses(writers), ['rejected', 'rejected', 'rejected']);
  for (const writer of writers) await assert.rejects(writer, StorageError);
  assert.deepEqual(await idsIn(store), []);
  await insert(store, 'c');
  assert.deepEqual(await idsIn(store), ['c']);
});

test('where the database rolls back by itself, every writer that shares the transaction fails', async () => {
  await using one = await opened();
  const { store, storage } = one;
  const lose = () =>
    sharing(store, async () => {
      storage.connection.exec('rollback'); // as SQLite does when the disk is full
      throw new Error('the disk is full');
    });
  assert.deepEqual(await statuses([insert(store, 'a'), lose(), insert(store, 'b')]), ['rejected', 'rejected', 'fulfilled']);
  assert.deepEqual(await idsIn(store), ['b']);
});

test('writers that waited for a locked database fail together, and later ones try again', async () => {
  await using place = await folder();
  const store = await notes({ ...place, lockTimeout: 20 }).open(noteSchema);
  const other = notes(place);
  await (await other.open(noteSchema)).transaction('write', async () => {
    assert.deepEqual(await statuses([insert(store, 'a'), insert(store, 'b')]), ['rejected', 'rejected']);
  });
  await insert(store, 'c');
  assert.deepEqual(await idsIn(store), ['c']);
  await store.close();
  await other.db.destroy();
});

test('a writer reads from memory what those before it have not written, and from the store what they have', async () => {
  await using place = await folder();
  const store = await sqliteStorage(place).open(storageSchema);
  const cache = createReadCache(1_000_000);
  const { clock, random } = webPlatform();
  const context = { actor: 'system', requestId: 'r', random, stamp: createStamps(clock), changesKept: 100, changeBytesKept: 100_000 };
  const named = (name: string, id: string) => newRow(configType, { name }, { id });
  const write = (work: (entities: Entities) => Promise<unknown>) =>
    sharing(store, async (tx) => {
      const entities = entitiesOf(tx, context, cache.writing);
      await work(entities);
      return entities.changes;
    }).then((changes) => cache.advance(changes));
  const rename = (id: string, name: string) =>
    write(async (entities) => entities.update(configType, await entities.require(configType, id), { name }));
  const seen: (string | undefined)[] = [];
  const look = () =>
    write(async (entities) => {
      for (const id of ['one', 'two']) seen.push((await entities.get(configType, id))?.name);
    });
  await write(async (entities) => {
    await entities.insert(configType, named('1', 'one'));
    await entities.insert(configType, named('2', 'two'));
  });
  await look();
  await Promise.all([rename('one', '1a'), look(), rename('two', '2a'), rename('one', '1b'), look()]);
  await look();
  assert.deepEqual(seen, ['1', '2', '1a', '2', '1b', '2a', '1b', '2a']);
  await store.close();
});

test('in a transaction that others may join, a writer reads nothing from memory once it has written', async () => {
  await using place = await folder();
  const store = await sqliteStorage(place).open(storageSchema);
  const cache = createReadCache(1_000_000);
  const { clock, random } = webPlatform();
  const context = { actor: 'system', requestId: 'r', random, stamp: createStamps(clock), changesKept: 100, changeBytesKept: 100_000 };
  const renamed = async (entities: Entities, id: string, name: string) =>
    entities.update(configType, await entities.require(configType, id), { name });
  await store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context, cache.writing);
    for (const id of ['one', 'two']) await entities.insert(configType, newRow(configType, { name: id }, { id }));
  });
  await store.transaction('write', async (tx) => {
    const entities = entitiesOf(tx, context, cache.writing);
    assert.equal((await entities.require(configType, 'two')).name, 'two');
    await renamed(entities, 'one', '1');
    await renamed(entitiesOf(store.join(tx.host), context), 'two', '2');
    assert.equal((await entities.require(configType, 'two')).name, '2');
  });
  await store.close();
});

test('what a writer reads of others that are not committed is not remembered', async () => {
  await using place = await folder();
  const storage = sqliteStorage({ ...place, synchronous: 'NORMAL' });
  const store = await storage.open(storageSchema);
  storage.connection.exec(
    'create table parent (id integer primary key); create table child (parent integer references parent (id) deferrable initially deferred)',
  );
  const cache = createReadCache(1_000_000);
  const { clock, random } = webPlatform();
  const context = { actor: 'system', requestId: 'r', random, stamp: createStamps(clock), changesKept: 100, changeBytesKept: 100_000 };
  const create = (name: string) => async (tx: Transaction) =>
    void (await entitiesOf(tx, context, cache.writing).insert(configType, newRow(configType, { name }, { id: 'one' })));
  const nameOf = async (entities: Entities) => (await entities.get(configType, 'one'))?.name;
  const seen = () => store.transaction('read', (tx) => nameOf(entitiesOf(tx, context, cache.reading)));

  assert.equal(await seen(), undefined);
  const peek = async (tx: Transaction) => {
    assert.equal(await nameOf(entitiesOf(tx, context, cache.writing)), 'never stored');
    storage.connection.exec('insert into child values (1)'); // the commit fails
  };
  assert.deepEqual(await statuses([sharing(store, create('never stored')), sharing(store, peek)]), ['rejected', 'rejected']);
  await store.transaction('write', create('stored'));
  assert.equal(await seen(), 'stored');
  await store.close();
});

test('a writer that is given up while it waits or works writes nothing, and the others write all the same', async () => {
  await using one = await opened();
  const { store } = one;
  const [waits, works] = [new AbortController(), new AbortController()];
  let hasBegun = false;
  const writers = [
    sharing(store, (tx) => tx.insert('note', note('a'))),
    sharing(
      store,
      async (tx) => {
        await tx.insert('note', note('b'));
        works.abort(new Error('given up at work'));
        await tx.insert('note', note('c'));
      },
      works.signal,
    ),
    sharing(
      store,
      async () => {
        hasBegun = true;
      },
      waits.signal,
    ),
    sharing(store, (tx) => tx.insert('note', note('d'))),
  ];
  waits.abort(new Error('given up in the queue'));
  const ended = await Promise.allSettled(writers);
  assert.deepEqual(
    ended.map((end) => (end.status === 'fulfilled' ? 'written' : end.reason.message)),
    ['written', 'given up at work', 'given up in the queue', 'written'],
  );
  assert.equal(hasBegun, false);
  assert.deepEqual(await idsIn(store), ['a', 'd']);
});
