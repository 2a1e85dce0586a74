import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type KindName, kinds } from '../../src/contract/api/index.ts';
import type { Kind } from '../../src/contract/api/kit/resource.ts';
import { inspectStore, restoreSnapshot, takeSnapshot } from '../../src/index.ts';
import { openApp } from '../support/app.ts';
import { caBody } from '../support/certificates.ts';
import { authority } from '../support/pki.ts';
import { everything, fill } from '../support/snapshots.ts';
import { newSharedStorage, stores } from '../support/stores.ts';

/** A network that a controller serves meanwhile, and another way to its store. */
const served = async (store: string) => {
  const shared = newSharedStorage(store);
  const app = await openApp(store, { storage: shared.adapter() });
  const { user } = await fill(app);
  await app.request('POST', '/enrollments', { body: { identityId: user.id, method: 'ott', expiresAt: '2030-01-01T00:00:00Z' } });
  return {
    app,
    user,
    storage: shared.adapter(),
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await shared[Symbol.asyncDispose]();
    },
  };
};

for (const store of stores) {
  describe(`looking into a store (${store})`, () => {
    test('the entities are counted and listed by filter, while a controller serves them', async () => {
      await using network = await served(store);
      const inspection = await inspectStore({ storage: network.storage });
      const counts = await inspection.counts();
      assert.deepEqual([counts.identity, counts.edgeRouter, counts.router, counts.service], [3, 1, 1, 1]);
      const { data, pagination } = await inspection.list('identity', { filter: 'anyOf(roleAttributes) = "sales" sort by name' });
      assert.deepEqual([data.map(({ id }) => id), pagination.totalCount], [[network.user.id], 1]);
      assert.deepEqual((await inspection.list('edgeRouter', { limit: 1, offset: 1 })).data, []);
      const last = await inspection.lastChange();
      assert.equal(last?.revision, await network.app.count('change'));
      await network.app.create('/services', { name: 'later', encryptionRequired: true });
      assert.equal((await inspection.counts()).service, 2);
      await inspection.close();
    });

    test('no kind shows a hash, a secret or a credential, and nothing is written', async () => {
      await using network = await served(store);
      const ca = await network.app.create('/cas', caBody('ca', (await authority('ca')).cert));
      const { verificationToken } = await network.app.controller.api.cas.get({ id: ca });
      assert.ok(verificationToken);
      const before = await everything(network.app);
      const inspection = await inspectStore({ storage: network.storage });
      for (const [kind, { fields }] of Object.entries<Kind>(kinds)) {
        for (const entity of (await inspection.list(kind as KindName, { limit: -1 })).data) {
          for (const field of Object.keys(entity)) assert.notEqual(fields[field]?.keep, 'hidden', `${kind}.${field}`);
          assert.ok(!JSON.stringify(entity).includes(verificationToken), kind);
          assert.doesNotMatch(JSON.stringify(entity), /v1\.[0-9a-f]{8}\.|argon2|BEGIN (EC )?PRIVATE/, kind);
        }
      }
      await inspection.close();
      assert.deepEqual(await everything(network.app), before);
    });

    test('what is asked wrongly is refused with what would be right', async () => {
      await using network = await served(store);
      const inspection = await inspectStore({ storage: network.storage });
      await assert.rejects(inspection.list('identity', { filter: 'colour = "red"' }), { code: 'INVALID_FILTER' });
      await assert.rejects(inspection.list('identities' as KindName), /TypeError: there is no kind 'identities', but .*identity/);
      await assert.rejects(inspection.list('router', { filter: 'online = true' }), { code: 'INVALID_FILTER' }, 'only a controller knows');
      await inspection.close();
    });

    test('a snapshot is taken and restored without a controller and without the key, and the network keeps running', async () => {
      await using network = await served(store);
      const before = await everything(network.app);
      let text = '';
      const save = async (_: string, parts: AsyncIterable<string>) => {
        for await (const part of parts) text += part;
      };
      const taken = await takeSnapshot({ storage: network.storage, snapshots: { save } });
      assert.match(taken.name, /^\d{8}-\d{6}-\w{22}$/);
      await using empty = newSharedStorage(store);
      const restored = await restoreSnapshot({ storage: empty.adapter(), snapshot: [text] });
      assert.deepEqual([restored.revision, restored.takenAt], [taken.revision, taken.takenAt]);
      assert.equal(restored.rows, Object.values(before).flat().length);
      await using again = await openApp(store, { storage: empty.adapter() });
      assert.equal((await again.request('GET', `/identities/${network.user.id}`)).status, 200);
    });
  });
}
