import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { startPostgres } from '../../../scripts/postgres.ts';
import { StoreUnavailable } from '../../../src/store/storage/errors.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { idsOfNotes, pgNotes, withClient } from './postgres-support.ts';
import { note, noteSchema } from './support.ts';

const both = (first: string, second: string, more = ''): string => first.replace(/(:\d+)\//, `$1,${new URL(second).host}/`) + more;

describe('a connection string with several hosts', needsPostgres, () => {
  test('leads to the server that takes writes, and to the other one when that is promoted', async () => {
    await using one = await startPostgres();
    await using two = await startPostgres();
    const readOnly = (url: string, isOn: boolean) =>
      withClient(url, async (client) => {
        await client.query(`alter system set default_transaction_read_only = ${isOn ? 'on' : 'off'}`);
        await client.query('select pg_reload_conf()');
      });
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
