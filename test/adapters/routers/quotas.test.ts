/** Quotas of usage: reported once in a period, by one of several controllers, and nothing is cut off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings } from '../../../src/call/settings.ts';
import type { ToldEvent } from '../../../src/contract/network-events/kinds.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { createJournal } from '../../../src/fabric/journal/journal.ts';
import { dropOldUsage } from '../../../src/fabric/journal/retention.ts';
import { ManagementController, type NetworkEvent, type UsageQuota } from '../../../src/index.ts';
import { leasesBelow } from '../../../src/store/jobs/lease.ts';
import { StoreUnavailable } from '../../../src/store/storage/errors.ts';
import type { Row, Store } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { frozenClock, type TestClock } from '../../support/clock.ts';
import { newSharedStorage, type SharedStorage, stores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { openWorker } from '../../support/workers.ts';
import { on } from './restarted.ts';
import { bindBy, dialBy, routed, settled, traffic } from './traffic.ts';

const { metrics } = messages.routers;

const DAILY: UsageQuota = { name: 'daily', per: 'identity', period: 'day', bytes: 100 };
const MONTHLY: UsageQuota = { name: 'monthly', per: 'service', period: 'month', bytes: 250 };

const sumsIn = async (shared: SharedStorage) => {
  const store = await shared.adapter().open(storageSchema);
  const where = leasesBelow('quota/');
  return store.transaction('read', (tx) => tx.list('lease', { where })).finally(() => store.close());
};

/** How many writes of a store fail: their answers are lost after the commit, or nothing is written. */
interface Failing {
  answers: number;
  writes: number;
}

const withFailures = (shared: SharedStorage, failing: Failing): SharedStorage => ({
  ...shared,
  adapter: () => {
    const adapter = shared.adapter();
    return {
      ...adapter,
      open: async (schema) => {
        const store = await adapter.open(schema);
        const transaction: Store['transaction'] = async (mode, work, options) => {
          const isLost = mode === 'write' && failing.answers > 0 && failing.answers-- > 0;
          const isRefused = mode === 'write' && failing.writes > 0 && failing.writes-- > 0;
          const result = await store.transaction(
            mode,
            async (tx) => {
              const done = await work(tx);
              if (isRefused) throw new StoreUnavailable('rolled back');
              return done;
            },
            options,
          );
          if (isLost) throw new StoreUnavailable('the answer is lost');
          return result;
        };
        return { transaction, join: (host: unknown) => store.join(host), close: () => store.close() };
      },
    };
  },
});

