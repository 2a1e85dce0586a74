/** A former release that writes while this one completes its rows, and rows that cannot be completed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValueTooLong } from '../../src/store/storage/errors.ts';
import type { Row, StorageAdapter, Transaction } from '../../src/store/storage/port.ts';
import { beforeTransactions, withTransactions } from '../support/altered-storage.ts';
import { type App, onEveryStore, SECRET_KEY } from '../support/app.ts';
import { person } from '../support/external-logins.ts';
import { asFormerRelease } from '../support/former-release.ts';
import { interleaved } from '../support/interleaving.ts';
import { newSharedStorage, newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** A store before whose write transactions something happens. */
const beforeWrites = (inner: StorageAdapter, happen: () => Promise<unknown>) =>
  beforeTransactions(inner, (mode) => (mode === 'write' ? happen() : undefined));

/** A store that refuses some rows, as one does whose index entries have a limit. */
const refusing = (inner: StorageAdapter, isRefused: (row: Row) => boolean): StorageAdapter => {
  const refused = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...values: unknown[]) => {
          if (name === 'update' && isRefused(values[1] as Row)) throw new ValueTooLong('too long'); // the arguments of `update`
          return member.apply(target, values);
        };
      },
    });
  return withTransactions(inner, (store) => (mode, work, options) => store.transaction(mode, (tx) => work(refused(tx)), options));
};

const keysOf = async (app: App, id: string) => (await app.rows('identity')).find((row) => row.id === id)?.externalIdKeys;

onEveryStore('while a former release writes faster than its rows are completed', (open, store) => {
  test('reads and writes are answered, and see what it has written before', async () => {
    const storage = newStorage(store);
    await using former = await open({ storage: asFormerRelease(storage) });
    let serial = 0;
    let isFast = false;
    const write = () => person(former, { isAdmin: true, externalId: `Root-${serial++}@x` });
    await using now = await open({ storage: beforeWrites(storage, async () => isFast && write()) });
    const plain = await now.user();
    const as = await (await now.user({ permissions: ['identity'] })).login();
    await now.request('GET', '/identities', { as });
    isFast = true;
    await write();
    const body = { externalId: 'root-0@X' };
    assert.equal((await now.request('PATCH', `/identities/${plain.id}`, { as, body })).status, 401);
    const answer = await now.request('PATCH', `/identities/${plain.id}`, { as, body: { externalId: 'other@x' } });
    assert.equal(answer.status, 200, answer.text);
  });

  test('reads find rows by what this release adds, and no grant that has ended', async () => {
    const storage = newStorage(store);
    await using former = await open({ storage: asFormerRelease(storage) });
    let serial = 0;
    let isFast = false;
    const write = () => former.create('/config-types', { name: `theirs-${serial++}` });
    await using now = await open({ storage: beforeWrites(storage, async () => isFast && write()) });
    const service = await now.create('/services', { name: 's', encryptionRequired: true });
    const as = await (await now.user({ roleAttributes: ['a'] })).login();
    const validUntil = new Date(now.clock.now() + 60_000).toISOString();
    const roles = { identityRoles: ['#a'], serviceRoles: [`@${service}`] };
    await now.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', ...roles, validUntil });
    const services = async () => (await now.request('GET', '/edge/client/v1/services', { as })).body.meta.pagination.totalCount;
    assert.equal(await services(), 1);
    isFast = true;
    await write();
    const found = await now.request('GET', '/config-types?filter=target = "service" and name contains "theirs-" sort by name');
    // One was written at first, and one before each of two completions.
    assert.ok(found.body.data.length >= 3, found.text);
    now.clock.advance('1m');
    await write();
    assert.equal(await services(), 0);
  });
});

onEveryStore('rows that a store refuses once they are complete', (open, store) => {
  const isRefused = ({ externalIdKeys: keys }: Row) => Array.isArray(keys) && keys.includes('long@x');

  test('stay as they are when a network is opened, and the others are completed', async () => {
    const storage = newStorage(store);
    await using former = await open({ storage: asFormerRelease(storage) });
    const [ann, long] = [await person(former, { externalId: 'Ann@x' }), await person(former, { externalId: 'Long@x' })];
    await using now = await open({ storage: refusing(storage, isRefused) });
    assert.deepEqual([await keysOf(now, ann), await keysOf(now, long)], [['ann@x'], undefined]);
    assert.match(now.log.join(), /cannot be completed/);
  });

  test('do not keep the others from being completed while a controller runs', async () => {
    const storage = newStorage(store);
    await using former = await open({ storage: asFormerRelease(storage) });
    await using now = await open({ storage: refusing(storage, isRefused) });
    await now.request('GET', '/identities');
    const [long, ann] = [await person(former, { externalId: 'Long@x' }), await person(former, { externalId: 'Ann@x' })];
    assert.equal((await now.request('GET', '/identities')).status, 200);
    assert.deepEqual([await keysOf(now, ann), await keysOf(now, long)], [['ann@x'], undefined]);
  });
});

onEveryStore('rows that could not be completed for some time', (open, store) => {
  const away = async () => {
    // While one reads, others write.
    const shared = newSharedStorage(store);
    let isAway = false;
    const former = await open({ storage: asFormerRelease(shared.adapter()), secretKey: SECRET_KEY });
    const between = interleaved(shared.adapter());
    const failing = beforeWrites(between.storage, async () => {
      if (isAway) throw new Error('away');
    });
    const now = await open({ storage: failing, secretKey: SECRET_KEY });
    const names = async (asked = 'target = "service" and name = "theirs"') =>
      (await now.request('GET', `/config-types?filter=${asked}`)).body.data.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(), []);
    isAway = true;
    await former.create('/config-types', { name: 'theirs' });
    assert.deepEqual([await names(), await names()], [[], []]);
    const comeBack = async () => {
      isAway = false;
      now.clock.advance('5s');
      await until(async () => (await names()).length === 1);
    };
    const close = async () => {
      await now.close();
      await former.close();
      await shared[Symbol.asyncDispose]();
    };
    return { now, between, names, comeBack, [Symbol.asyncDispose]: close };
  };

  test('are found by their defaults afterwards, although lists were read before', async () => {
    await using ground = await away();
    await ground.comeBack();
  });

  test('are found soon, too, if such a list was still being read', async () => {
    await using ground = await away();
    const { now, between, names, comeBack } = ground;
    const asked = 'target = "service" and name contains "heir"';
    between.duringRead('configType', comeBack);
    assert.deepEqual(await names(asked), []);
    assert.ok(between.isOver);
    now.clock.advance('5s');
    await until(async () => (await names(asked)).length === 1);
  });
});
