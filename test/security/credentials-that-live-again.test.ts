/**
 * A snapshot has the sessions and tokens of its time, also those that were revoked since: they must not open a network that is restored
 * from it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoreSnapshot } from '../../src/index.ts';
import { giveToken, statusAs } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';
import { refresh, tokensOf, withToken } from '../support/oidc.ts';
import { newSharedStorage } from '../support/stores.ts';
import { byHost, clientOf, exported, newTenant, onEveryTenantStore, openTenants } from '../support/tenants.ts';

onEveryStore('a network that is restored without the credentials of its snapshot', (open, store) => {
  for (const endCredentials of [true, false])
    test(`takes sessions and tokens from before, deleted and rotated ones too: ${!endCredentials}`, async () => {
      const [source, target] = [newSharedStorage(store), newSharedStorage(store)];
      const tokens = await (async () => {
        await using app = await open({ storage: source.adapter() });
        const ann = await app.user();
        const session = await ann.login();
        const byProvider = await tokensOf(app, ann.username);
        const { id, secret } = await giveToken(app, ann.id);
        await app.controller.api.database.createSnapshot();
        await app.controller.api.apiTokens.delete({ id });
        await app.request('DELETE', '/current-api-session', { as: session });
        return { session, byProvider, apiToken: secret, snapshot: [...app.snapshots.values()].at(-1) ?? '' };
      })();
      const { ended } = await restoreSnapshot({ storage: target.adapter(), snapshot: [tokens.snapshot], endCredentials });
      await using app = await open({ storage: target.adapter() });
      const statuses = [
        (await app.request('GET', '/current-identity', { as: tokens.session })).status,
        (await withToken(app, tokens.byProvider.access_token)).status,
        await statusAs(app, tokens.apiToken),
        (await refresh(app, tokens.byProvider.refresh_token)).status,
      ];
      assert.deepEqual(statuses, endCredentials ? [401, 401, 401, 400] : [200, 200, 200, 200]);
      assert.ok(endCredentials ? ended >= 3 : ended === 0, `${ended}`);
      await app.controller.api.database.checkIntegrity();
      await app.settled();
      assert.deepEqual((await app.controller.api.database.getIntegrityResults()).results, []);
    });
});

onEveryTenantStore('a tenant that is made from another', (newDatabase) => {
  test('does not take the sessions of the other, unless it is moved with them', async () => {
    await using database = newDatabase();
    await using app = await openTenants(database);
    const acme = await newTenant(app.overlays, 'acme');
    const { snapshot, secretKey } = await exported(app.overlays, 'acme');
    await app.overlays.create({ name: 'copy', from: { snapshot: [snapshot], secretKey } });
    await app.overlays.create({ name: 'moved', from: { snapshot: [snapshot], secretKey, endCredentials: false } });
    const statusAt = async (name: string) =>
      (await clientOf(byHost(app.overlays), name, acme.admin).request('GET', '/current-api-session')).status;
    assert.deepEqual([await statusAt('acme'), await statusAt('copy'), await statusAt('moved')], [200, 401, 200]);
    assert.equal((await acme.request('DELETE', '/current-api-session')).status, 200);
    assert.deepEqual([await statusAt('acme'), await statusAt('copy')], [401, 401]);
  });
});
