/**
 * A router that named another identity in a request for a circuit without a session dialed with the rights of that identity
 * (GHSA-7868-235p-7497).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { circuitHeader, edgeHeader } from '../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { bindBy, CLIENT_KEY, dialBy, fingerprintOf, KEY, type Traffic, traffic, withSecond } from '../adapters/routers/traffic.ts';

const { createCircuitV3, createCircuitV3Response, refused, route } = messages.circuits;

interface Requested {
  readonly identityId?: string;
  readonly serviceId?: string;
  readonly circuitId?: string;
  readonly token?: string;
  readonly fingerprints?: readonly string[];
}

const dial = async ({ router, client, dialing, serviceId }: Traffic, change: Requested = {}) => {
  const answer = await router.request(createCircuitV3, '', {
    headers: [
      circuitHeader.identityId.of(change.identityId ?? client.id),
      circuitHeader.serviceId.of(change.serviceId ?? serviceId),
      circuitHeader.chosenCircuitId.of(change.circuitId ?? 'chosen'),
      circuitHeader.apiSessionToken.of(change.token ?? dialing.token),
      circuitHeader.fingerprints.of(change.fingerprints ?? [fingerprintOf(client)]),
      circuitHeader.peerData.of(new Map([[KEY, CLIENT_KEY]])),
    ],
  });
  if (answer.contentType === refused.contentType) return [edgeHeader.errorCode.in(answer), refused.decode(answer.body)];
  assert.equal(answer.contentType, createCircuitV3Response.contentType);
  return {
    id: circuitHeader.circuitId.required(answer),
    address: circuitHeader.address.required(answer),
    tags: circuitHeader.tags.in(answer),
  };
};
const circuitsOf = async ({ network }: Traffic) => (await network.controller.api.circuits.list({})).data;

describe('a circuit without a session', () => {
  test('belongs to the identity whose token comes with it, and has the id that the router chose', async () => {
    await using at = await traffic(undefined, 'OpenID Connect');
    await bindBy(at, 'terminator');
    const made = await dial(at);
    assert.ok('id' in made, String(made));
    const asked = route.decode((await at.router.next(route)).body);
    assert.deepEqual([made.id, asked.circuitId, made.address], ['chosen', 'chosen', asked.forwards[0]?.srcAddress]);
    assert.equal(made.tags?.get('clientId'), at.client.id);
    assert.deepEqual(
      (await circuitsOf(at)).map(({ id, clientId }) => [id, clientId]),
      [['chosen', at.client.id]],
    );
  });

  test('is refused to a router that names an identity other than that of the token', async () => {
    await using at = await traffic(undefined, 'OpenID Connect');
    await bindBy(at, 'terminator');
    const INVALID = [2, 'invalid api session'];
    // The host may not dial: neither in the name of the client, nor in its own.
    const asHost = { token: at.hosting.token, fingerprints: [fingerprintOf(at.host)] };
    assert.deepEqual(await dial(at, asHost), INVALID);
    assert.deepEqual(await dial(at, { ...asHost, identityId: at.host.id }), [6, 'invalid service']);
    assert.deepEqual(await dial(at, { identityId: at.host.id }), INVALID);
    for (const token of ['', 'none', `${at.dialing.token}x`]) assert.deepEqual(await dial(at, { token }), INVALID);
    assert.deepEqual(await dial(at, { serviceId: 'none' }), [6, 'invalid service']);
    assert.deepEqual(await dial(at, { fingerprints: [] }), INVALID);
    await at.dialing.currentApiSession.delete({});
    assert.deepEqual(await dial(at), INVALID);
    assert.deepEqual(await circuitsOf(at), []);
  });

  const endings: Readonly<Record<string, (at: Traffic) => unknown>> = {
    'has expired': ({ network }) => network.clock.advance('31m'),
    'was revoked by its session': ({ network, dialing }) =>
      network.controller.api.revocations.create({ body: { id: dialing.id, type: 'API_SESSION' } }),
    'is of an identity that was disabled': ({ network, client }) =>
      network.controller.api.identities.disable({ id: client.id, body: { durationMinutes: 5 } }),
    'is of an identity that was deleted': ({ network, client }) => network.controller.api.identities.delete({ id: client.id }),
  };
  for (const [how, end] of Object.entries(endings))
    test(`is refused with a token that ${how}`, async () => {
      await using at = await traffic(undefined, 'OpenID Connect');
      await bindBy(at, 'terminator');
      await end(at);
      const alive = at.router.signal.aborted ? { ...at, router: await at.fra1.dial({ port: at.port }) } : at;
      assert.deepEqual(await dial(alive), [2, 'invalid api session']);
      assert.deepEqual(await circuitsOf(at), []);
    });

  test('is refused the id of another circuit, which continues', async () => {
    await using at = await traffic(undefined, 'OpenID Connect');
    await bindBy(at, 'terminator');
    const made = await dialBy(at);
    assert.ok(made.isMade);
    const { second } = await withSecond(at);
    const once = await Promise.all([1, 2].map(() => dial(at, { circuitId: 'x'.repeat(64) })));
    assert.deepEqual(once.filter((answer) => 'id' in answer).length, 1, 'one of two dials with the same id is refused, too');
    for (const circuitId of [made.id, '', 'two words', 'x'.repeat(65)]) {
      const [code] = Object.values(await dial({ ...at, router: second }, { circuitId }));
      assert.equal(code, 1, circuitId);
    }
    assert.deepEqual((await circuitsOf(at)).map(({ id }) => id).toSorted(), [made.id, 'x'.repeat(64)].toSorted());
  });

  test('needs an access token of OpenID Connect: the token of an older API session is refused', async () => {
    await using at = await traffic();
    await bindBy(at, 'terminator');
    assert.deepEqual(await dial(at), [2, 'invalid api session']);
  });

  test('ends when the right of the identity ends', async () => {
    await using at = await traffic(undefined, 'OpenID Connect');
    await bindBy(at, 'terminator');
    await dial(at);
    const { unroute } = messages.circuits;
    await at.network.controller.api.servicePolicies.delete({ id: at.dialPolicy });
    assert.deepEqual(unroute.decode((await at.router.next(unroute)).body), { circuitId: 'chosen', now: true });
  });
});
