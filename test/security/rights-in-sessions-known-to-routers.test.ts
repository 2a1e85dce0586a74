/**
 * Routers know the tokens of sessions that dial or bind. None of these may use the rights of its identity, nor be turned into something
 * that may.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS, giveToken, inDays, statusAs } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { bearer, tokensOf } from '../support/oidc.ts';

const C = '/edge/client/v1';
const OWN = `${EXTENSIONS}/current-identity/api-tokens`;
const RIGHTS = [{ isAdmin: true }, { permissions: ['ops', 'identity', 'enrollment'] }];

/** A network in which everyone may dial one service. */
const ground = async (app: App) => {
  const serviceId = await app.create('/services', { name: 'web', encryptionRequired: true });
  const roles = { identityRoles: ['#all'], serviceRoles: ['#all'] };
  await app.create('/service-policies', { name: 'all', type: 'Dial', semantic: 'AnyOf', ...roles });
  await app.create('/edge-routers', { name: 'router' });
  const routers = { edgeRouterRoles: ['#all'] };
  await app.create('/edge-router-policies', { name: 'all', semantic: 'AnyOf', identityRoles: ['#all'], ...routers });
  await app.create('/service-edge-router-policies', { name: 'all', semantic: 'AnyOf', serviceRoles: ['#all'], ...routers });
  return async (as: string | null, headers = {}): Promise<string> => {
    const { status, text, body } = await app.request('POST', `${C}/sessions`, { as, headers, body: { serviceId, type: 'Dial' } });
    assert.equal(status, 201, text);
    return body.data.id;
  };
};

onEveryStore('a session that routers know', (open) => {
  test('creates, rotates, shows and revokes no API token of its identity', async () => {
    await using app = await open({ settings: { ownApiTokens: true } });
    const dial = await ground(app);
    for (const rights of RIGHTS) {
      const owner = await app.user(rights);
      const { id } = await giveToken(app, owner.id, rights);
      const [known, unknown] = [await owner.login(), await owner.login()];
      const body = { name: 'mine', expiresAt: inDays(app, 1), ...rights };
      const statusesOf = async (as: string) => [
        await statusAs(app, as, OWN, 'POST', body),
        await statusAs(app, as, OWN),
        await statusAs(app, as, `${OWN}/${id}/rotate`, 'POST', {}),
        await statusAs(app, as, `${OWN}/${id}`, 'DELETE'),
      ];
      await dial(known);
      assert.deepEqual(await statusesOf(known), [401, 401, 401, 401]);
      assert.deepEqual(await statusesOf(unknown), [201, 200, 200, 200], 'another login may');
    }
  });

  test('neither sees nor ends the sessions of others', async () => {
    await using app = await open();
    const dial = await ground(app);
    const ofAnn = await dial(await (await app.user()).login());
    for (const rights of RIGHTS) {
      const owner = await app.user(rights);
      const as = await owner.login();
      const own = await dial(as);
      for (const api of [C, '/edge/management/v1']) {
        const { data } = (await app.request('GET', `${api}/sessions`, { as })).body;
        assert.deepEqual(
          [data.map(({ id }: { id: string }) => id), await statusAs(app, as, `${api}/sessions/${ofAnn}`)],
          [[own], 404],
          api,
        );
        assert.equal(await statusAs(app, as, `${api}/sessions/${ofAnn}`, 'DELETE'), 404, api);
      }
      assert.equal(await statusAs(app, await owner.login(), `/sessions/${ofAnn}`), 200, 'another login does');
    }
  });

  test('does not show the enrollments of its identity, by which routers could log in', async () => {
    await using app = await open();
    const dial = await ground(app);
    const owner = await app.user({ isAdmin: true });
    await app.create('/enrollments', { identityId: owner.id, method: 'ott', expiresAt: inDays(app, 1) });
    const [known, unknown] = [await owner.login(), await owner.login()];
    await dial(known);
    for (const api of [C, '/edge/management/v1']) {
      const enrollmentFor = async (as: string) => (await app.request('GET', `${api}/current-identity`, { as })).body.data.enrollment;
      assert.deepEqual(await enrollmentFor(known), {});
      assert.deepEqual(Object.keys(await enrollmentFor(unknown)), ['ott']);
    }
  });

  test('has no rights either if it is of the OpenID provider: clients present its access token to routers', async () => {
    await using app = await open();
    const dial = await ground(app);
    for (const rights of RIGHTS) {
      const { username } = await app.user(rights);
      const headers = bearer((await tokensOf(app, username)).access_token);
      const statusOf = async () => (await app.request('GET', '/identities', { as: null, headers })).status;
      assert.equal(await statusOf(), 200);
      for (let i = 0; i < 2; i++) await dial(null, headers);
      assert.equal(await statusOf(), 401);
    }
  });
});
