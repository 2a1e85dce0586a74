/**
 * A router could report thousands of intervals of one circuit, also from before it was set up. They filled memory beyond its bound while
 * the store was away, were written in one long transaction, and pushed the sums of everybody else out of the store.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings } from '../../src/call/settings.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { createJournal } from '../../src/fabric/journal/journal.ts';
import type { Store } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { on } from '../adapters/routers/restarted.ts';
import { bindBy, dialBy, routed, settled, traffic } from '../adapters/routers/traffic.ts';
import { frozenClock } from '../support/clock.ts';
import { newSharedStorage, type SharedStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openWorker } from '../support/workers.ts';

const { metrics } = messages.routers;
const MINUTES_OF_DAY = 1440;

const sumsIn = async (storage: SharedStorage, span: string) => {
  const store = await storage.adapter().open(storageSchema);
  const rows = await store.transaction('read', (tx) => tx.list('usageSum', { where: { op: 'all' } })).finally(() => store.close());
  return rows.filter((row) => row.span === span);
};

test('a circuit has no usage from before it was set up, and intervals of a minute are one sum', async () => {
  await using storage = newSharedStorage('memory');
  await using at = await traffic(routed, 'API session', on(storage));
  await bindBy(at, 'terminator');
  const made = await dialBy(at);
  assert.ok(made.isMade);
  const seconds = Math.floor(at.network.clock.now() / 1000);
  const bucket = { values: new Map([['ingress.rx', 1n]]) };
  const interval = (begin: number) => ({ intervalStartUTC: BigInt(begin), intervalLength: 60n, buckets: new Map([[made.id, bucket]]) });
  const past = Array.from({ length: MINUTES_OF_DAY - 1 }, (_, i) => interval(seconds - 60 * (MINUTES_OF_DAY - 1 - i) - 600));
  const usageCounters = [...past.slice(0, -1), ...Array.from({ length: 10 }, () => interval(seconds))];
  at.router.send(metrics, { timestamp: { seconds: BigInt(seconds), nanos: 0 }, usageCounters });
  await settled(at.router);
  await until(async () => {
    await at.network.advance('15s');
    return (await sumsIn(storage, 'minute')).length > 0;
  });
  assert.deepEqual(
    (await sumsIn(storage, 'minute')).map(({ bytesSent }) => bytesSent),
    [10],
  );
  assert.ok(at.log().some((line) => line.includes('the interval is from before the circuit')));
});

/** A store that counts its write transactions. */
const counting = (shared: SharedStorage, counted: { writes: number }): SharedStorage => ({
  ...shared,
  adapter: () => {
    const adapter = shared.adapter();
    return {
      ...adapter,
      open: async (schema) => {
        const store = await adapter.open(schema);
        const transaction: Store['transaction'] = (mode, ...given) => {
          if (mode === 'write') counted.writes++;
          return store.transaction(mode, ...given);
        };
        return { transaction, join: (host: unknown) => store.join(host), close: () => store.close() };
      },
    };
  },
});

test('what waits for the store is bounded by its intervals, and written some at a time', async () => {
  await using storage = newSharedStorage('memory');
  const clock = frozenClock();
  const counted = { writes: 0 };
  await using worker = await openWorker(counting(storage, counted), clock);
  const { platform, background, log } = worker;
  const journal = createJournal({ platform, background, controllerId: 'one', settings: defaultSettings });
  const createdAt = new Date(clock.now()).toISOString();
  const intervals = Array.from({ length: 60 }, (_, i) => ({ begin: clock.now() - 60_000 * i, bytesSent: 1, bytesReceived: 1 }));
  const usages = Array.from({ length: 40 }, (_, i) => {
    const circuit = { id: `c${i}`, ingress: `c${i}`, clientId: `i${i}`, serviceId: 's' };
    return { circuit: { ...circuit, createdAt, path: ['router'], grantedBy: [] }, intervals };
  });
  const report = (at: bigint) => journal.used('router', at, usages);
  report(1n);
  clock.advance('15s');
  await until(() => counted.writes >= 40);
  for (let at = 2n; at < 100n; at++) report(at);
  assert.ok(log.some((line) => line.includes('bytes of circuits are missing in the journal')));
});
