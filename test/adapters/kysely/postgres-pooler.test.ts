/** Stores and controllers behind PgBouncer, which in transaction mode gives each transaction whichever session is free. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { poolConnections } from '../../../adapters/storage/kysely/postgres/pool.ts';
import { StoreUnavailable } from '../../../src/store/storage/errors.ts';
import type { Store } from '../../../src/store/storage/port.ts';
import { ADMIN, type Answer, openApp } from '../../support/app.ts';
import { needsPgBouncer, type PgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { needsPostgres, newSchema, postgresUrl, type TestSchema } from '../../support/postgres.ts';
import { ON_A_BUSY_MACHINE } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { idsOfNotes, pgNotes, withClient } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

const TRANSACTION = { pool_mode: 'transaction' };
/** A statement with a parameter: one is prepared when it runs for the third time. */
const SEVEN = 'select $1::int + 3 as value';
const NAMES = "select count(*)::int as value from pg_prepared_statements where name like 'overlay%'";

/** Two controllers with connections of their own. */
const twoThrough = async (pooler: PgBouncer, place: TestSchema) => {
  const open = () =>
    openApp('postgres', { storage: postgresStorage({ connectionString: pooler.to(place), lockTimeout: ON_A_BUSY_MACHINE }) });
  const apps = [await open(), await open()] as const;
  return { apps, [Symbol.asyncDispose]: async () => void (await Promise.all(apps.map((app) => app.close()))) };
};

/** How many statements a pool of one connection has prepared in its session, after a few that recur. */
const namesAfterUse = async (connectionString: string, prepared?: boolean): Promise<number> => {
  const pool = new pg.Pool({ connectionString, max: 1 });
  try {
    return await poolConnections(async () => pool, prepared).use(async (connection) => {
      for (let time = 0; time < 4; time++) await connection.run(SEVEN, [4]);
      return Number((await connection.run(NAMES, [])).rows[0]?.value);
    });
  } finally {
    await pool.end();
  }
};

const direct = postgresUrl ?? '';

describe('prepared statements on PostgreSQL', needsPostgres, () => {
  test('are used without being asked for where no pooler is between, and not if the option forbids it', async () => {
    assert.equal(await namesAfterUse(direct), 1);
    assert.equal(await namesAfterUse(direct, false), 0);
  });
});

