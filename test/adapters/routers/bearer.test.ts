import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { bearerSession } from './bearer.ts';
import { letPass } from './support.ts';
import { bindBy, dialBy, type Traffic, tokenFor, traffic } from './traffic.ts';

const { unroute } = messages.circuits;

const withBearers = () => traffic(undefined, 'OpenID Connect');

/** A host, and a client that has reached it. */
const talking = async (): Promise<Traffic & { readonly circuitId: string }> => {
  const at = await withBearers();
  assert.equal((await bindBy(at, 'terminator-1')).result, 'success');
  const made = await dialBy(at);
  assert.ok(made.isMade, String(made.said));
  return { ...at, circuitId: made.id };
};

test('clients that log in with the OpenID provider host services, and reach them', async () => {
  await using at = await talking();
  const { data } = await at.network.controller.terminators.list({});
  assert.partialDeepStrictEqual(data, [{ id: 'terminator-1', serviceId: at.serviceId }]);
  assert.deepEqual((await at.network.controller.sessions.list({})).data, [], 'their sessions are stored nowhere');
});

const losses: Readonly<Record<string, (at: Traffic) => Promise<unknown>>> = {
  'its policy': ({ network, dialPolicy }) => network.controller.servicePolicies.delete({ id: dialPolicy }),
  'its role': ({ network, client }) => network.controller.identities.patch({ id: client.id, body: { roleAttributes: [] } }),
  'its login': ({ dialing }) => dialing.currentApiSession.delete({}),
  'its identity': ({ network, client }) => network.controller.identities.delete({ id: client.id }),
  'the service': ({ network, serviceId }) => network.controller.services.delete({ id: serviceId }),
  'its identity, disabled': ({ network, client }) => network.controller.identities.disable({ id: client.id, body: { durationMinutes: 0 } }),
  'its token, revoked': ({ network, dialing }) => network.controller.revocations.create({ body: { id: dialing.id, type: 'API_SESSION' } }),
};
for (const [what, lose] of Object.entries(losses))
  test(`a client that has lost ${what} loses its circuits on the router, and reaches nothing`, async () => {
    await using at = await talking();
    const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
    await lose(at);
    const told = unroute.decode((await at.router.next(unroute)).body);
    assert.deepEqual(told, { circuitId: at.circuitId, now: true });
    assert.equal((await dialBy(at, { token })).isMade, false);
  });

test('a host that has lost its policy can be reached no more', async () => {
  await using at = await talking();
  await at.network.controller.servicePolicies.delete({ id: at.bindPolicy });
  assert.equal(unroute.decode((await at.router.next(unroute)).body).circuitId, at.circuitId);
  await until(async () => (await at.network.controller.terminators.list({})).data.length === 0);
  assert.equal((await dialBy(at)).isMade, false);
});

test('a token is good with the session that it was given in, with its certificate, and in its time', async () => {
  await using at = await withBearers();
  await bindBy(at, 'terminator-1');
  const other = await bearerSession(at.network, at.client);
  const foreign = await tokenFor(other, at.serviceId, 'Dial');
  const said = async (change: Parameters<typeof dialBy>[1]) => (await dialBy(at, change)).said;
  assert.equal(await said({ token: foreign }), 'invalid api session');
  assert.equal(await said({ fingerprints: [] }), 'invalid api session');
  assert.equal(await said({ fingerprints: ['00'.repeat(20)] }), 'invalid api session');
  assert.equal(await said({ token: await tokenFor(at.hosting, at.serviceId, 'Bind') }), 'this session is not for dialing');
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  assert.equal(await said({ token }), undefined);
  await letPass(at, at.router, 31);
  assert.equal(await said({ token }), 'invalid api session');
});

test('posture is for routers to judge, which endpoints tell of it', async () => {
  await using at = await withBearers();
  const { controller } = at.network;
  const check = await at.network.postureCheck('linux', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] });
  await controller.servicePolicies.patch({ id: at.dialPolicy, body: { postureCheckRoles: [`@${check.id}`] } });
  await bindBy(at, 'terminator-1');
  assert.equal((await dialBy(at)).isMade, true);
});
