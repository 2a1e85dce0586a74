/** What is no transaction of Drizzle or Prisma, or no longer one, and what their errors tell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { SQLiteTransaction } from 'drizzle-orm/sqlite-core';
import { drizzleTransactions } from '../../../adapters/storage/drizzle.ts';
import { prismaTransactions } from '../../../adapters/storage/prisma.ts';
import { StorageError } from '../../../src/store/storage/errors.ts';
import type { Store, Transaction } from '../../../src/store/storage/port.ts';
import { prismaOnSqlite } from '../../support/prisma.ts';
import { folder, note, noteSchema, notes } from './support.ts';

const opened = async () => {
  const place = await folder();
  const store = await notes({ ...place, hostTransactions: [drizzleTransactions, prismaTransactions] }).open(noteSchema);
  const client = createClient({ url: `file:${place.file}` });
  const prisma = prismaOnSqlite(place.file);
  return {
    store,
    db: drizzle(client),
    prisma,
    async [Symbol.asyncDispose]() {
      client.close();
      await prisma.$disconnect();
      await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
};
const count = (store: Store) => store.transaction('read', (tx) => tx.count('note', { op: 'all' }));

test('a database of Drizzle and a client of Prisma are not accepted as transactions', async () => {
  await using host = await opened();
  for (const none of [host.db, host.prisma]) assert.throws(() => host.store.join(none), TypeError);
});

test('a synchronous transaction of Drizzle is refused: it would be committed before the first statement', async () => {
  await using host = await opened();
  const synchronous = Object.create(SQLiteTransaction.prototype, { resultKind: { value: 'sync' } });
  assert.throws(() => host.store.join(synchronous), TypeError);
});

test('a transaction of Prisma that has ended is over, and nothing is written outside of it', async () => {
  await using host = await opened();
  const late: Transaction[] = [];
  await host.prisma.$transaction(async (transaction) => void late.push(host.store.join(transaction)));
  await assert.rejects(async () => late[0]?.insert('note', note('a')), { name: 'TypeError', message: 'the transaction is over' });
  assert.equal(await count(host.store), 0);
});

test('an error of Drizzle tells nothing of the values of its statement, anywhere in its causes', async () => {
  await using host = await opened();
  await host.db.run('drop table overlay_note_documents').catch(() => undefined);
  await host.db.run('alter table overlay_note rename to gone');
  const failing = host.db.transaction((transaction) => host.store.join(transaction).insert('note', note('a', { name: 'a secret' })));
  await assert.rejects(failing, (error) => {
    assert.ok(error instanceof StorageError, String(error));
    for (let each: unknown = error; each instanceof Error; each = each.cause) assert.doesNotMatch(each.message, /a secret/);
    return true;
  });
});
