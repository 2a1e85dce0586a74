import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import type { StorageAdapter, Transaction } from '../../src/store/storage/port.ts';
import { folder } from '../adapters/kysely/support.ts';
import { withTransactions } from '../support/altered-storage.ts';
import { openApp, SECRET_KEY } from '../support/app.ts';
import { until } from '../support/until.ts';

/** More than there are connections. */
const FLOOD = 20;

/** A database in which nobody finds a session before `free` is called. */
const withSlowSessions = (adapter: StorageAdapter) => {
  const gate = Promise.withResolvers<void>();
  let isSlow = false;
  let looking = 0;
  const slowly = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name) => {
        const value = Reflect.get(target, name);
        if (name !== 'list' || !isSlow) return typeof value === 'function' ? value.bind(target) : value;
        return async (...[kind, query]: Parameters<Transaction['list']>) => {
          const rows = await target.list(kind, query);
          if (kind !== 'apiSession') return rows;
          looking++;
          await gate.promise;
          return rows;
        };
      },
    });
  const storage = withTransactions(adapter, (store) => (mode, work, options) => store.transaction(mode, (tx) => work(slowly(tx)), options));
  return { storage, begin: () => void (isSlow = true), looking: () => looking, free: () => gate.resolve() };
};

test('a flood of tokens that nobody knows leaves connections to administrators who are known', async () => {
  await using place = await folder();
  const { storage, begin, looking, free } = withSlowSessions(sqliteStorage({ file: place.file }));
  await using app = await openApp('sqlite', { storage, secretKey: SECRET_KEY });
  const id = await app.create('/config-types', { name: 'one' });
  await app.request('GET', '/config-types');
  begin();
  const flood = Array.from({ length: FLOOD }, () => app.request('GET', '/current-identity', { as: randomUUID() }));
  await until(async () => looking() > 0);
  const signal = AbortSignal.timeout(60_000);
  const { status } = await app.request('GET', '/config-types?filter=name="two"', { signal });
  assert.equal(status, 200);
  assert.equal((await app.request('PATCH', `/config-types/${id}`, { body: { name: 'three' } })).status, 200);
  free();
  for (const answer of await Promise.all(flood)) assert.equal(answer.status, 401);
});
