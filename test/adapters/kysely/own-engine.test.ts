import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Kysely } from 'kysely';
import { exportMigrations, kyselyStorage, postgres, type SqlEngine, sqlite } from '../../../adapters/storage/kysely/index.ts';
import { equals, or, stringField } from '../../../src/query/predicate.ts';
import { StorageError } from '../../../src/store/storage/errors.ts';
import type { StorageSchema } from '../../../src/store/storage/port.ts';
import { storageSuite } from '../../conformance/storage.suite.ts';
import { openApp } from '../../support/app.ts';
import { ownDialect, ownEngine } from './own-engine.ts';
import { own } from './own-engine-support.ts';
import { assertFilled, folder, migrationsThrough, note, noteSchema } from './support.ts';

storageSuite(own);

const notes = (file: string, schemas: readonly StorageSchema[] = [noteSchema], engine: SqlEngine = ownEngine) =>
  kyselyStorage({ engine, dialect: ownDialect(file), migrate: true, migrations: migrationsThrough(...schemas) });

describe("an engine of one's own", () => {
  test('a controller runs on it', async () => {
    const db = new Kysely<unknown>({ dialect: ownDialect(':memory:') });
    await using app = await openApp('own', { storage: kyselyStorage({ db, engine: ownEngine, migrate: true }) });
    for (const name of ['Straße', "o'neill", 'back\\slash', 'ques?ion'])
      await app.create('/identities', { name, type: 'User', isAdmin: false, roleAttributes: ['all', name.length > 8 ? 'long' : 'short'] });
    const named = async (filter: string) => {
      const { body } = await app.request('GET', `/identities?filter=${encodeURIComponent(filter)}`);
      return body.data.map(({ name }: { readonly name: string }) => name);
    };
    assert.deepEqual(await named('name icontains "STRASSE"'), ['Straße']);
    assert.deepEqual(await named('anyOf(roleAttributes) = "short" sort by name desc limit 2'), ['ques?ion', "o'neill"]);
    assert.deepEqual(await named('name contains "?"'), ['ques?ion']);
    const taken = await app.request('POST', '/identities', { body: { name: 'Straße', type: 'User', isAdmin: false } });
    assert.deepEqual([taken.status, taken.body.error.cause.field], [400, 'name']);
    await db.destroy();
  });

  test('what a migration adds is filled from the documents, and what it drops is gone', async () => {
    await using place = await folder();
    await assertFilled((...schemas) => notes(place.file, schemas).open(schemas.at(-1) ?? []));
  });

  test('processes that open an empty database at once migrate it once', async () => {
    await using place = await folder();
    const stores = await Promise.all([1, 2, 3].map(() => notes(place.file).open(noteSchema)));
    for (const [index, store] of stores.entries()) await store.transaction('write', (tx) => tx.insert('note', note(`${index}`)));
    for (const store of stores) await store.close();
  });

  test('what is more than its parameters is a literal, and stays one value whatever it holds', async () => {
    await using place = await folder();
    const store = await notes(place.file).open(noteSchema);
    const names = Array.from({ length: 70 }, (_, index) => `'?${index} "\\' or 1 = 1 -- \`${index}\``);
    await store.transaction('write', (tx) => tx.insert('note', note('a', { name: names.at(-1) })));
    await store.transaction('write', (tx) => tx.insert('note', note('b', { name: 'b' })));
    const found = await store.transaction('read', (tx) =>
      tx.list('note', { where: or(...names.map((name) => equals(stringField('name'), name))) }),
    );
    assert.deepEqual(
      found.map(({ id }) => id),
      ['a'],
    );
    await store.close();
  });

  test('a namespace and a prefix may have any characters', async () => {
    await using place = await folder();
    const odd = { namespace: "it's `?1` \\ $1", prefix: 'my ?`tables`_' };
    const storage = kyselyStorage({
      ...odd,
      engine: ownEngine,
      dialect: ownDialect(place.file),
      migrate: true,
      migrations: migrationsThrough(noteSchema),
    });
    const store = await storage.open(noteSchema);
    await store.transaction('write', (tx) => tx.insert('note', note('a')));
    assert.equal(await store.transaction('read', (tx) => tx.count('note', { op: 'all' })), 1);
    await store.close();
  });

  test('what it needs of a connection is asked when a store is opened', async () => {
    await using place = await folder();
    const needy: SqlEngine = { ...ownEngine, requirements: [{ probe: ownEngine.tableCount('nothing'), advice: 'make the table nothing' }] };
    await assert.rejects(
      notes(place.file, [noteSchema], needy).open(noteSchema),
      (error) => error instanceof StorageError && error.message === 'make the table nothing',
    );
  });
});

test('an engine is a value, and its name is refused', () => {
  // As a caller without types would.
  const options = { engine: 'sqlite', dialect: ownDialect(':memory:') } as never;
  assert.throws(() => kyselyStorage(options), { name: 'TypeError', message: /must be an engine, .* got sqlite/ });
});

test('the guide names every member of an engine', () => {
  const folder = new URL('../../../adapters/storage/kysely/engine/', import.meta.url);
  const guide = readFileSync(new URL('../../../docs/guides/sql-engine.md', import.meta.url), 'utf8');
  const members = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^export interface Sql\w+ \{$(.*?)^\}$/gms)].flatMap(([, body = '']) =>
      [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[(:]/gm)].map(([, name = '']) => name),
    ),
  );
  assert.ok(members.length > 30);
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'));
  assert.deepEqual(
    members.filter((name) => !rows.some((row) => row.split(' | ')[0]?.includes(`\`${name}\``))),
    [],
  );
});

test('the migrations of every engine can be exported', () => {
  for (const engine of [sqlite, postgres, ownEngine])
    assert.match(exportMigrations(engine), /^create table .overlay_controller_state. \(ns /m);
});
