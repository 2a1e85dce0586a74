import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { startPostgres } from '../../../scripts/postgres.ts';
import { StoreUnavailable } from '../../../src/store/storage/errors.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { silentProxy } from '../../support/silent-proxy.ts';
import { idsOfNotes, pgNotes, withClient } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

const both = (first: string, second: string, more = ''): string => first.replace(/(:\d+)\//, `$1,${new URL(second).host}/`) + more;

const readOnly = (url: string, isOn: boolean) =>
  withClient(url, async (client) => {
    await client.query(`alter system set default_transaction_read_only = ${isOn ? 'on' : 'off'}`);
    await client.query('select pg_reload_conf()');
  });

describe('a connection string with several hosts', needsPostgres, () => {
  test('leads to the server that takes writes, and to the other one when that is promoted', async () => {
    await using one = await startPostgres();
    await using two = await startPostgres();
    await readOnly(one.url, true);
    const store = await pgNotes({ connectionString: both(one.url, two.url), connectTimeout: 2000 }).open(noteSchema);
    const write = (id: string) => store.transaction('write', (tx) => tx.insert('note', note(id)));
    await write('a');
    assert.deepEqual(await withClient(two.url, async (client) => (await client.query('select id from overlay_note')).rows), [{ id: 'a' }]);

    // The primary is lost, and the other takes its place, with tables of its own here: what matters is where writes go.
    two.stop('immediate');
    await assert.rejects(write('b'), StoreUnavailable);
    await readOnly(one.url, false);
    await (await pgNotes({ connectionString: one.url }).open(noteSchema)).close();
    await write('c').catch(() => write('c'));
    assert.deepEqual(await idsOfNotes(store), ['c']);
    two.start();
    await store.close();
  });

  test('leads past a server that is silent, however long its connections may take, also if some are idle', async () => {
    await using silent = await startPostgres();
    await using other = await startPostgres();
    const proxy = await silentProxy(Number(new URL(silent.url).port));
    const through = new URL(silent.url);
    through.port = String(proxy.port);
    await readOnly(other.url, true);
    const limits = { connectTimeout: 60_000, statementTimeout: 300, lockTimeout: 3000 };
    const store = await pgNotes({ connectionString: both(through.href, other.url), ...limits }).open(noteSchema);
    await Promise.all(Array.from({ length: 4 }, () => idsOfNotes(store)));
    proxy.fallSilent();
    await readOnly(other.url, false);
    await (await pgNotes({ connectionString: other.url }).open(noteSchema)).close();
    const write = () => store.transaction('write', (tx) => tx.insert('note', note('a')));
    // A connection that was used a moment ago is taken for granted.
    await write().catch(async (error) => {
      assert.ok(error instanceof StoreUnavailable, String(error));
      await setTimeout(1000);
      await write();
    });
    assert.deepEqual(await withClient(other.url, async (client) => (await client.query('select id from overlay_note')).rows), [
      { id: 'a' },
    ]);
    await proxy[Symbol.asyncDispose]();
    await store.close();
  });

  test('a server that only reads cannot be asked for, and what is wrong with the string is said at once', async () => {
    await using one = await startPostgres();
    await using two = await startPostgres();
    const at = (attributes: string) => both(one.url, two.url, `?target_session_attrs=${attributes}`);
    for (const attributes of ['standby', 'read-only', 'nonsense'])
      assert.throws(
        () => postgresStorage({ connectionString: at(attributes) }),
        /target_session_attrs must be any, read-write, primary, got/,
      );
    assert.throws(() => postgresStorage({ connectionString: 'postgres:///db?host=a,b,c&port=1,2' }), /3 hosts and 2 ports/);
    const store = await pgNotes({ connectionString: at('any') }).open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    assert.deepEqual(await withClient(one.url, async (client) => (await client.query('select id from overlay_note')).rows), [{ id: 'a' }]);
    await store.close();
  });
});
