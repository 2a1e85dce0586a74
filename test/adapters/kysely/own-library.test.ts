/** The seam by which a store works in the transactions of any library, here one of the test's own on a connection of its own. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type HostStatement, type HostTransactions, sql, sqlite, sqliteFunctions } from '../../../adapters/storage/kysely/index.ts';
import { rendered } from '../../../adapters/storage/kysely/render.ts';
import { StorageError, StoreBusy, UniqueViolation } from '../../../src/store/storage/errors.ts';
import type { Store } from '../../../src/store/storage/port.ts';
import { folder, note, noteSchema, notes } from './support.ts';

class Library implements AsyncDisposable {
  readonly database: DatabaseSync;
  constructor(file: string) {
    this.database = new DatabaseSync(file, { timeout: 50 });
    for (const [name, run] of Object.entries(sqliteFunctions)) this.database.function(name, { deterministic: true }, run);
  }
  async [Symbol.asyncDispose]() {
    this.database.close();
  }
}

/** What came of statements, which take their time: as over a network. */
const seam = (asked: HostStatement[] = [], wrapped = (error: unknown) => error): HostTransactions<Library> => {
  let running = 0;
  return {
    isTransaction: (host): host is Library => host instanceof Library && host.database.isTransaction,
    async execute({ database }, statement) {
      assert.equal(++running, 1, 'one statement at a time');
      asked.push(statement);
      await new Promise(setImmediate);
      try {
        const prepared = database.prepare(statement.sql);
        const values = statement.parameters as Parameters<typeof prepared.all>; // SQLite refuses what it cannot hold
        assert.equal(statement.returnsRows, prepared.columns().length > 0, statement.sql);
        if (statement.returnsRows) return { rows: prepared.all(...values), written: 0 };
        return { rows: [], written: Number(prepared.run(...values).changes) };
      } catch (error) {
        throw wrapped(error);
      } finally {
        running--;
      }
    },
  };
};

interface Opened extends AsyncDisposable {
  readonly store: Store;
  readonly host: Library;
}
const opened = async (hostTransactions: HostTransactions): Promise<Opened> => {
  const place = await folder();
  const store = await notes({ ...place, hostTransactions, lockTimeout: 50 }).open(noteSchema);
  const host = new Library(place.file);
  return {
    store,
    host,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
};
const ids = ({ store }: Opened) =>
  store.transaction('read', async (tx) => (await tx.list('note', { where: { op: 'all' } })).map(({ id }) => id));

test("two functions are enough for a store to work in a library's transactions, and the host decides about them", async () => {
  await using one = await opened(seam());
  const { store, host } = one;
  for (const [id, end] of [
    ['a', 'rollback'],
    ['b', 'commit'],
  ] as const) {
    host.database.exec('begin immediate');
    await store.join(host).insert('note', note(id, { labels: ['x'] }));
    host.database.exec(end);
  }
  assert.deepEqual(await ids(one), ['b']);
});

test('each statement comes with its parameters in two forms, and one after another, whoever asks', async () => {
  const asked: HostStatement[] = [];
  await using one = await opened(seam(asked));
  one.host.database.exec('begin immediate');
  const [first, second] = [one.store.join(one.host), one.store.join(one.host)];
  await Promise.all([first.insert('note', note('a', { labels: ['x', 'y'] })), second.insert('note', note('b'))]);
  one.host.database.exec('commit');
  assert.deepEqual(await ids(one), ['a', 'b']);
  for (const { sql, strings, parameters } of asked) {
    assert.equal(strings.length, parameters.length + 1);
    assert.equal(strings.join('?'), sql);
  }
  assert.ok(asked.length > 5);
});

test('values in excess of the parameters that an engine takes are in the text of both forms', () => {
  const { text, strings, parameters } = rendered(
    { ...sqlite, maxParameters: 2 },
    sql`a = ${'1'} and b = ${'2'} and c = ${'3'} and d = ${4}!`,
  );
  assert.equal(text, "a = ? and b = ? and c = '3' and d = 4!");
  assert.deepEqual(
    [strings, parameters],
    [
      ['a = ', ' and b = ', " and c = '3' and d = 4!"],
      ['1', '2'],
    ],
  );
});

test('what comes after the end of the transaction is refused, and nothing of it is written', async () => {
  await using one = await opened(seam());
  one.host.database.exec('begin immediate');
  const late = one.store.join(one.host);
  await late.insert('note', note('a'));
  one.host.database.exec('commit');
  await assert.rejects(late.insert('note', note('b')), { name: 'TypeError', message: 'the transaction is over' });
  assert.throws(() => one.store.join(one.host), TypeError);
  assert.deepEqual(await ids(one), ['a']);
});

test('errors of the driver are understood, however the library wraps them', async () => {
  const wrapped = (error: unknown) =>
    new Error('the library failed', { cause: new Error('Failed query: params: secret', { cause: error }) });
  await using one = await opened(seam([], wrapped));
  const other = new DatabaseSync(one.host.database.location() ?? '');
  one.host.database.exec('begin immediate');
  const tx = one.store.join(one.host);
  await tx.insert('note', note('a', { name: 'ann' }));
  await assert.rejects(tx.insert('note', note('b', { name: 'ann' })), UniqueViolation);
  one.host.database.exec('commit; begin');
  other.exec('begin immediate');
  await assert.rejects(one.store.join(one.host).insert('note', note('c')), StoreBusy);
  other.close();
  one.host.database.exec('rollback; drop table overlay_note');
  one.host.database.exec('begin');
  await assert.rejects(one.store.join(one.host).get('note', 'a'), (error) => {
    assert.ok(error instanceof StorageError);
    for (let each: unknown = error; each instanceof Error; each = each.cause) assert.doesNotMatch(each.message, /secret/);
    return true;
  });
});

test('an object that is not a transaction of any library is refused with what would be one, and so is an option that is not a seam', async () => {
  await using one = await opened(seam());
  for (const host of [one.host, {}, () => undefined, undefined, null, 'begin'])
    assert.throws(() => one.store.join(host), { name: 'TypeError', message: /of a library in the option hostTransactions/ });
  for (const hostTransactions of [{}, [seam(), { execute: () => undefined }], 'drizzle'])
    assert.throws(() => notes({ file: ':memory:', hostTransactions: hostTransactions as never }), {
      name: 'TypeError',
      message: /^hostTransactions accepts objects with the functions isTransaction and execute, got /,
    });
});
