import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circuitHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { until } from '../../support/until.ts';
import { bearerSession, certifiedSession } from './bearer.ts';
import { letPass } from './support.ts';
import { bindBy, dialBy, HOST_KEY, KEY, type Traffic, tokenFor, traffic } from './traffic.ts';

const { unroute } = messages.circuits;
const { removeTerminators } = messages.terminators;

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
  const { data } = await at.network.controller.api.terminators.list({});
  assert.partialDeepStrictEqual(data, [{ id: 'terminator-1', serviceId: at.serviceId }]);
  assert.deepEqual((await at.network.controller.api.sessions.list({})).data, [], 'their sessions are stored nowhere');
});

const losses: Readonly<Record<string, (at: Traffic) => Promise<unknown>>> = {
  'its policy': ({ network, dialPolicy }) => network.controller.api.servicePolicies.delete({ id: dialPolicy }),
  'its role': ({ network, client }) => network.controller.api.identities.patch({ id: client.id, body: { roleAttributes: [] } }),
  'its login': ({ dialing }) => dialing.currentApiSession.delete({}),
  'its identity': ({ network, client }) => network.controller.api.identities.delete({ id: client.id }),
  'the service': ({ network, serviceId }) => network.controller.api.services.delete({ id: serviceId }),
  'its identity, disabled': ({ network, client }) =>
    network.controller.api.identities.disable({ id: client.id, body: { durationMinutes: 0 } }),
  'its token, revoked': ({ network, dialing }) =>
    network.controller.api.revocations.create({ body: { id: dialing.id, type: 'API_SESSION' } }),
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
  await at.network.controller.api.servicePolicies.delete({ id: at.bindPolicy });
  assert.equal(unroute.decode((await at.router.next(unroute)).body).circuitId, at.circuitId);
  await until(async () => (await at.network.controller.api.terminators.list({})).data.length === 0);
  assert.equal((await dialBy(at)).isMade, false);
});

const terminators = async ({ network }: Traffic) => (await network.controller.api.terminators.list({})).data.map(({ id }) => id);

/** The host loses its policy, and gets it back after something has happened. */
const lostAndBack = async (at: Traffic, meanwhile: () => Promise<unknown>) => {
  const { controller } = at.network;
  const { name, type, semantic, identityRoles, serviceRoles } = await controller.api.servicePolicies.get({ id: at.bindPolicy });
  await controller.api.servicePolicies.delete({ id: at.bindPolicy });
  await until(async () => (await terminators(at)).length === 0);
  await meanwhile();
  await controller.api.servicePolicies.create({ body: { name, type, semantic, identityRoles, serviceRoles } });
};

test('a host that has its policy back can be reached again, without doing anything: nobody could tell it', async () => {
  await using at = await talking();
  await lostAndBack(at, async () => undefined);
  await until(async () => (await terminators(at)).includes('terminator-1'));
  const made = await dialBy(at);
  assert.deepEqual(circuitHeader.peerData.in(made.answer), new Map([[KEY, HOST_KEY]]));
  await at.network.controller.api.servicePolicies.delete({
    id: (await at.network.controller.api.servicePolicies.list({ filter: 'type = 2' })).data[0]?.id ?? '',
  });
  await until(async () => (await terminators(at)).length === 0);
});

const ends: Readonly<Record<string, (at: Traffic) => Promise<unknown>>> = {
  'whose host has logged out': ({ hosting }) => hosting.currentApiSession.delete({}),
  'that its host has given up': ({ router }) => router.request(removeTerminators, { terminatorIds: ['terminator-1'] }),
};
for (const [what, end] of Object.entries(ends))
  test(`a terminator ${what} meanwhile does not come back`, async () => {
    await using at = await talking();
    await lostAndBack(at, () => end(at));
    assert.equal((await bindBy({ ...at, hosting: await bearerSession(at.network, at.host) }, 'terminator-2')).result, 'success');
    assert.deepEqual(await terminators(at), ['terminator-2']);
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

test('a token that came with a certificate is good with that certificate only, also for a login by password', async () => {
  await using at = await withBearers();
  await bindBy(at, 'terminator-1');
  const { fingerprint, ...dialing } = await certifiedSession(at.network, at.client);
  const said = async (fingerprints: readonly string[]) => (await dialBy({ ...at, dialing }, { fingerprints })).said;
  assert.equal(await said([]), 'invalid api session');
  assert.equal(await said(['00'.repeat(20)]), 'invalid api session');
  assert.equal(await said([fingerprint]), undefined);
});

test('routers judge the posture that endpoints report', async () => {
  await using at = await withBearers();
  const { controller } = at.network;
  const check = await at.network.postureCheck('linux', { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0'] }] });
  await controller.api.servicePolicies.patch({ id: at.dialPolicy, body: { postureCheckRoles: [`@${check.id}`] } });
  await bindBy(at, 'terminator-1');
  assert.equal((await dialBy(at)).isMade, true);
});
