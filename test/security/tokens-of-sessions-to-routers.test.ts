/**
 * A router that no policy gives to an identity was sent the token of its API session all the same; that of an administrator worked on the
 * management API.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import type { ScriptedRouter, TestNetwork } from '../../testing/index.ts';
import { isOnline, type RouterNetwork, routerNetwork } from '../adapters/routers/support.ts';
import { until } from '../support/until.ts';

const { apiSessionAdded, apiSessionRemoved, requestResync } = messages.sessions;

/** What a router knows of API sessions: their tokens, by id. */
const knowing = (router: ScriptedRouter): ReadonlyMap<string, string> => {
  const known = new Map<string, string>();
  const hear = async (message: typeof apiSessionAdded | typeof apiSessionRemoved, take: (body: Uint8Array) => void) => {
    for (;;) take((await router.next(message)).body);
  };
  hear(apiSessionAdded, (body) => {
    for (const { id, token } of apiSessionAdded.decode(body).apiSessions) known.set(id, token);
  }).catch(() => undefined);
  hear(apiSessionRemoved, (body) => {
    for (const id of apiSessionRemoved.decode(body).ids) known.delete(id);
  }).catch(() => undefined);
  return known;
};

/** Two routers, of which the first is for `#north` and the second for `#south`, and a client of the north with a session. */
const north = async (at: RouterNetwork) => {
  const { network, port } = at;
  const [oslo, rome] = [await network.edgeRouter('oslo', 'north'), await network.edgeRouter('rome', 'south')];
  const web = await network.service('web');
  await network.dial(['#all'], [web]);
  await network.route(['#north'], ['#all'], ['#north']);
  await network.route(['#south'], ['#all'], ['#south']);
  const connect = async (of: typeof oslo) => {
    const router = await of.dial({ port });
    await until(() => isOnline(network, of.id));
    return router;
  };
  const [first, second] = [await connect(oslo), await connect(rome)];
  const client = await network.device('client', 'north');
  const login = await client.login();
  await login.sessions.create({ body: { serviceId: web.id, type: 'Dial' } });
  return { oslo, rome, web, client, login, first, second, connect, inOslo: knowing(first), inRome: knowing(second) };
};

/** Waits until what was committed was told. */
const told = async ({ controller, settled }: TestNetwork) => {
  await controller.publish();
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await settled();
  }
};

describe('the token of an API session', () => {
  test('is sent to the routers that its identity may use, and to no other', async () => {
    await using at = await routerNetwork();
    const { login, inOslo, inRome } = await north(at);
    await until(() => inOslo.get(login.id) === login.token);
    await told(at.network);
    assert.deepEqual([...inRome], []);
  });

  test('is not sent to a router that connects later, or asks for all, unless the identity may use it', async () => {
    await using at = await routerNetwork();
    const { login, inOslo, rome, second, connect } = await north(at);
    await until(() => inOslo.has(login.id));
    second.close();
    await until(async () => !(await isOnline(at.network, rome.id)));
    const again = await connect(rome);
    const inRome = knowing(again);
    again.send(requestResync, {});
    await told(at.network);
    assert.deepEqual([...inRome], []);
  });

  const changes: Readonly<Record<string, (at: TestNetwork, ground: Awaited<ReturnType<typeof north>>) => Promise<unknown>>> = {
    'the identity': ({ controller }, { client }) => controller.api.identities.patch({ id: client.id, body: { roleAttributes: ['south'] } }),
    'the routers': async ({ controller }, { oslo, rome }) => {
      await controller.api.edgeRouters.patch({ id: oslo.id, body: { roleAttributes: ['south'] } });
      await controller.api.edgeRouters.patch({ id: rome.id, body: { roleAttributes: ['north'] } });
    },
    'a policy': async ({ controller }) => {
      const { data } = await controller.api.edgeRouterPolicies.list({});
      const policy = data.find(({ identityRoles }) => identityRoles?.includes('#north')) ?? assert.fail();
      await controller.api.edgeRouterPolicies.patch({ id: policy.id, body: { edgeRouterRoles: ['#south'] } });
    },
    'the policies': async ({ controller, route }) => {
      const { data } = await controller.api.edgeRouterPolicies.list({});
      for (const { id } of data) await controller.api.edgeRouterPolicies.delete({ id });
      await route(['#north'], ['#all'], ['#south']);
    },
  };
  for (const [what, change] of Object.entries(changes))
    test(`goes to another router when ${what} changes, and is taken back from the first`, async () => {
      await using at = await routerNetwork();
      const ground = await north(at);
      const { login, inOslo, inRome } = ground;
      await until(() => inOslo.has(login.id));
      await change(at.network, ground);
      await until(() => inRome.get(login.id) === login.token && !inOslo.has(login.id));
    });

  test('is taken back when the session ends, from those that had it', async () => {
    await using at = await routerNetwork();
    const { login, inOslo } = await north(at);
    await until(() => inOslo.has(login.id));
    await login.currentApiSession.delete({});
    await until(() => !inOslo.has(login.id));
  });
});

describe('the token of an administrator that dials or binds', () => {
  /** An administrator with a device that dials, and what its tokens may. */
  const ground = async (at: RouterNetwork, isAdmin = true) => {
    const { network } = at;
    const { client, web, login, inOslo } = await north(at);
    const { identities } = network.controller.api;
    if (isAdmin) await identities.patch({ id: client.id, body: { isAdmin: true } });
    const mayManage = async (token: string): Promise<boolean> => {
      const answer = await network.fetch('https://127.0.0.1:1280/edge/management/v1/identities', { headers: { 'zt-session': token } });
      assert.ok([200, 401].includes(answer.status), String(answer.status));
      return answer.status === 200;
    };
    const dial = (by: typeof login) => by.sessions.create({ body: { serviceId: web.id, type: 'Dial' } });
    return { client, login, inOslo, identities, mayManage, dial };
  };

  test('reaches routers, so that it can, and opens the management API no more', async () => {
    await using at = await routerNetwork();
    const { client, inOslo, mayManage, dial } = await ground(at);
    const login = await client.login();
    assert.equal(await mayManage(login.token), true);
    await dial(login);
    await until(() => inOslo.get(login.id) === login.token);
    assert.equal(await mayManage(login.token), false);
    assert.ok((await dial(login)).token);
    await login.sessions.delete({ id: (await login.sessions.list({})).data[0]?.id ?? '' });
    assert.equal(await mayManage(login.token), false, 'routers have known it');
    assert.equal(await mayManage((await client.login()).token), true, 'another login is its own');
  });

  test('opens it neither where the client becomes an administrator later', async () => {
    await using at = await routerNetwork();
    const { client, login, inOslo, identities, mayManage } = await ground(at, false);
    await until(() => inOslo.get(login.id) === login.token);
    assert.equal(await mayManage(login.token), false);
    await identities.patch({ id: client.id, body: { isAdmin: true } });
    assert.equal(await mayManage(login.token), false);
    assert.equal(await mayManage((await client.login()).token), true);
  });

  test('opens it neither where a rule of the host lets administrators in', async () => {
    await using at = await routerNetwork({ authorize: ({ actor }) => (actor.identity?.isAdmin ? true : undefined) });
    const { client, mayManage, dial } = await ground(at);
    const login = await client.login();
    assert.equal(await mayManage(login.token), true);
    await dial(login);
    assert.equal(await mayManage(login.token), false);
  });
});
