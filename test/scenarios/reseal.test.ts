import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { enrollment } from '../../src/contract/api/enrollments.ts';
import { kinds } from '../../src/contract/api/index.ts';
import type { Kind } from '../../src/contract/api/kit/resource.ts';
import { newSecretKey, StoreUnavailable } from '../../src/index.ts';
import { createSecrets } from '../../src/runtime/platform/secrets.ts';
import { webRandom } from '../../src/runtime/platform/web.ts';
import { entitiesOf } from '../../src/store/entities/entities.ts';
import { sealedFields } from '../../src/store/entities/sealed.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { readOnlyWhile } from '../support/altered-storage.ts';
import { type App, openApp, PASSWORD } from '../support/app.ts';
import { giveCode } from '../support/mfa.ts';
import { NOW } from '../support/pki.ts';
import { assertRefused } from '../support/refusals.ts';
import { enroll, jwtOf, keysIn, nameOfKey, OWN_AUTHORITY, sealMuch, sealsIn } from '../support/sealed.ts';
import { newSharedStorage, type SharedStorage, stores } from '../support/stores.ts';

const [OLD, NEW] = [newSecretKey(), newSecretKey()];
const [old, now] = [await nameOfKey(OLD), await nameOfKey(NEW)];
const silent = { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } };

const openedWith = (store: string, storage: StorageAdapter, ...secretKey: readonly string[]): Promise<App> =>
  openApp(store, { ...OWN_AUTHORITY, storage, secretKey, platform: silent });
const refused = (message: RegExp) => ({ name: 'TypeError', message });

/** Fails the writes of a store once a number of them went well; `mend` ends that. */
const failing = (storage: StorageAdapter) => {
  let left = Number.POSITIVE_INFINITY;
  return {
    storage: readOnlyWhile(storage, () => left-- <= 0),
    failAfter: (writes: number) => void (left = writes),
    mend: () => void (left = Number.POSITIVE_INFINITY),
  };
};

/** A network with more secrets than one page holds, under the old key. */
const sealedNetwork = async (store: string, shared: SharedStorage) => {
  await using app = await openedWith(store, shared.adapter(), OLD);
  const made = await sealMuch(app, 120);
  return { ...made, before: await versions(app) };
};
const versions = async (app: App) =>
  (await Promise.all((['enrollment', 'mfa', 'terminator'] as const).map((kind) => app.rows(kind))))
    .flat()
    .map(({ id, version }) => [id, version]);

test('every field that is called sealed is declared so', () => {
  for (const kind of Object.values<Kind>(kinds))
    for (const name of Object.keys(kind.fields))
      if (/^sealed/i.test(name)) assert.ok(sealedFields(kind).includes(name), `${kind.kind}.${name}`);
});

