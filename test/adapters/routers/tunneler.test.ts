import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeHeader, routeHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { CLIENT_KEY, HOST_KEY, KEY, type Traffic, traffic } from './traffic.ts';

const { route, routeResult, unroute, createTunnelCircuit, createTunnelCircuitResponse, refused } = messages.circuits;
const { createTunnelTerminator, createTunnelTerminatorResponse, updateTunnelTerminator, updateTunnelTerminatorResponse } =
  messages.terminators;
const { removeTunnelTerminator, removeTunnelTerminatorResponse } = messages.terminators;

interface Tunneling extends Traffic {
  /** The identity of the router. */
  readonly own: { readonly id: string; readonly name: string };
  readonly dialing2: string;
  readonly binding2: string;
}

/** A router with a tunneler, which may dial and bind the service. */
const tunneling = async (): Promise<Tunneling> => {
  const at = await traffic({
    [route.name]: (frame, router) => {
      const { circuitId, attempt } = route.decode(frame.body);
      // The host adds its key when it accepts.
      const outcome = [routeHeader.attempt.of(attempt), routeHeader.success.of(true), [KEY, HOST_KEY] as const];
      router.answer(frame, routeResult, circuitId, outcome);
    },
  });
  await at.network.controller.api.edgeRouters.patch({ id: at.fra1.id, body: { isTunnelerEnabled: true } });
  const own = { id: at.fra1.id, name: 'fra1' };
  const web = { id: at.serviceId, name: 'web' };
  const { id: dialing2 } = await at.network.dial([own], [web]);
  const { id: binding2 } = await at.network.bind([own], [web]);
  return { ...at, own, dialing2, binding2, [Symbol.asyncDispose]: at[Symbol.asyncDispose] };
};

const bind = async ({ router, serviceId }: Traffic, change: Parameters<typeof createTunnelTerminator.encode>[0] = {}) => {
  const fields = { serviceId, address: 'terminator', startTime: 1_795_260_838_981n, ...change };
  return createTunnelTerminatorResponse.decode((await router.request(createTunnelTerminator, fields)).body);
};

const dial = async ({ router }: Traffic, change: Parameters<typeof createTunnelCircuit.encode>[0] = {}) => {
  const fields = { serviceName: 'web', peerData: new Map([[KEY, CLIENT_KEY]]), ...change };
  const answer = await router.request(createTunnelCircuit, fields, { milliseconds: 30_000 });
  if (answer.contentType === refused.contentType)
    return { made: undefined, refused: [edgeHeader.errorCode.in(answer), refused.decode(answer.body)] };
  return { made: createTunnelCircuitResponse.decode(answer.body), refused: undefined };
};

const shown = async ({ network }: Traffic) => (await network.controller.api.terminators.list({})).data;

test('a router hosts a service by its own tunneler, and dials one by its name, as the identity that it is', async () => {
  await using at = await tunneling();
  assert.partialDeepStrictEqual(await bind(at), { terminatorId: 'terminator', startTime: 1_795_260_838_981n, result: 'success', msg: '' });
  assert.equal((await bind(at)).result, 'success');
  const [row, ...others] = await shown(at);
  assert.partialDeepStrictEqual(row, { id: 'terminator', binding: 'tunnel', serviceId: at.serviceId, routerId: at.own.id });
  assert.deepEqual(others, []);

  const { made } = await dial(at);
  assert.ok(made);
  const asked = route.decode((await at.router.next(route)).body);
  assert.partialDeepStrictEqual(asked.egress, { binding: 'tunnel', destination: 'terminator', peerData: new Map([[KEY, CLIENT_KEY]]) });
  assert.deepEqual([made.circuitId, made.address], [asked.circuitId, asked.forwards[0]?.srcAddress]);
  assert.deepEqual(made.peerData, new Map([[KEY, HOST_KEY]]));
  const { id } = at.own;
  assert.deepEqual(Object.fromEntries(made.tags), { serviceId: at.serviceId, clientId: id, hostId: id });
});

