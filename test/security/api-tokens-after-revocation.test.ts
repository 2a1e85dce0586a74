/** A token that was revoked, or whose identity lost its rights, must be refused at the next request, by every controller of the network. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EXTENSIONS, giveToken, inDays, rotate, statusAs, tokenPath } from '../support/api-tokens.ts';
import { type App, openApp } from '../support/app.ts';
import { interleaved } from '../support/interleaving.ts';
import { newStorage, stores } from '../support/stores.ts';
import { three } from '../support/three-controllers.ts';
import { until } from '../support/until.ts';

const LOSSES: Readonly<Record<string, (app: App, owner: string, token: string) => Promise<unknown>>> = {
  'is deleted': (app, _, id) => app.request('DELETE', tokenPath(id)),
  'is rotated without an overlap': (app, _, id) => rotate(app, id, 0),
  'belongs to an identity that is disabled': (app, owner) =>
    app.request('POST', `/identities/${owner}/disable`, { body: { durationMinutes: 0 } }),
  'belongs to an identity that is deleted': (app, owner) => app.request('DELETE', `/identities/${owner}`),
  'belongs to an identity that loses its permission': (app, owner) =>
    app.request('PATCH', `/identities/${owner}`, { body: { permissions: [] } }),
  'may come only from another address now': (app, _, id) =>
    app.request('PATCH', tokenPath(id), { body: { addressRanges: ['192.0.2.0/24'] } }),
};

for (const store of stores)
  describe(`an API token, at three controllers (${store})`, () => {
    for (const [what, lose] of Object.entries(LOSSES))
      test(`that ${what} is refused at the next request`, async () => {
        await using network = await three(store);
        const [first, second, third] = network.apps;
        const owner = await first.user({ permissions: ['service.read'] });
        const { id, secret } = await giveToken(first, owner.id, { permissions: ['service.read'] });
        for (const app of network.apps) assert.equal(await statusAs(app, secret, '/services'), 200);
        await lose(second, owner.id, id);
        for (const app of [third, first, second]) assert.equal(await statusAs(app, secret, '/services'), 401);
      });

    for (const what of ['is deleted', 'is rotated without an overlap'])
      test(`that ${what} ends the streams that were opened with it`, async () => {
        await using network = await three(store);
        const [first, second] = network.apps;
        const owner = await first.user({ isAdmin: true });
        const { id, secret } = await giveToken(first, owner.id, { isAdmin: true });
        const { data } = (await first.request('GET', `${EXTENSIONS}/changes?limit=1`)).body;
        const follow = (as: string) => first.controller.as(as).changes.follow({ after: data[0].revision })[Symbol.asyncIterator]();
        const stream = follow(secret);
        assert.ok((await stream.next()).value);
        await LOSSES[what]?.(second, owner.id, id);
        await second.create('/services', { name: 'new', encryptionRequired: true });
        await assert.rejects(async () => {
          for (;;) await stream.next();
        }, /UNAUTHORIZED|authenticat|authorized/i);
      });

    test('announces its end with those of all others that end soon, however many they are', async () => {
      await using app = await openApp(store);
      const expiresAt = inDays(app, 3);
      for (let owner = 0; owner < 2; owner++) {
        const { id } = await app.user();
        for (let i = 0; i < 60; i++) await giveToken(app, id, { name: `token ${i}`, expiresAt });
      }
      const owner = await app.user();
      for (const days of [0.1, 0.25]) await giveToken(app, owner.id, { name: 'gone', expiresAt: inDays(app, days) });
      const announced = async () => (await app.rows('apiToken')).filter(({ expiryAnnouncedAt }) => expiryAnnouncedAt);
      app.clock.advance('6h');
      await until(async () => (await announced()).length >= 120);
      await app.settled();
      assert.ok(!(await announced()).some(({ name }) => name === 'gone'), 'what has ended is not announced any more');
    });

    for (const [what, revoke] of Object.entries(LOSSES))
      test(`that ${what} between the check of a call and its write does not write`, async () => {
        const between = interleaved(newStorage(store));
        await using app = await openApp(store, { storage: between.storage });
        const { id: owner } = await app.user({ permissions: ['service'] });
        const { id, secret } = await giveToken(app, owner, { permissions: ['service'] });
        between.beforeWrite(() => revoke(app, owner, id));
        assert.equal(await statusAs(app, secret, '/services', 'POST', { name: 's', encryptionRequired: true }), 401);
        assert.deepEqual([between.isOver, await app.count('service')], [true, 0]);
      });

    test('announces its end once', async () => {
      await using network = await three(store);
      const owner = await network.apps[0].user();
      const soon = new Date(network.apps[0].clock.now() + 3 * 86_400_000).toISOString();
      const { id } = await giveToken(network.apps[0], owner.id, { expiresAt: soon });
      for (let hour = 0; hour < 8; hour++)
        for (const app of network.apps) {
          app.clock.advance('1h');
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate).then(app.settled);
        }
      const changes = (await network.apps[0].rows('change')).filter((row) => row.entityId === id && row.action === 'update');
      assert.equal(changes.length, 1);
    });
  });
