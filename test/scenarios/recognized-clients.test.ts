import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../../adapters/http/node.ts';
import type { CoreIdentity } from '../../src/adapter-kit.ts';
import { giveToken } from '../support/api-tokens.ts';
import { type App, openApp } from '../support/app.ts';
import { network } from '../support/network.ts';
import { policyBody } from '../support/policies.ts';

/** The HTTP adapter is told to whom a token belongs, so that under overload it can tell administrators from others. */

/** Sends a request. @returns its status, and the identity that the adapter is told */
const ask = async (app: App, token: string, path = '/edge/management/v1/current-identity') => {
  let recognized: CoreIdentity | undefined;
  const { status } = await app.controller.handle({
    method: 'GET',
    target: path,
    header: (name) => (name === 'zt-session' ? token : undefined),
    body: async () => new Uint8Array(),
    recognized: (identity) => {
      recognized = identity;
    },
  });
  return { status, identity: recognized && { id: recognized.id, isAdmin: recognized.isAdmin } };
};

test('the adapter gets the identity of a session, and whether it is an administrator', async () => {
  const app = await openApp('memory');
  const user = await app.user();
  assert.deepEqual(await ask(app, await user.login()), { status: 200, identity: { id: user.id, isAdmin: false } });
  assert.equal((await ask(app, app.admin)).identity?.isAdmin, true);
  await app.close();
});

test('it gets nothing for tokens that are not valid, and where none is needed', async () => {
  const app = await openApp('memory');
  assert.deepEqual(await ask(app, 'made up'), { status: 401, identity: undefined });
  assert.deepEqual(await ask(app, app.admin, '/edge/management/v1/version'), { status: 200, identity: undefined });
  await app.close();
});

test('whoever has only the password of an administrator with a second factor is none yet', async () => {
  const app = await openApp('memory');
  const authPolicyId = await app.create('/auth-policies', policyBody('strict', { secondary: { requireTotp: true } }));
  const user = await app.user({ authPolicyId, isAdmin: true });
  const token = await user.login();
  assert.equal((await ask(app, token, '/edge/management/v1/current-api-session')).identity, undefined);
  await app.close();
});

test('a session of an administrator that routers know, and an API token with some of the rights, are not told as those of one', async () => {
  const app = await openApp('memory');
  const user = await app.user({ isAdmin: true });
  const net = network(app);
  const serviceId = await app.create('/services', { name: 'web', encryptionRequired: true });
  await app.create('/edge-routers', { name: 'router' });
  await net.dial({ identities: ['#all'], services: ['#all'] });
  await net.routersOfIdentities({ identities: ['#all'], routers: ['#all'] });
  await net.routersOfServices({ services: ['#all'], routers: ['#all'] });
  const [known, unknown] = [await user.login(), await user.login()];
  assert.equal((await app.request('POST', '/edge/client/v1/sessions', { as: known, body: { serviceId, type: 'Dial' } })).status, 201);
  const current = '/edge/client/v1/current-identity';
  assert.deepEqual(await ask(app, known, current), { status: 200, identity: { id: user.id, isAdmin: false } });
  assert.equal((await ask(app, unknown, current)).identity?.isAdmin, true);
  const limited = await giveToken(app, user.id, { permissions: ['ops.read'] });
  const full = await giveToken(app, user.id, { isAdmin: true });
  assert.equal((await ask(app, limited.secret, '/edge/management/v1/identities')).identity?.isAdmin, false);
  assert.equal((await ask(app, full.secret, '/edge/management/v1/identities')).identity?.isAdmin, true);
  await app.close();
});

test('a session keeps its queue when it is refused for lack of rights, and loses it when it has ended', async (t) => {
  const app = await openApp('memory');
  const queues: (string | undefined)[] = [];
  const serving = await serve({
    controller: {
      handle: async (request) => {
        queues.push(Object.entries(serving.load()).find(([, { running }]) => running > 0)?.[0]);
        return app.controller.handle(request);
      },
    },
  });
  t.after(async () => {
    await serving.close(0);
    await app.close();
  });
  const token = await (await app.user()).login();
  const statusOf = async (path: string) =>
    (await fetch(`${serving.address}/edge/management/v1${path}`, { headers: { 'zt-session': token } })).status;
  assert.deepEqual(
    [await statusOf('/current-identity'), await statusOf('/identities'), await statusOf('/current-identity')],
    [200, 401, 200],
  );
  assert.deepEqual(queues, ['newcomer', 'identity', 'identity']);
  await app.request('DELETE', '/current-api-session', { as: token });
  assert.deepEqual([await statusOf('/current-identity'), await statusOf('/version')], [401, 200]);
  assert.deepEqual(queues.slice(3), ['identity', 'newcomer']);
});
