import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeRoute } from '../../server/observing.ts';
import { createWarmUp } from '../../server/warm-up.ts';
import { internalsOf } from '../../src/controller/controller-inside.ts';
import type { ManagementController } from '../../src/index.ts';
import { type Predicate, stringField } from '../../src/query/index.ts';
import { countBits } from '../../src/store/indexes/bit-set.ts';
import type { InBackground } from '../../src/store/indexes/index-follower.ts';
import { createRoleIndexes } from '../../src/store/indexes/role-indexes.ts';
import type { Query, Store } from '../../src/store/storage/port.ts';
import { openApp } from '../support/app.ts';
import { until } from '../support/until.ts';

const ready = async (controller: ManagementController, warmUp: ReturnType<typeof createWarmUp>) => {
  const request = {
    method: 'GET',
    target: '/ready',
    header: () => undefined,
    body: async () => new Uint8Array(),
    remoteAddress: '127.0.0.1',
  };
  const { status, body } = (await probeRoute(Promise.resolve(controller), () => [], warmUp)(request)) ?? { status: 0, body: '' };
  return { status, reasons: JSON.parse(String(body)).reasons };
};

test('a warm-up builds all indexes, which otherwise wait for queries, and reports the rows', async () => {
  await using app = await openApp('sqlite');
  for (let i = 0; i < 3; i++) await app.user({ roleAttributes: ['a'] });
  await app.forget();
  const { roleIndexes: before } = await app.controller.statistics();
  assert.deepEqual(before, {});
  const reported: number[] = [];
  await app.controller.warmUp((rows) => reported.push(rows));
  const { roleIndexes } = await app.controller.statistics();
  const indexed = Object.values(roleIndexes).reduce((sum, { rows }) => sum + rows, 0);
  assert.ok(roleIndexes['identity']);
  assert.equal(reported.at(-1), indexed);
  assert.deepEqual(
    reported,
    reported.toSorted((a, b) => a - b),
  );
});

const carriesA: Predicate = { op: 'overlaps', set: 'roleAttributes', values: ['a'] };

/** @param before runs after the snapshot of a scan was taken */
const indexesOf = (store: Store, { maxBytes = 1_000_000, warn = (_line: string) => {}, before = async () => {} } = {}) => {
  const logger = { error: () => undefined, info: () => undefined, warn };
  const inBackground: InBackground = (work) =>
    store.transaction('read', async (tx) => {
      await tx.revision(); // The snapshot.
      await before();
      await work(tx, new AbortController().signal);
    });
  return createRoleIndexes(inBackground, maxBytes, logger);
};

test('what is committed while indexes are built, or unknown to them later, is followed before they answer for its revision', async () => {
  await using app = await openApp('memory');
  await app.user({ roleAttributes: ['a'] });
  const { store } = internalsOf(app.controller).core;
  const revision = () => store.transaction('read', (tx) => tx.revision());
  const [taken, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const before = () => {
    taken.resolve();
    return committed.promise;
  };
  const indexes = indexesOf(store, { before });
  const users = async () => {
    const bits = indexes.rowsAt('identity', await revision())?.bitsOf(carriesA);
    return bits && countBits(bits);
  };
  const warmingUp = indexes.warmUp(() => undefined);
  await taken.promise;
  await app.user({ roleAttributes: ['a'] });
  committed.resolve();
  await warmingUp;
  assert.equal(await users(), 2);
  await app.user({ roleAttributes: ['a'] });
  assert.equal(await users(), undefined);
  await until(async () => (await users()) === 3);
});

test('afterwards, the first page in order of name comes from an index; if that takes too much memory, only the names are left out', async () => {
  await using app = await openApp('sqlite');
  for (const name of ['cleo', 'ann', 'bob']) await app.user({ name, roleAttributes: ['a'] });
  const { store } = internalsOf(app.controller).core;
  const warned: string[] = [];
  const warmedUp = async (maxBytes: number) => {
    const indexes = indexesOf(store, { maxBytes, warn: (line) => void warned.push(line) });
    await indexes.warmUp(() => undefined);
    return indexes;
  };
  const query: Query = { where: carriesA, sort: [{ field: stringField('name'), descending: false }], limit: 2 };
  const indexes = await warmedUp(1_000_000);
  const [page, expected] = await store.transaction('read', async (tx) => [
    (await indexes.find(tx, 'identity', query, await tx.revision()))?.page,
    (await tx.list('identity', query)).map(({ id }) => id),
  ]);
  assert.deepEqual(page, expected);
  assert.deepEqual(warned, []);
  const sizes = indexes.sizes();
  const tables = Object.keys(sizes);
  const built = tables.slice(0, tables.indexOf('identity') + 1);
  const smaller = (await warmedUp(built.reduce((sum, table) => sum + (sizes[table]?.bytes ?? 0), -1))).sizes();
  assert.deepEqual(Object.keys(smaller), tables);
  assert.deepEqual(warned, ['setting roleIndexBytes: too little memory for the name of identity; the database answers their queries']);
});

test('the server is not ready until then, says how far it is, and answers calls meanwhile', async () => {
  await using app = await openApp('memory');
  const { promise, resolve } = Promise.withResolvers<void>();
  let now = 0;
  const warmUp = createWarmUp(() => now);
  const lines: string[] = [];
  const slow = {
    warmUp: async (report: (rows: number) => void = () => undefined) => {
      now += 6000;
      report(12_345);
      await promise;
    },
  };
  const running = warmUp.run(slow, { info: (line) => void lines.push(line) });
  const { status, reasons } = await ready(app.controller, warmUp);
  assert.deepEqual(
    [status, reasons.at(-1)],
    [503, { concerns: 'warmUp', severity: 'error', message: 'the indexes are being built: 12,345 rows so far' }],
  );
  assert.equal((await app.request('GET', '/identities')).status, 200);
  resolve();
  await running;
  assert.equal(
    (await ready(app.controller, warmUp)).reasons.some(({ concerns }: { concerns: string }) => concerns === 'warmUp'),
    false,
  );
  assert.equal(lines.length, 2);
});

test('a warm-up that takes very long does not keep the server from being ready', async () => {
  let now = 0;
  const warmUp = createWarmUp(() => now);
  void warmUp.run({ warmUp: () => new Promise(() => undefined) }, { info: () => undefined });
  assert.ok(warmUp.reason());
  now = 121_000;
  assert.equal(warmUp.reason(), undefined);
});
