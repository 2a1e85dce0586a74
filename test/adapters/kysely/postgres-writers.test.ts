import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { ManagementController } from '../../../src/controller/controller.ts';
import { StoreBusy, WriteConflict } from '../../../src/store/storage/errors.ts';
import { SECRET_KEY } from '../../support/app.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { ON_A_BUSY_MACHINE } from '../../support/stores.ts';
import { idsOfNotes, pgNotes, withClient } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

const administrator = { username: 'admin', password: 'the-admin-password' };
const configType = (name: string) => ({ body: { name } });

describe('writers of one PostgreSQL database', needsPostgres, () => {
  test('two controllers see what the other wrote, and share revisions without gaps', async () => {
    await using place = await newSchema();
    const open = () =>
      ManagementController.open({
        secretKey: SECRET_KEY,
        settings: { address: 'https://127.0.0.1:1280' },
        storage: postgresStorage({ ...place, lockTimeout: ON_A_BUSY_MACHINE }),
        administrator,
      });
    const [one, two] = await Promise.all([open(), open()]);
    const heard: number[] = [];
    one.events.on('change', ({ revision }) => heard.push(revision));
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? one : two).api.configTypes.create(configType(`type ${index}`))),
    );
    assert.equal((await one.api.configTypes.get({ id: made[0]?.id ?? '' })).name, 'type 0', 'written by the other');
    const revisions = await withClient(place.connectionString, async (client) =>
      (await client.query('select revision from overlay_change order by revision')).rows.map(({ revision }) => revision),
    );
    assert.deepEqual(
      revisions,
      revisions.map((_, index) => index + 1),
    );
    await one.api.configTypes.create(configType('the last'));
    assert.deepEqual(heard, [...revisions.slice(-20), revisions.length + 1], 'each change of both is announced, in order and once');
    await Promise.all([one.close(), two.close()]);
  });

  test('a write that the server could not serialise is run again', async () => {
    await using place = await newSchema();
    const controller = await ManagementController.open({
      secretKey: SECRET_KEY,
      settings: { address: 'https://127.0.0.1:1280' },
      storage: postgresStorage({ ...place, lockTimeout: ON_A_BUSY_MACHINE }),
      administrator,
    });
    await withClient(place.connectionString, (client) =>
      client.query(`create sequence attempts;
        create function fail_once() returns trigger language plpgsql as $$ begin
          if nextval('attempts') = 1 then raise exception 'could not serialize access' using errcode = '40001'; end if;
          return new;
        end $$;
        create trigger fail_once before insert on overlay_config_type for each row execute function fail_once()`),
    );
    const { id } = await controller.api.configTypes.create(configType('at the second attempt'));
    assert.equal((await controller.api.configTypes.get({ id })).name, 'at the second attempt');
    await controller.close();
  });

  test('a writer that waits too long for a host may try again, and readers do not wait', async () => {
    await using place = await newSchema();
    const storage = pgNotes({ ...place, lockTimeout: 60 });
    const store = await storage.open(noteSchema);
    await storage.db.transaction().execute(async (host) => {
      await store.join(host).insert('note', note('a'));
      await assert.rejects(
        store.transaction('write', (tx) => tx.nextRevision()),
        StoreBusy,
      );
      assert.deepEqual(await idsOfNotes(store), []);
    });
    assert.equal(await store.transaction('write', (tx) => tx.nextRevision()), 1);
    await store.close();
  });

  test('a host with an older view of the database cannot write over a newer one', async () => {
    await using place = await newSchema();
    const storage = pgNotes(place);
    const store = await storage.open(noteSchema);
    await store.transaction('write', (tx) => tx.nextRevision());
    const hosted = storage.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (host) => {
        await sql`select 1 from overlay_note`.execute(host);
        await store.transaction('write', (tx) => tx.nextRevision());
        await store.join(host).nextRevision();
      });
    await assert.rejects(hosted, WriteConflict);
    assert.equal(await store.transaction('write', (tx) => tx.nextRevision()), 3);
    await store.close();
  });

  test('rows of the host and of the store are committed or rolled back together', async () => {
    await using place = await newSchema();
    const storage = pgNotes(place);
    const store = await storage.open(noteSchema);
    await sql`create table host_order (id text primary key)`.execute(storage.db);
    const order = (id: string, fails: boolean) =>
      storage.db.transaction().execute(async (host) => {
        await sql`insert into host_order (id) values (${id})`.execute(host);
        await store.join(host).insert('note', note(id));
        if (fails) throw new RangeError('no');
      });
    await order('a', false);
    await assert.rejects(order('b', true), RangeError);
    const orders = await sql<{ id: string }>`select id from host_order`.execute(storage.db);
    assert.deepEqual([orders.rows.map((row) => row.id), await idsOfNotes(store)], [['a'], ['a']]);
    await store.close();
  });

  test('a client on which the host began a transaction can be joined until it ends', async () => {
    await using place = await newSchema();
    const store = await pgNotes(place).open(noteSchema);
    await withClient(place.connectionString, async (client) => {
      assert.throws(() => store.join(client), TypeError, 'no transaction yet');
      for (const [id, end] of [
        ['a', 'rollback'],
        ['b', 'commit'],
      ] as const) {
        await client.query('begin');
        const tx = store.join(client);
        await tx.insert('note', note(id, { labels: ['x'] }));
        assert.deepEqual(await idsOfNotes(store), []);
        await client.query(end);
        await assert.rejects(tx.insert('note', note('late')), TypeError);
      }
    });
    assert.deepEqual(await idsOfNotes(store), ['b']);
    await store.close();
  });

  test('work that continues after a statement failed is not reported as stored', async () => {
    await using place = await newSchema();
    const store = await pgNotes(place).open(noteSchema);
    const write = store.transaction('write', async (tx) => {
      await tx.insert('note', note('a'));
      await tx.insert('note', note('b', { name: 'a\0b' })).catch(() => undefined); // PostgreSQL cannot hold U+0000
    });
    await assert.rejects(write, /the transaction was rolled back/);
    assert.deepEqual(await idsOfNotes(store), []);
    await store.close();
  });

  test('what a transaction asks at once is asked one after the other', async () => {
    await using place = await newSchema();
    const pool = new pg.Pool(place);
    const [store, running] = [await pgNotes({ pool }).open(noteSchema), { now: 0, most: 0 }];
    pool.on('acquire', (client) => {
      const query = client.query.bind(client);
      // What `pg` overloads, in the one form that is used here.
      client.query = (async (asked: pg.QueryConfig) => {
        running.most = Math.max(running.most, ++running.now);
        return query(asked).finally(() => running.now--);
      }) as typeof client.query;
    });
    await store.transaction('read', (tx) => Promise.all(['a', 'b', 'c', 'd'].map((id) => tx.get('note', id))));
    assert.equal(running.most, 1);
    await store.close();
    await pool.end();
  });
});
