import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import pg from 'pg';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { StoreBusy, StoreUnavailable } from '../../../src/store/storage/errors.ts';
import { ADMIN, openApp } from '../../support/app.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { silentProxy } from '../../support/silent-proxy.ts';
import { until } from '../../support/until.ts';
import { idsOfNotes, pgNotes, withClient } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

/** A place that is reached through a proxy which may fall silent, and short limits. */
const behindProxy = async () => {
  const place = await newSchema();
  const direct = new URL(place.connectionString);
  const proxy = await silentProxy(Number(direct.port), direct.hostname);
  const url = new URL(place.connectionString);
  url.port = String(proxy.port);
  url.hostname = '127.0.0.1';
  return {
    // A busy machine may take longer to connect than to answer.
    options: { connectionString: url.href, statementTimeout: 300, lockTimeout: 300, connectTimeout: 3000 },
    direct: place.connectionString,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
};

/** The slow statements that run at this place. Others may run for a moment, for example to renew a lease. */
const running = (connectionString: string): Promise<readonly string[]> =>
  withClient(connectionString, async (client) => {
    const { rows } = await client.query(
      "select query from pg_stat_activity where application_name = current_setting('application_name') and state = 'active' and wait_event = 'PgSleep'",
    );
    return rows.map(({ query }) => query);
  });

const SLOW = 'select pg_sleep(60)';

/** Makes every read of a table slow. */
const slowly = (connectionString: string, table: string): Promise<unknown> =>
  withClient(connectionString, (client) =>
    client.query(`alter table ${table} rename to fast; create view ${table} as select * from fast where (${SLOW}) is not null`),
  );

describe('PostgreSQL connections that fall silent', needsPostgres, () => {
  test('writers and readers are refused while nothing gets through, and resume by themselves when it does', async () => {
    await using place = await behindProxy();
    const store = await pgNotes(place.options).open(noteSchema);
    const write = (id: string) => store.transaction('write', (tx) => tx.insert('note', note(id)));
    await write('a');
    // Connections that will not know.
    await Promise.all(Array.from({ length: 4 }, () => store.transaction('read', async (tx) => void (await tx.get('note', 'a')))));
    place.proxy.fallSilent();
    await Promise.all([
      assert.rejects(write('b'), StoreUnavailable),
      // It waits for the one before, and gives up first.
      assert.rejects(write('c'), StoreBusy),
      assert.rejects(idsOfNotes(store), StoreUnavailable),
      assert.rejects(
        store.transaction('read', (tx) => tx.revision(), { priority: () => 'reserved' }),
        StoreUnavailable,
      ),
    ]);
    place.proxy.recover();
    // Each that is still idle, and silent, costs a call that is refused, and no more.
    let refused = 0;
    for (let isDone = false; !isDone; )
      isDone = await write('d').then(
        () => true,
        () => ++refused > 10,
      );
    assert.ok(refused <= 4, `${refused} calls were refused after the network was back`);
    assert.deepEqual(await idsOfNotes(store), ['a', 'd']);
    await store.close();
  });

  test('a call that is given up in the middle of a write gives its place to the next, and its connection to nobody', async () => {
    await using place = await behindProxy();
    // The time of statements would be long, and the call is given up before.
    const store = await pgNotes({ ...place.options, statementTimeout: 30_000 }).open(noteSchema);
    const given = new AbortController();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const first = store.transaction(
      'write',
      async (tx) => {
        await tx.insert('note', note('a'));
        place.proxy.fallSilent();
        begin();
        await tx.insert('note', note('b'));
      },
      { signal: given.signal },
    );
    await begun;
    // It may be refused while the first one is still there.
    const second = store.transaction('write', (tx) => tx.insert('note', note('c'))).catch(() => undefined);
    place.proxy.recover();
    given.abort(new RangeError('given up'));
    await assert.rejects(first, RangeError);
    // The server still holds the lock for the connection that it knows nothing bad of, and ends it by itself: see the test of the frozen
    // writer.
    await second;
    await store.close();
  });

  test('a store is closed within a bounded time, though a call is under way that the server does not answer', async () => {
    await using place = await behindProxy();
    const store = await pgNotes({ ...place.options, statementTimeout: 600_000, lockTimeout: 600_000 }).open(noteSchema);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const lost = store.transaction('write', async (tx) => {
      place.proxy.fallSilent();
      begin();
      await tx.insert('note', note('a'));
    });
    await begun;
    const refused = assert.rejects(lost, StoreUnavailable);
    await store.close();
    await refused;
  });

  test('a controller is closed likewise, with work in the background under way', async () => {
    await using place = await behindProxy();
    const storage = postgresStorage({ ...place.options, statementTimeout: 600_000, lockTimeout: 600_000 });
    const app = await openApp('postgres', { storage, member: { name: 'one' }, platform: { clock: { now: () => Date.now() } } });
    place.proxy.fallSilent();
    await app.close();
  });
});

describe('PostgreSQL statements that take too long', needsPostgres, () => {
  test('a statement is stopped by the server when its time is over', async () => {
    await using place = await newSchema();
    // Long enough for all other statements of the test, also the first ones, which make the tables.
    const storage = postgresStorage({ ...place, statementTimeout: 1000 });
    const app = await openApp('postgres', { storage });
    await withClient(place.connectionString, (client) =>
      client.query(`create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
        create trigger slow before insert on overlay_config_type for each row execute function slow()`),
    );
    const { status, headers } = await app.request('POST', '/config-types', { body: { name: 'slow' } });
    assert.equal(status, 503);
    assert.ok(Number(headers['retry-after']) > 0);
    assert.deepEqual(await running(place.connectionString), []);
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    await app.close();
  });

  test('a statement is stopped when the call is given up, its connection stays usable, and sixteen of them leave the pool as it was', async () => {
    await using place = await newSchema();
    const pool = new pg.Pool({ ...place, max: 4 });
    const store = await pgNotes({ pool }).open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    await slowly(place.connectionString, 'overlay_note');
    const given = new AbortController();
    const calls = Array.from({ length: 16 }, () =>
      store.transaction('read', (tx) => tx.count('note', { op: 'not', term: { op: 'none' } }), given),
    );
    const refused = Promise.all(calls.map((call) => assert.rejects(call, RangeError)));
    await until(async () => (await running(place.connectionString)).length === 4);
    const before = pool.totalCount;
    given.abort(new RangeError('given up'));
    await refused;
    assert.deepEqual(await running(place.connectionString), []);
    assert.deepEqual([pool.totalCount, pool.waitingCount], [before, 0], 'no connection was lost');
    await withClient(place.connectionString, (client) => client.query('drop view overlay_note; alter table fast rename to overlay_note'));
    assert.deepEqual(await idsOfNotes(store), ['a']);
    await store.close();
    await pool.end();
  });

  test('a process that freezes in the middle of a write holds up the others for as long as it was said, and no longer', async () => {
    await using place = await newSchema();
    const [frozen, other] = [pgNotes({ ...place, pauseTimeout: 300 }), pgNotes({ ...place, lockTimeout: 20_000 })];
    const [one, two] = [await frozen.open(noteSchema), await other.open(noteSchema)];
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const lost = one.transaction('write', async (tx) => {
      await tx.insert('note', note('a'));
      begin();
      await thawed;
      await tx.insert('note', note('b'));
    });
    await begun;
    // It comes by although the first one has not moved.
    await two.transaction('write', (tx) => tx.insert('note', note('c')));
    thaw();
    await assert.rejects(lost, StoreUnavailable);
    assert.deepEqual(await idsOfNotes(two), ['c']);
    const mayPause = one.transaction(
      'write',
      async (tx) => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        await tx.insert('note', note('d'));
      },
      { mayPause: true },
    );
    await mayPause;
    assert.deepEqual(await idsOfNotes(two), ['c', 'd']);
    await Promise.all([one.close(), two.close()]);
  });
});