describe('behind PgBouncer in transaction mode', needsPgBouncer, () => {
  for (const size of [1, 3])
    test(`two controllers are one network over ${size} of the server's sessions, whatever they do at once`, async () => {
      await using place = await newSchema();
      await using pooler = await startPgBouncer({ ...TRANSACTION, default_pool_size: size });
      await using both = await twoThrough(pooler, place);
      const answers: Answer[] = [];
      const asked = async (answer: Promise<Answer>) => {
        answers.push(await answer);
        return answers.at(-1);
      };
      const callers = Array.from({ length: 12 }, async (_, caller) => {
        const [app, other] = caller % 2 === 0 ? both.apps : [both.apps[1], both.apps[0]];
        for (let time = 0; time < 4; time++) {
          const body = { name: `${caller}-${time}`, type: 'User', isAdmin: false, roleAttributes: ['all'] };
          const created = await asked(app.request('POST', '/identities', { body }));
          const found = await asked(other.request('GET', `/identities/${created?.body.data.id}`));
          assert.equal(found?.body.data.name, body.name, 'the other controller sees it');
          await asked(other.request('GET', `/identities?limit=5&filter=name contains "-${time}" and anyOf(roleAttributes) = "all"`));
          await asked(app.login(ADMIN.username, ADMIN.password));
        }
      });
      await Promise.all(callers);
      assert.deepEqual(
        answers.filter(({ status }) => status >= 300),
        [],
      );
      for (const app of both.apps) {
        const { body } = await app.request('GET', '/identities?limit=1');
        assert.equal(body.meta.pagination.totalCount, 1 + 12 * 4);
        assert.deepEqual(await app.controller.health(), { isHealthy: true, store: 'ready', reasons: [] });
      }
    });

  test("nothing of a controller stays in the server's session", async () => {
    await using place = await newSchema();
    await using pooler = await startPgBouncer({ ...TRANSACTION, default_pool_size: 1 });
    await using app = await openApp('postgres', {
      storage: postgresStorage({ connectionString: pooler.to(place), lockTimeout: ON_A_BUSY_MACHINE }),
    });
    for (let time = 0; time < 4; time++) {
      await app.request('GET', '/identities');
      await app.request('POST', '/identities', { body: { name: `${time}`, type: 'User', isAdmin: false } });
    }
    await withClient(pooler.to(place), async (client) => {
      const { rows } = await client.query(
        `select (select count(*)::int from pg_prepared_statements) as prepared, (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
          pg_my_temp_schema()::int as temporary, (select count(*)::int from pg_listening_channels()) as channels,
          (select count(*)::int from pg_settings where source = 'session' and name like '%timeout') as settings`,
      );
      assert.deepEqual(rows, [{ prepared: 0, locks: 0, temporary: 0, channels: 0, settings: 0 }]);
    });
  });

  test('a statement is stopped when its call is given up, and no other', async (t) => {
    await using place = await newSchema();
    await using pooler = await startPgBouncer({ ...TRANSACTION, default_pool_size: 2 });
    const store = await pgNotes({ connectionString: pooler.to(place) }).open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    const given = new AbortController();
    const schema = new URL(place.connectionString).searchParams.get('application_name');
    await withClient(place.connectionString, async (holder) => {
      await holder.query('begin; select * from overlay_controller_state for update');
      const writing = store.transaction('write', (tx) => tx.insert('note', note('b')), given);
      const isWaiting = async () => {
        const { rows } = await holder.query(
          `select from pg_locks where not granted and locktype = 'transactionid' and pid in (select pid from pg_locks where relation = '${schema}.overlay_controller_state'::regclass)`,
        );
        return rows.length > 0;
      };
      while (!(await isWaiting()));
      given.abort(new RangeError('given up'));
      await assert.rejects(writing, /given up/);
      await holder.query('rollback');
    });
    const write = (to: Store) => to.transaction('write', (tx) => tx.insert('note', note('c')));
    let rest = store;
    await write(store).catch(async (error: unknown) => {
      assert.ok(error instanceof StoreUnavailable, String(error));
      await until(() => pooler.hasEnded);
      t.diagnostic('PgBouncer has ended by itself: the rest is checked without it');
      rest = await pgNotes(place).open(noteSchema);
      await write(rest);
    });
    assert.deepEqual(await idsOfNotes(rest), ['a', 'c']);
    await Promise.all([...new Set([store, rest])].map((each) => each.close()));
  });

  test('a store that is set to prepare statements notices that they are lost, and does without', async () => {
    await using place = await newSchema();
    await using pooler = await startPgBouncer({ ...TRANSACTION, default_pool_size: 2 });
    const connectionString = new URL(pooler.to(place));
    connectionString.searchParams.delete('schema');
    const pool = new pg.Pool({ connectionString: connectionString.href, max: 1 });
    const prepare = async (connections: ReturnType<typeof poolConnections>) =>
      connections.use(async (connection) => {
        for (let time = 0; time < 4; time++) await connection.run(SEVEN, [4]);
      });
    /** Runs `work` while another holds the session in which the statement is prepared. */
    const elsewhere = (work: () => Promise<void>) =>
      withClient(connectionString.href, async (client) => {
        await client.query('begin');
        await work();
        await client.query('rollback');
      });
    const first = poolConnections(async () => pool, true);
    const second = poolConnections(async () => pool, true);
    await prepare(first);
    await elsewhere(() =>
      second.use(async (connection) => {
        await connection.run('begin', []);
        await assert.rejects(connection.run(SEVEN, [4]), /prepared statement .* does not exist: .* set prepared=false/);
        await connection.run('rollback', []);
        await connection.run('begin', []);
        assert.deepEqual((await connection.run(SEVEN, [4])).rows, [{ value: 7 }]);
        await connection.run('rollback', []);
      }),
    );
    await elsewhere(() =>
      first.use(async (connection) => {
        assert.deepEqual((await connection.run(SEVEN, [4])).rows, [{ value: 7 }]);
      }),
    );
    await pool.end();
  });

  test('a search_path that the pooler ignores is refused, because it would lead to another network', async () => {
    await using place = await newSchema();
    await using pooler = await startPgBouncer({ ...TRANSACTION, ignore_startup_parameters: 'options' });
    const given = new URL(pooler.to(place, { options: '-c search_path=elsewhere' }));
    given.searchParams.delete('schema');
    for (const prepared of [undefined, 'false']) {
      if (prepared) given.searchParams.set('prepared', prepared);
      await assert.rejects(pgNotes({ connectionString: given.href }).open(noteSchema), (error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /ignores the search_path of the connection: set the schema with \?schema=NAME/);
        return true;
      });
    }
  });
});

describe('behind PgBouncer', needsPgBouncer, () => {
  test('in session mode, statements are prepared only if the connection string asks for it', async () => {
    await using place = await newSchema();
    await using pooler = await startPgBouncer({ pool_mode: 'session' });
    const through = new URL(pooler.to(place));
    through.searchParams.delete('schema');
    assert.equal(await namesAfterUse(through.href), 0);
    assert.equal(await namesAfterUse(through.href, true), 1);
    const store = await pgNotes({ connectionString: pooler.to(place, { prepared: 'true' }) }).open(noteSchema);
    for (const id of ['a', 'b', 'c', 'd']) await store.transaction('write', (tx) => tx.insert('note', note(id)));
    assert.deepEqual(await idsOfNotes(store), ['a', 'b', 'c', 'd']);
    await store.close();
  });

  test('in statement mode, a store is refused with what would be right', async () => {
    await using place = await newSchema();
    await using pooler = await startPgBouncer({ pool_mode: 'statement' });
    await assert.rejects(pgNotes({ connectionString: pooler.to(place) }).open(noteSchema), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /a controller requires transactions: set its pool_mode to transaction or session/);
      return true;
    });
  });

  test('settings of the connection string that the pooler refuses are named, with what takes their place', async () => {
    await using place = await newSchema();
    await using pooler = await startPgBouncer(TRANSACTION);
    const opened = pgNotes({ connectionString: pooler.to(place, { options: '-c search_path=elsewhere' }) }).open(noteSchema);
    await assert.rejects(opened, /startup parameter.*remove them.*\?schema=NAME/s);
  });
});
