/** The journal of circuits and failed dials, and the usage that routers report, as they are in the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { Row } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { newSharedStorage, type SharedStorage, stores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { on, restarted } from './restarted.ts';
import { bindBy, dialBy, routed, settled, type Traffic, traffic, withSecond } from './traffic.ts';

const { metrics } = messages.routers;

const rowsIn = async (storage: SharedStorage, kind: 'journalEntry' | 'usageSum'): Promise<readonly Row[]> => {
  const store = await storage.adapter().open(storageSchema);
  return store.transaction('read', (tx) => tx.list(kind, { where: { op: 'all' } })).finally(() => store.close());
};

/** Until the store has as many entries. */
const entriesOf = async (at: Pick<Traffic, 'network'>, storage: SharedStorage, count: number): Promise<readonly Row[]> => {
  await until(async () => {
    await at.network.advance('15s');
    return (await rowsIn(storage, 'journalEntry')).length >= count;
  });
  return rowsIn(storage, 'journalEntry');
};

type Values = Readonly<Record<string, bigint>>;

/** A router reports the bytes of a circuit in the interval that has just begun. */
const report = async ({ network, router }: Pick<Traffic, 'network' | 'router'>, circuitId: string, values: Values, nanos = 0) => {
  const seconds = BigInt(Math.floor(network.clock.now() / 1000));
  const bucket = { values: new Map(Object.entries(values)) };
  router.send(metrics, {
    timestamp: { seconds, nanos },
    usageCounters: [{ intervalStartUTC: seconds, intervalLength: 60n, buckets: new Map([[circuitId, bucket]]) }],
  });
  await settled(router);
};

const talking = async (at: Traffic): Promise<string> => {
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  return made.id;
};

for (const store of stores)
  test(`a circuit has an entry with who, what, by which policy, over which router, and how many bytes each way (${store})`, async () => {
    await using storage = newSharedStorage(store);
    await using at = await traffic(routed, 'API session', on(storage));
    const circuitId = await talking(at);
    await report(at, circuitId, { 'ingress.rx': 907n, 'ingress.tx': 2_000_000n, 'egress.rx': 3n });
    await at.network.controller.api.circuits.delete({ id: circuitId });
    await report(at, circuitId, { 'ingress.rx': 93n }, 1);
    const [entry, ...others] = await entriesOf(at, storage, 1);
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(entry, {
      outcome: 'ended',
      circuitId,
      identityId: at.dialing.identityId,
      identityName: 'client',
      serviceId: at.serviceId,
      serviceName: 'web',
      routerId: at.fra1.id,
      routers: [at.fra1.id],
      bytesSent: 1000,
      bytesReceived: 2_000_000,
      dials: 1,
      cause: null,
    });
    assert.deepEqual(
      (entry?.policies as readonly { id: string }[] | undefined)?.map(({ id }) => id),
      [at.dialPolicy],
    );
    const sums = await rowsIn(storage, 'usageSum');
    assert.deepEqual(sums.map(({ span }) => span).sort(), ['day', 'hour', 'minute']);
    for (const sum of sums)
      assert.partialDeepStrictEqual(sum, {
        identityName: 'client',
        serviceName: 'web',
        circuits: 1,
        bytesSent: 1000,
        bytesReceived: 2_000_000,
      });
  });

test('dials that fail alike have one entry, with their number, and the cause in words', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  for (let i = 0; i < 3; i++) assert.equal((await dialBy(at)).isMade, false);
  await at.network.controller.api.servicePolicies.delete({ id: at.dialPolicy });
  const entries = await entriesOf(at, storage, 1);
  assert.partialDeepStrictEqual(entries, [
    {
      outcome: 'failed',
      dials: 3,
      cause: 'NO_TERMINATORS',
      reason: 'nothing hosts the service',
      identityName: 'client',
      serviceName: 'web',
    },
  ]);
  assert.deepEqual(await rowsIn(storage, 'usageSum'), []);
});

test('a router counts for none but its own clients: neither on the path of another, nor for a circuit it never had', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  const { second } = await withSecond(at);
  const circuitId = await talking(at);
  await report({ ...at, router: second }, circuitId, { 'ingress.rx': 1_000_000n });
  await report(at, 'made-up', { 'ingress.rx': 1_000_000n });
  await report(at, circuitId, { 'ingress.rx': 1n << 60n }, 1);
  await report(at, circuitId, { 'ingress.rx': 5n }, 2);
  await at.network.controller.api.circuits.delete({ id: circuitId });
  const [entry] = await entriesOf(at, storage, 1);
  assert.equal(entry?.bytesSent, 5);
  assert.ok(at.log().some((line) => line.includes('there are more bytes than a router can carry')));
});