test('a router that has no tunneler, or may not, gets the reason', async () => {
  await using at = await tunneling();
  const { controller } = at.network;
  await bind(at);
  assert.deepEqual((await dial(at, { serviceName: 'none' })).refused, [6, 'invalid service']);
  assert.deepEqual((await dial(at, { peerData: new Map() })).refused, [
    11,
    `service ${at.serviceId} requires encryption, but the client sent no key`,
  ]);
  assert.partialDeepStrictEqual(await bind(at, { serviceId: 'none', address: 'x' }), {
    result: 'otherFailure',
    errorCode: 6,
    retryHint: 'notRetriable',
  });
  assert.equal((await bind(at, { address: 'not an address' })).result, 'otherFailure');

  const secret = { id: (await controller.api.services.create({ body: { name: 'secret', encryptionRequired: false } })).id };
  assert.deepEqual((await dial(at, { serviceName: 'secret' })).refused, [6, 'no policy allows this to the tunneler of the router']);
  assert.equal((await bind(at, { serviceId: secret.id, address: 'x' })).result, 'otherFailure');

  const { data } = await controller.api.serviceEdgeRouterPolicies.list({});
  await controller.api.serviceEdgeRouterPolicies.patch({ id: data[0]?.id ?? '', body: { edgeRouterRoles: [] } });
  assert.deepEqual((await dial(at)).refused, [5, 'this router may not be used for the service']);
  await controller.api.edgeRouters.patch({ id: at.own.id, body: { isTunnelerEnabled: false } });
  assert.deepEqual((await dial(at)).refused, [7, 'this router has no tunneler']);
  assert.equal((await bind(at, { address: 'x' })).msg, 'this router has no tunneler');
  assert.deepEqual(await shown(at), []);
});

test('a tunneler that loses its right loses what stands on it', async () => {
  const ways: Readonly<Record<string, (at: Tunneling) => Promise<unknown>>> = {
    'the policy': ({ network, dialing2 }) => network.controller.api.servicePolicies.delete({ id: dialing2 }),
    'the tunneler': ({ network, own }) => network.controller.api.edgeRouters.patch({ id: own.id, body: { isTunnelerEnabled: false } }),
    'a posture check': async ({ network, dialing2 }) => {
      await network.controller.api.servicePolicies.patch({ id: dialing2, body: { postureCheckRoles: ['#strict'] } });
      await network.postureCheck('mfa', { typeId: 'MFA', timeoutSeconds: -1, roleAttributes: ['strict'] });
    },
    'the identity': ({ network, own }) => network.controller.api.identities.disable({ id: own.id, body: { durationMinutes: 0 } }),
  };
  for (const [way, take] of Object.entries(ways)) {
    await using at = await tunneling();
    await bind(at);
    const { made } = await dial(at);
    assert.ok(made, way);
    await take(at);
    assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId: made.circuitId, now: true }, way);
  }
});

test('a tunneler that may not host any more has its terminator removed', async () => {
  await using at = await tunneling();
  await bind(at);
  await at.network.controller.api.servicePolicies.delete({ id: at.binding2 });
  await until(async () => (await shown(at)).length === 0);
});

test('it changes cost and precedence of its own terminators, and removes them', async () => {
  await using at = await tunneling();
  await bind(at);
  const asked = async (fields: Parameters<typeof updateTunnelTerminator.encode>[0]) => {
    const answer = await at.router.request(updateTunnelTerminator, { terminatorId: 'terminator', ...fields });
    return answer.contentType === updateTunnelTerminatorResponse.contentType ? 'done' : edgeHeader.errorCode.in(answer);
  };
  const now = async () => (await shown(at)).map(({ cost, precedence }) => [cost, precedence]);
  assert.equal(await asked({ cost: 7, precedence: 'failed' }), 'done');
  assert.deepEqual(await now(), [[0, 'default']]);
  assert.equal(await asked({ cost: 7, updateCost: true }), 'done');
  assert.equal(await asked({ precedence: 'required', updatePrecedence: true }), 'done');
  assert.deepEqual(await now(), [[7, 'required']]);
  assert.equal(await asked({ cost: 65_536, updateCost: true }), 10);
  const unknown = { ...updateTunnelTerminator, encode: () => Uint8Array.from(Buffer.from('\n\nterminator\x18\x09\x20\x01')) };
  assert.equal(edgeHeader.errorCode.in(await at.router.request(unknown, {})), 9);

  const { id: router } = at.own;
  const { id: made } = await at.network.controller.api.terminators.create({
    body: { service: at.serviceId, router, binding: 'tunnel', address: 'tcp:localhost:80' },
  });
  for (const terminatorId of ['none', made]) assert.equal(await asked({ terminatorId, cost: 1, updateCost: true }), 8);
  const removed = async (id: string) => (await at.router.request(removeTunnelTerminator, id)).contentType;
  assert.equal(await removed(made), refused.contentType);
  for (const id of ['terminator', 'terminator']) assert.equal(await removed(id), removeTunnelTerminatorResponse.contentType);
  assert.deepEqual(
    (await shown(at)).map(({ id }) => id),
    [made],
  );
});