/** A controller that counts, and the quotas that it reports. */
const counting = async (shared: SharedStorage, clock: TestClock, controllerId: string) => {
  const worker = await openWorker(shared, clock);
  const { platform, background } = worker;
  const exceeded: ToldEvent<'quota'>[] = [];
  const quotas = { quotas: [DAILY, MONTHLY], exceeded: (quota: ToldEvent<'quota'>) => void exceeded.push(quota) };
  const core = { platform, background, controllerId, settings: defaultSettings };
  const journal = createJournal(core, quotas);
  let reports = 0n;
  return {
    worker,
    core,
    exceeded,
    /** Counts bytes that an identity has sent just now, and waits until they are in the store. */
    used: async (clientId: string, bytes: number, begin = clock.now()) => {
      const sumOf = (rows: readonly Row[]) => JSON.stringify(rows.map((row) => row['told']));
      const before = sumOf(await sumsIn(shared));
      const circuit = { id: clientId, createdAt: new Date(clock.now()).toISOString(), ingress: `${controllerId}${clientId}${reports}` };
      const named = { clientId, serviceId: 'web', path: ['router'], grantedBy: [] };
      journal.used('router', ++reports, [
        { circuit: { ...circuit, ...named }, intervals: [{ begin, bytesSent: bytes, bytesReceived: 0 }] },
      ]);
      await until(async () => {
        clock.advance('15s');
        return sumOf(await sumsIn(shared)) !== before;
      });
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
};

const shown = ({ quota, identity_id = '', service_id = '', usage }: ToldEvent<'quota'>) => `${quota} ${identity_id}${service_id} ${usage}`;

for (const store of stores)
  test(`a quota is reported once in its period, by the controller whose count exceeds it (${store})`, async () => {
    await using shared = newSharedStorage(store);
    const clock = frozenClock('2026-11-29T20:00:00Z');
    await using one = await counting(shared, clock, 'one');
    await using two = await counting(shared, clock, 'two');
    await one.used('ann', 60);
    await two.used('ann', 40);
    assert.deepEqual([one.exceeded, two.exceeded], [[], []]);
    await two.used('ben', 30);
    await one.used('ann', 1);
    await two.used('ann', 70);
    assert.deepEqual(one.exceeded.map(shown), ['daily ann 101']);
    assert.partialDeepStrictEqual(one.exceeded[0], {
      event_type: 'exceeded',
      period: 'day',
      period_start: '2026-11-29T00:00:00.000Z',
      limit: 100,
    });
    await two.used('ann', 70);
    assert.deepEqual(two.exceeded.map(shown), ['monthly web 271']);
    // A new day begins at zero, and the month continues. What is reported late counts for no former day.
    clock.advance('4h');
    await one.used('ann', 99);
    await one.used('ann', 500, Date.parse('2026-11-29T23:59:00Z'));
    assert.equal(one.exceeded.length, 1);
    await two.used('ann', 2);
    assert.deepEqual(two.exceeded.slice(1).map(shown), ['daily ann 101']);
    // A new month, too.
    clock.advance('24h');
    await one.used('ann', 300);
    assert.deepEqual(one.exceeded.slice(1).map(shown).sort(), ['daily ann 300', 'monthly web 300']);
  });

test('a quota is reported once, also if the answer to the commit is lost, or the store was away', async () => {
  await using shared = newSharedStorage('memory');
  const clock = frozenClock('2026-11-29T20:00:00Z');
  const failing = { answers: 0, writes: 0 };
  await using one = await counting(withFailures(shared, failing), clock, 'one');
  failing.answers = 1;
  await one.used('ann', 101);
  await one.used('ann', 1);
  assert.deepEqual(one.exceeded.map(shown), ['daily ann 101']);
  failing.writes = 2;
  await one.used('ben', 150);
  await one.used('ben', 1);
  assert.deepEqual(one.exceeded.slice(1).map(shown).toSorted(), ['daily ben 150', 'monthly web 252']);
});

test('sums of periods that are over are removed', async () => {
  await using shared = newSharedStorage('memory');
  const clock = frozenClock('2026-11-29T20:00:00Z');
  await using one = await counting(shared, clock, 'one');
  for (const name of ['ann', 'ben', 'carl']) await one.used(name, 60);
  assert.equal((await sumsIn(shared)).length, 4);
  clock.advance('24h');
  await one.used('ann', 60);
  dropOldUsage(one.core);
  await until(async () => {
    clock.advance('1h');
    return (await sumsIn(shared)).length < 5;
  });
  assert.deepEqual((await sumsIn(shared)).map(({ id }) => id).sort(), [
    'quota/day/2026-11-30T00:00:00.000Z/identity/ann',
    'quota/month/2026-11-01T00:00:00.000Z/service/web',
  ]);
});

test('a host gets the event and its hook is called, while the circuit continues', async () => {
  await using storage = newSharedStorage('memory');
  const [heard, hooked]: NetworkEvent<'quota'>[][] = [[], []];
  await using at = await traffic(routed, 'API session', {
    ...on(storage),
    usageQuotas: [DAILY],
    hooks: { quotaExceeded: (event) => void hooked?.push(event) },
  });
  const { controller } = at.network;
  controller.networkEvents.on('quota', (event) => void heard?.push(event));
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  const seconds = BigInt(Math.floor(at.network.clock.now() / 1000));
  const bucket = {
    values: new Map([
      ['ingress.rx', 900n],
      ['ingress.tx', 100n],
    ]),
  };
  at.router.send(metrics, {
    timestamp: { seconds, nanos: 0 },
    usageCounters: [{ intervalStartUTC: seconds, intervalLength: 60n, buckets: new Map([[made.id, bucket]]) }],
  });
  await settled(at.router);
  await until(async () => {
    await at.network.advance('15s');
    return heard?.length === 1;
  });
  assert.deepEqual(hooked, heard);
  assert.deepEqual(Object.keys(heard?.[0] ?? {}), [
    ...['namespace', 'event_src_id', 'timestamp', 'event_type', 'quota', 'period', 'period_start', 'identity_id', 'usage', 'limit'],
  ]);
  assert.partialDeepStrictEqual(heard?.[0], {
    namespace: 'quota',
    quota: 'daily',
    identity_id: at.dialing.identityId,
    usage: 1000,
    limit: 100,
  });
  assert.equal((await controller.api.circuits.list()).data.length, 1);
});

test('quotas that make no sense are refused', async () => {
  const { memoryStorage } = await import('../../../adapters/storage/memory/index.ts');
  const opening = (usageQuotas: readonly UsageQuota[], journalKept = 10) =>
    ManagementController.open({ storage: memoryStorage(), settings: { address: 'https://a.test', journalKept }, usageQuotas });
  await assert.rejects(opening([DAILY, { ...MONTHLY, name: 'daily' }]), /each with another name/);
  for (const wrong of [{ bytes: -1 }, { bytes: 0.5 }, { name: '' }, { per: 'router' }, { period: 'year' }, { byte: 1 }])
    await assert.rejects(opening([{ ...DAILY, ...wrong } as UsageQuota]), TypeError, JSON.stringify(wrong)); // wrong on purpose
  await assert.rejects(opening([DAILY], 0), /journalKept of 0/);
});
