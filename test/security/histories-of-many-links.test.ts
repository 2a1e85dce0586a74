/** Routers report more links than the history keeps: the controller compared each with all that it kept, each minute. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrafficHistory } from '../../src/runtime/presence/traffic-history.ts';
import { stepCounter } from '../support/counted-steps.ts';

const KEPT = 1000;
const load = { bytes: 1, latency: 1, circuits: 0, cost: 1 };

test('the cost of a point does not grow with the number of links that are kept, whether or not it finds room', async () => {
  await using steps = await stepCounter();
  const { links } = createTrafficHistory(KEPT);
  const record = (minute: number, prefix: string, count: number) => () => {
    for (let i = 0; i < count; i++) links.record(`${prefix}${i}`, minute * 60_000, load);
  };
  record(0, 'first', KEPT)();
  const perLink = async (work: () => void) => (await steps.of(work)) / KEPT;
  assert.ok((await perLink(record(0, 'beyond', KEPT))) < 20);
  assert.equal(links.ids().includes('beyond0'), false);
  assert.ok((await perLink(record(5, 'other', KEPT))) < 50);
  assert.deepEqual([links.ids().length, links.ids().every((id) => id.startsWith('other'))], [KEPT, true]);
});