for (const store of stores) {
  describe(`replacing the secret key (${store})`, () => {
    test('another key in the list only unseals, until the controller seals everything under it: then it is all that is needed', async () => {
      await using shared = newSharedStorage(store);
      const { enrollmentId, jwt, username, factor, before } = await sealedNetwork(store, shared);
      {
        await using app = await openedWith(store, shared.adapter(), NEW, OLD);
        await enroll(app, 'later');
        assert.deepEqual(await keysIn(app), [old]);
        const trail = await app.trail(async () => {
          const { entities } = await app.controller.reseal();
          // The key-check, the authority, and what says that there is something left.
          assert.deepEqual(entities, { keptSecret: 2, enrollment: 122, mfa: 1, terminator: 1 });
        });
        assert.deepEqual(trail, ['update keptSecret', 'create keptSecret', 'delete keptSecret'], 'no entity has changed');
        assert.deepEqual(await keysIn(app), [now]);
        const known = new Set(before.map(([id]) => id));
        assert.deepEqual(
          (await versions(app)).filter(([id]) => known.has(id)),
          before,
        );
        assert.equal(await jwtOf(app, enrollmentId), jwt);
        assert.deepEqual((await app.controller.reseal()).entities, {}, 'there is nothing left to do');
      }
      await assert.rejects(openedWith(store, shared.adapter(), OLD), refused(/a different secretKey/));
      await using app = await openedWith(store, shared.adapter(), NEW);
      assert.equal(await jwtOf(app, enrollmentId), jwt);
      const session = (await app.login(username, PASSWORD)).body.data.token;
      assert.equal((await giveCode(app, session, factor.code(1))).status, 200);
      assert.deepEqual(Object.keys(await sealsIn(app)).toSorted(), ['enrollment', 'keptSecret', 'mfa', 'terminator']);
    });

    test('the new key may be handed over in the call, where there is one controller', async () => {
      await using shared = newSharedStorage(store);
      await using app = await openedWith(store, shared.adapter(), OLD);
      const id = await enroll(app, 'device');
      const jwt = await jwtOf(app, id);
      await assert.rejects(app.controller.reseal({ secretKey: 'short' }), refused(/32 random bytes/));
      await assert.rejects(app.controller.reseal({ key: NEW } as never), refused(/no option 'key'/));
      await app.controller.reseal({ secretKey: NEW });
      await enroll(app, 'later');
      assert.deepEqual([await keysIn(app), await jwtOf(app, id)], [[now], jwt]);
    });

    test('where it fails in the middle, both keys are needed until it is called again', async () => {
      for (const writes of [0, 1, 2, 3]) {
        await using shared = newSharedStorage(store);
        await sealedNetwork(store, shared);
        const { storage, failAfter, mend } = failing(shared.adapter());
        {
          await using app = await openedWith(store, storage, NEW, OLD);
          await app.settled();
          failAfter(writes);
          await assert.rejects(app.controller.reseal(), StoreUnavailable);
          mend();
          assert.deepEqual((await keysIn(app)).toSorted(), (writes === 0 ? [old] : [now, old]).toSorted());
        }
        await assert.rejects(
          openedWith(store, shared.adapter(), NEW),
          refused(writes === 0 ? /a different secretKey/ : /open it with both/),
        );
        if (writes > 0) await assert.rejects(openedWith(store, shared.adapter(), OLD), refused(/a different secretKey/));
        // In whichever order: what the network seals under is known.
        await using app = await openedWith(store, shared.adapter(), OLD, NEW);
        await enroll(app, 'meanwhile');
        await app.controller.reseal({ secretKey: NEW });
        assert.deepEqual(await keysIn(app), [now]);
        await (await openedWith(store, shared.adapter(), NEW)).close();
      }
    });

    test('of several controllers, those with both keys seal under the new one at once; one that lacks it is refused, and loses nothing', async () => {
      await using shared = newSharedStorage(store);
      await sealedNetwork(store, shared);
      await using one = await openedWith(store, shared.adapter(), NEW, OLD);
      await using two = await openedWith(store, shared.adapter(), OLD, NEW);
      await using late = await openedWith(store, shared.adapter(), OLD);
      const enrolling = Promise.all(Array.from({ length: 20 }, (_, i) => enroll(two, `two ${i}`)));
      await Promise.all([one.controller.reseal(), two.controller.reseal({ secretKey: NEW }), enrolling]);
      const id = await enroll(two, 'after');
      assert.deepEqual(await keysIn(one), [now]);
      assert.equal(await jwtOf(one, id), await jwtOf(two, id));

      const identityId = await late.create('/identities', { name: 'late', type: 'Device', isAdmin: false });
      const enrollments = await late.count('enrollment');
      const body = { identityId, method: 'ott', expiresAt: '2030-01-01T00:00:00Z' };
      assertRefused(await late.request('POST', '/enrollments', { body }), 503, 'SERVER_UNAVAILABLE');
      assertRefused(await late.request('GET', `/enrollments/${id}`), 503, 'SERVER_UNAVAILABLE');
      assert.equal(await late.count('enrollment'), enrollments);
      assert.deepEqual(await keysIn(one), [now]);
    });

    test('a row that a controller has read before is not written back as it was sealed then', async () => {
      await using shared = newSharedStorage(store);
      await using app = await openedWith(store, shared.adapter(), OLD);
      const id = await enroll(app, 'device');
      const read = (await app.rows('enrollment')).find((row) => row.id === id);
      await app.controller.reseal({ secretKey: NEW });
      const other = await shared.adapter().open(storageSchema);
      const context = {
        actor: 'system',
        requestId: 'test',
        random: webRandom,
        stamp: () => new Date(NOW).toISOString(),
        changesKept: 100,
        changeBytesKept: 1e6,
      };
      const keys = await createSecrets([OLD, NEW], webRandom);
      await other.transaction('write', async (tx) => {
        await entitiesOf(tx, { ...context, keys }).update(enrollment, read as never, { expiresAt: '2031-01-01T00:00:00.000Z' });
      });
      await other.close();
      assert.deepEqual(await keysIn(app), [now]);
    });

    test('what was sealed under a key that nobody gives is named and left, and the former keys stay needed', async () => {
      await using shared = newSharedStorage(store);
      await using app = await openedWith(store, shared.adapter(), OLD);
      const id = await enroll(app, 'device');
      const sealed = String((await app.rows('enrollment')).find((row) => row.id === id)?.sealed);
      await app.alter('enrollment', id, { sealed: sealed.replace(old, '00000000') });
      await assert.rejects(app.controller.reseal({ secretKey: NEW }), refused(new RegExp(`1 of the secrets .*enrollment ${id}`)));
      await assert.rejects(openedWith(store, shared.adapter(), NEW), refused(/open it with both/));
      await app.request('DELETE', `/enrollments/${id}`);
      await app.controller.reseal({ secretKey: NEW });
      await (await openedWith(store, shared.adapter(), NEW)).close();
    });
  });
}
