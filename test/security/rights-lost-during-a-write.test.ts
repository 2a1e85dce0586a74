/**
 * Rights are those of the moment of the write: a call that was allowed when it began must not finish once the caller has lost the right, or
 * the target has gained more.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveToken } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';
import { tokensOf } from '../support/oidc.ts';

const TEAM = { roleAttributes: ['team-a'] };

onEveryStore('between the permission and the write', (open) => {
  const withChange = async () => {
    let change: (() => Promise<unknown>) | undefined;
    const before = async ({ actor }: { actor: { kind: string } }) => {
      const once = actor.kind === 'identity' ? change : undefined;
      if (once) change = undefined;
      await once?.();
    };
    const app = await open({ hooks: { before: async (_operation, _input, hooked) => void (await before(hooked)) } });
    return { app, during: (work: () => Promise<unknown>) => void (change = work) };
  };

  test('a delegate loses its right, its scope or its session, or the target gains rights or leaves the scope', async () => {
    const { app, during } = await withChange();
    await using _ = app;
    const { identities } = app.controller.api;
    const changes: Readonly<Record<string, (holder: string, target: string) => Promise<unknown>>> = {
      'loses the right': (id) => identities.patch({ id, body: { permissions: [], scopedPermissions: {} } }),
      'is disabled': (id) => identities.disable({ id, body: { durationMinutes: 0 } }),
      'faces an administrator': (_id, target) => identities.patch({ id: target, body: { isAdmin: true } }),
      'faces more rights': (_id, target) => identities.patch({ id: target, body: { permissions: ['ca'] } }),
    };
    const ofScopes: typeof changes = {
      ...changes,
      'has another scope': (id) => identities.patch({ id, body: { scopedPermissions: { identity: { roleAttributes: ['team-b'] } } } }),
      'sees it leave': (_id, target) => identities.patch({ id: target, body: { roleAttributes: ['team-b'] } }),
    };
    for (const [rights, all] of [
      [{ permissions: ['identity'] }, changes],
      [{ scopedPermissions: { identity: TEAM } }, ofScopes],
    ] as const)
      for (const [what, change] of Object.entries(all))
        for (const [method, path, body] of [
          ['PATCH', '', { tags: { taken: true } }],
          ['DELETE', ''],
          ['POST', '/disable', { durationMinutes: 0 }],
        ] as const) {
          const holder = await app.user(rights);
          const target = await app.user(TEAM);
          const as = await holder.login();
          during(() => change(holder.id, target.id));
          const answer = await app.request(method, `/identities/${target.id}${path}`, { as, body });
          assert.ok([401, 404].includes(answer.status), `${what}: ${method} ${path}: ${answer.status} ${answer.text}`);
          const row = (await app.rows('identity')).find(({ id }) => id === target.id);
          assert.deepEqual([row?.tags, row?.disabledAt], [{}, null], what);
        }
  });

  test('the rule of the host is asked again about an API token that has changed since', async () => {
    let change: (() => Promise<unknown>) | undefined;
    await using app = await open({
      authorize: ({ actor }) => (actor.apiToken?.name === 'withdrawn' ? false : undefined),
      hooks: {
        before: async () => {
          const once = change;
          change = undefined;
          await once?.();
        },
      },
    });
    const target = await app.user();
    const owner = await app.user({ permissions: ['identity'] });
    const { id, secret: as } = await giveToken(app, owner.id, { permissions: ['identity'] });
    const disable = async () =>
      (await app.request('POST', `/identities/${target.id}/disable`, { as, body: { durationMinutes: 0 } })).status;
    assert.equal(await disable(), 200);
    change = () => app.controller.api.apiTokens.patch({ id, body: { name: 'withdrawn' } });
    assert.equal(await disable(), 401);
  });

  test('an access token of the OpenID provider gains and loses the rights of its identity, too', async () => {
    await using app = await open();
    const user = await app.user();
    const { access_token } = await tokensOf(app, user.username);
    const headers = { authorization: `Bearer ${access_token}` };
    const list = async () => (await app.request('GET', '/services', { as: null, headers })).status;
    const give = (permissions: readonly string[]) => app.request('PATCH', `/identities/${user.id}`, { body: { permissions } });
    assert.equal(await list(), 401);
    await give(['service.read']);
    assert.equal(await list(), 200);
    await give([]);
    assert.equal(await list(), 401);
  });
});