test('a report that a router repeats after it has connected again, or after the controller was restarted, is not counted again', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  const circuitId = await talking(at);
  await report(at, circuitId, { 'ingress.rx': 10n }, 7);
  const made = BigInt(Math.floor(at.network.clock.now() / 1000));
  await at.network.advance('15s');
  await until(async () => (await rowsIn(storage, 'usageSum')).length === 3);
  await using next = await restarted(at, storage);
  const { router } = await next.again();
  const bucket = { values: new Map([['ingress.rx', 10n]]) };
  const usageCounters = [{ intervalStartUTC: made, intervalLength: 60n, buckets: new Map([[circuitId, bucket]]) }];
  router.send(metrics, { timestamp: { seconds: made, nanos: 7 }, usageCounters });
  router.send(metrics, { timestamp: { seconds: made, nanos: 8 }, usageCounters });
  await settled(router);
  await next.network.controller.api.circuits.delete({ id: circuitId });
  const entries = await entriesOf(next, storage, 1);
  assert.deepEqual(
    entries.map(({ circuitId: id, bytesSent, outcome }) => ({ id, bytesSent, outcome })),
    [{ id: circuitId, bytesSent: 20, outcome: 'ended' }],
  );
  for (const { bytesSent, circuits } of await rowsIn(storage, 'usageSum'))
    assert.deepEqual({ bytesSent, circuits }, { bytesSent: 20, circuits: 1 });
});

test('with journalKept 0 nothing is kept; otherwise the oldest entries and sums give way', async () => {
  for (const [journalKept, kept] of [
    [0, 0],
    [2, 2],
  ] as const) {
    await using storage = newSharedStorage('memory');
    await using at = await traffic(routed, 'API session', { ...on(storage), settings: { journalKept, usageKept: 1 } });
    await bindBy(at, 'terminator');
    for (let i = 0; i < 3; i++) {
      const made = await dialBy(at);
      assert.ok(made.isMade);
      await at.network.controller.api.circuits.delete({ id: made.id });
      for (let batch = 0; batch < 8; batch++) await at.network.advance('15s');
    }
    await until(async () => (await rowsIn(storage, 'journalEntry')).length === kept);
    if (kept > 0) await until(async () => (await rowsIn(storage, 'usageSum')).length === 3);
  }
});

test('the journal and usage are listed, grouped and exported; no cell of CSV is a formula', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  const { controller } = at.network;
  const { id } = await controller.api.identities.create({
    body: { name: '=1+1', type: 'Device', isAdmin: false, roleAttributes: ['clients'] },
  });
  await controller.api.identities.patch({ id: at.dialing.identityId, body: { name: '=1+2' } });
  const circuitId = await talking(at);
  await report(at, circuitId, { 'ingress.rx': 7n, 'ingress.tx': 35n });
  await controller.api.circuits.delete({ id: circuitId });
  await entriesOf(at, storage, 1);
  const who = { id: at.dialing.identityId, name: '=1+2' };
  const web = { id: at.serviceId, name: 'web' };
  const router = { id: at.fra1.id, name: 'fra1' };
  const { journal, usage } = controller.api;
  const listed = await journal.list({ filter: `serviceName = "web" and routerId = "${router.id}"` });
  assert.partialDeepStrictEqual(listed.data, [{ identity: who, service: web, routers: [router], bytesSent: 7, bytesReceived: 35 }]);
  assert.equal((await journal.list({ to: '2000-01-01T00:00:00Z' })).pagination.totalCount, 0);
  const sums = { circuits: 1, bytesSent: 7, bytesReceived: 35 };
  const none = { begin: null, identity: null, service: null, router: null };
  assert.deepEqual((await usage.list({ by: ['identity'] })).data, [{ ...none, identity: who, ...sums }]);
  assert.deepEqual((await usage.list({ by: ['router', 'service'], filter: `identityId = "${who.id}"` })).data, [
    { ...none, service: web, router, ...sums },
  ]);
  assert.deepEqual((await usage.list({ filter: `identityId = "${id}"` })).data, []);
  assert.equal((await usage.list({})).data[0]?.begin?.endsWith('T00:00:00.000Z'), true);
  await assert.rejects(usage.list({ by: ['day', 'hour'] }), /by must have one of minute, hour, day at most/);
  const textOf = async ({ body }: { readonly body?: unknown }) => {
    let text = '';
    for await (const part of body as AsyncIterable<string>) text += part; // exports are streamed
    return text;
  };
  const [heading, line] = (await textOf(await usage.export({ by: ['identity'], format: 'csv' }))).split('\r\n');
  assert.equal(heading, 'begin,identityId,identity,serviceId,service,routerId,router,circuits,bytesSent,bytesReceived');
  assert.equal(line, `,${who.id},'=1+2,,,,,1,7,35`);
  assert.match(await textOf(await journal.export({})), /^\{"id":"[^\n]+\}\n$/);
});
