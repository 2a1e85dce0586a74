/** Which schema of a PostgreSQL database a network is in. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { exportMigrations, nextContraction, postgresIn, postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { ManagementController } from '../../../src/controller/controller.ts';
import { equals } from '../../../src/query/predicate.ts';
import type { StorageSchema } from '../../../src/store/storage/port.ts';
import { ADMIN, SECRET_KEY } from '../../support/app.ts';
import { SHARED_PKI } from '../../support/pki.ts';
import { execute, inSchema, needsPostgres, newSchema, postgresUrl } from '../../support/postgres.ts';
import { idsOfNotes, pgNotes, withClient } from './postgres-support.ts';
import { migrationsThrough, note, noteSchema } from './support.ts';

/** A name that must be quoted, of a schema that is not there yet. */
const newName = (): string => `App "${randomUUID().slice(0, 8)}"`;
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const dropped = (name: string) => ({
  [Symbol.asyncDispose]: () => execute(`set client_min_messages = warning; drop schema if exists ${quoted(name)} cascade`),
});
const here = { connectionString: postgresUrl ?? '' };

const tablesIn = (schema: string): Promise<readonly string[]> =>
  withClient(here.connectionString, async (client) => {
    const { rows } = await client.query('select tablename from pg_tables where schemaname = $1', [schema]);
    return rows.map(({ tablename }) => tablename);
  });

describe('the schema of a network on PostgreSQL', needsPostgres, () => {
  test('is the current one alone: a network further on in the search_path is not joined', async () => {
    await using before = await newSchema();
    await using own = await newSchema();
    const existing = await pgNotes(before).open(noteSchema);
    await existing.transaction('write', (tx) => tx.insert('note', note('a')));
    const [first, second] = [own, before].map(({ connectionString }) => /search_path%3D(\w+)/.exec(connectionString)?.[1]);
    const store = await pgNotes({ connectionString: inSchema(`${first},${second}`) }).open(noteSchema);
    assert.deepEqual(await idsOfNotes(store), []);
    await store.transaction('write', (tx) => tx.insert('note', note('b')));
    assert.deepEqual([await idsOfNotes(existing), await idsOfNotes(store)], [['a'], ['b']]);
    await Promise.all([existing.close(), store.close()]);
  });

  test('is the one that the option or the connection string names, made by the migrations, whatever the search_path', async () => {
    await using elsewhere = await newSchema();
    const name = newName();
    await using _ = dropped(name);
    const store = await pgNotes({ ...elsewhere, schema: name }).open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a', { readers: ['ann'] })));
    const address = new URL(here.connectionString);
    address.searchParams.set('schema', name);
    const again = await pgNotes({ connectionString: address.href, migrate: false }).open(noteSchema);
    assert.deepEqual(await idsOfNotes(again), ['a']);
    const other = await pgNotes(elsewhere).open(noteSchema);
    assert.deepEqual(await idsOfNotes(other), []);
    await Promise.all([store.close(), again.close(), other.close()]);
  });

  test('is kept in a transaction of the host, whose search_path is another', async () => {
    await using elsewhere = await newSchema();
    const name = newName();
    await using _ = dropped(name);
    const store = await pgNotes({ ...elsewhere, schema: name }).open(noteSchema);
    await withClient(elsewhere.connectionString, async (client) => {
      await client.query('begin');
      const joined = await store.join(client);
      await joined.insert('note', note('a'));
      await client.query('commit');
    });
    assert.deepEqual(await idsOfNotes(store), ['a']);
    await store.close();
  });

  test('is kept by every step of a migration', async () => {
    await using elsewhere = await newSchema();
    const name = newName();
    await using _ = dropped(name);
    const later: StorageSchema = [
      { kind: 'note', columns: [{ name: 'weight', type: 'number', index: true }], sets: ['readers'] },
      { kind: 'folder', columns: [], sets: [] },
    ];
    const options = { ...elsewhere, schema: name };
    const store = await pgNotes(options).open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a', { weight: 2, readers: ['ann'] })));
    await store.close();
    const chain = migrationsThrough(noteSchema, later);
    const dropping = nextContraction(chain, 'drop-what-was-retired');
    assert.ok(dropping);
    const migrated = await pgNotes({ ...options, migrations: [...chain, dropping] }).open(later);
    const found = await migrated.transaction('read', (tx) => tx.list('note', { where: equals({ path: ['weight'], type: 'number' }, 2) }));
    assert.deepEqual(
      found.map(({ id }) => id),
      ['a'],
    );
    await migrated.close();
    assert.match(exportMigrations(postgresIn('app3')), /create schema if not exists "app3";.*create table "app3"\."overlay_identity"/s);
  });

  test('holds whole controllers, each in a schema of its own', async () => {
    const names = [newName(), newName()] as const;
    await using _ = dropped(names[0]);
    await using __ = dropped(names[1]);
    const [one, two] = await Promise.all(
      names.map((schema) =>
        ManagementController.open({
          storage: postgresStorage({ ...here, schema }),
          administrator: ADMIN,
          secretKey: SECRET_KEY,
          settings: { address: 'https://127.0.0.1:1280' },
          ...SHARED_PKI,
        }),
      ),
    );
    assert.ok(one && two);
    const body = { name: 'Über', type: 'User', isAdmin: false } as const;
    await one.api.identities.create({ body });
    await assert.rejects(one.api.identities.create({ body }), /unique|COULD_NOT_VALIDATE/);
    const { totalCount } = (await one.api.identities.list({ filter: 'name icontains "über"' })).pagination;
    assert.equal(totalCount, 1);
    assert.equal((await two.api.identities.list({ filter: 'name icontains "über"' })).pagination.totalCount, 0);
    await Promise.all([one.close(), two.close()]);
    for (const name of names) assert.ok((await tablesIn(name)).includes('overlay_identity'));
  });
});