/** Time for which a call waits for a connection: on a busy machine, the server needs seconds to open one. Less than a slow statement. ms */
const PATIENT = 20_000;

describe('the connections of a PostgreSQL store', needsPostgres, () => {
  test('ordinary sessions leave some of them to administrators and writers', async () => {
    await using place = await newSchema();
    const storage = postgresStorage({ ...place, connections: 4, connectTimeout: PATIENT });
    await using app = await openApp('postgres', { storage });
    const tokens = await Promise.all(Array.from({ length: 4 }, async () => (await app.user()).login()));
    await app.create('/services', { name: 'slow', encryptionRequired: true });
    const roles = { identityRoles: ['#all'], serviceRoles: ['#all'] };
    await app.create('/service-policies', { name: 'all', type: 'Dial', semantic: 'AnyOf', ...roles });
    await slowly(place.connectionString, 'overlay_service');
    const gone = new AbortController();
    const asked = tokens.map((as) => app.request('GET', '/edge/client/v1/services', { as, signal: gone.signal }));
    await until(async () => (await running(place.connectionString)).length === 2);
    // Administrators, and whoever logs in, get their answer.
    assert.equal((await app.request('GET', '/identities')).status, 200);
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false });
    assert.equal((await app.login(ADMIN.username, ADMIN.password)).status, 200);
    assert.equal((await running(place.connectionString)).length, 2);
    gone.abort();
    for (const answer of await Promise.all(asked)) assert.equal(answer.status, 503);
    assert.deepEqual(await running(place.connectionString), []);
  });

  test('an administrator who is seen for the first time waits for no ordinary session', async () => {
    await using place = await newSchema();
    const storage = postgresStorage({ ...place, connections: 4, connectTimeout: PATIENT });
    await using app = await openApp('postgres', { storage, settings: { readCacheBytes: 0 } });
    const as = await (await app.user()).login();
    await app.create('/service-policies', {
      name: 'all',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: ['#all'],
    });
    await app.create('/services', { name: 'slow', encryptionRequired: true });
    await slowly(place.connectionString, 'overlay_service');
    const gone = new AbortController();
    const asked = Array.from({ length: 6 }, () => app.request('GET', '/edge/client/v1/services', { as, signal: gone.signal }));
    await until(async () => (await running(place.connectionString)).length === 2);
    assert.equal((await app.request('GET', '/identities')).status, 200);
    assert.equal((await running(place.connectionString)).length, 2);
    gone.abort();
    for (const answer of await Promise.all(asked)) assert.equal(answer.status, 503);
  });

  test('a flood of tokens that are seen for the first time leaves some to administrators who are known, and to writers', async () => {
    await using place = await newSchema();
    const storage = postgresStorage({ ...place, connections: 4, connectTimeout: PATIENT });
    await using app = await openApp('postgres', { storage });
    assert.equal((await app.request('GET', '/services')).status, 200);
    await slowly(place.connectionString, 'overlay_api_session');
    const gone = new AbortController();
    const asked = Array.from({ length: 8 }, () => app.request('GET', '/current-identity', { as: randomUUID(), signal: gone.signal }));
    await until(async () => (await running(place.connectionString)).length === 3);
    assert.equal((await app.request('GET', '/services?filter=name="a"')).status, 200);
    await app.create('/config-types', { name: 'new' });
    assert.equal((await running(place.connectionString)).length, 3);
    gone.abort();
    for (const answer of await Promise.all(asked)) assert.equal(answer.status, 503);
  });
});
