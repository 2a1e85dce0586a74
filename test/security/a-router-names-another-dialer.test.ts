/** A host was told the name of any identity as that of its client, if the client's router said so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circuitHeader } from '../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { textOf, utf8 } from '../../src/fabric/control-channel/primitives.ts';
import { bindBy, CLIENT_KEY, fingerprintOf, KEY, tokenFor, traffic } from '../adapters/routers/traffic.ts';

const { createCircuit, route } = messages.circuits;

/** Keys of peer data: the identity that dials. */
const [DIALER_ID, DIALER_NAME] = [1115, 1116];

test('a router that names another identity as the one that dials has the host told the right one', async () => {
  await using at = await traffic();
  await bindBy(at, 'terminator');
  const sent = async (named: ReadonlyMap<number, Uint8Array>) => {
    await at.router.request(createCircuit, '', {
      headers: [
        circuitHeader.sessionToken.of(await tokenFor(at.dialing, at.serviceId, 'Dial')),
        circuitHeader.apiSessionToken.of(at.dialing.token),
        circuitHeader.fingerprints.of([fingerprintOf(at.client)]),
        circuitHeader.peerData.of(new Map([[KEY, CLIENT_KEY], ...named])),
      ],
    });
    const { egress } = route.decode((await at.router.next(route)).body);
    return [DIALER_ID, DIALER_NAME].map((key) => egress?.peerData.get(key)).map((bytes) => bytes && textOf(bytes));
  };
  const { id, name } = at.client;
  const named = (...entries: readonly (readonly [number, string])[]) => new Map(entries.map(([key, text]) => [key, utf8(text)]));
  assert.deepEqual(await sent(named([DIALER_ID, at.host.id], [DIALER_NAME, at.host.name])), [id, name]);
  assert.deepEqual(await sent(named([DIALER_NAME, at.host.name])), [id, name]);
  assert.deepEqual(await sent(named([DIALER_ID, id], [DIALER_NAME, name])), [id, name]);
  // Routers of the 1.x line name none.
  assert.deepEqual(await sent(new Map()), [undefined, undefined]);
});
