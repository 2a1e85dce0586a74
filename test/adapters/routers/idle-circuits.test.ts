/** Circuits that carry nothing end when their service says so, by what the routers at their ends report. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { bindBy, dialBy, settled, traffic, withSecond } from './traffic.ts';

const { circuitConfirmation } = messages.circuits;

const SECOND = 1_000_000_000n;

test('a circuit ends once it has been idle for as long as its service allows, by the report of a router at one of its ends', async () => {
  await using at = await traffic();
  const { api } = at.network.controller;
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  const circuits = async () => (await api.circuits.list()).data.map(({ id }) => id);
  const report = async (router: typeof at.router, seconds: bigint) => {
    router.send(circuitConfirmation, { circuitIds: [made.id], idleTimes: new Map([[made.id, seconds * SECOND]]) });
    await settled(router);
  };
  await report(at.router, 3600n);
  assert.deepEqual(await circuits(), [made.id], 'without a maximum');
  await api.services.patch({ id: at.serviceId, body: { maxIdleTimeMillis: 5000 } });
  await report(at.router, 4n);
  const { second } = await withSecond(at);
  await report(second, 3600n);
  assert.deepEqual(await circuits(), [made.id], 'not idle for long enough, or by a router that does not have it');
  await report(at.router, 5n);
  assert.deepEqual(await circuits(), []);
});
