/** The journal against a simple oracle: whatever happens to circuits and reports, each byte that was reported is counted once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { defaultSettings } from '../../../src/call/settings.ts';
import type { JournaledCircuit } from '../../../src/fabric/journal/entries.ts';
import { createJournal, type Journal } from '../../../src/fabric/journal/journal.ts';
import { StoreUnavailable } from '../../../src/store/storage/errors.ts';
import type { Row, Store } from '../../../src/store/storage/port.ts';
import { storageSchema } from '../../../src/store/storage/schema.ts';
import { frozenClock } from '../../support/clock.ts';
import { newSharedStorage, type SharedStorage, stores } from '../../support/stores.ts';
import { openWorker } from '../../support/workers.ts';

/** What may happen. Numbers choose among circuits and routers. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: fc.constant('begin' as const), identity: fc.nat(2), service: fc.nat(1), router: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('end' as const), circuit: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('move' as const), circuit: fc.nat() }) },
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant('report' as const), router: fc.nat(1), bytes: fc.array(fc.nat(1000), { maxLength: 120 }) }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('repeat' as const), report: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('wait' as const), seconds: fc.constantFrom(1, 15, 90, 400) }) },
  { weight: 1, arbitrary: fc.constant({ is: 'lose answers' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'crash' as const }) },
);

interface Circuit extends JournaledCircuit {
  isOpen: boolean;
  bytes: number;
}

interface Report {
  readonly routerId: string;
  readonly at: bigint;
  readonly usages: Parameters<Journal['used']>[2];
}

/** How writes of a store fail: their answers are lost after the commit, or nothing is written. */
interface Failing {
  answers: number;
  isGone: boolean;
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
          if (mode === 'write' && failing.isGone) throw new StoreUnavailable('gone');
          const result = await store.transaction(mode, work, options);
          if (mode === 'write' && failing.answers > 0) {
            failing.answers--;
            throw new StoreUnavailable('the answer is lost');
          }
          return result;
        };
        return { transaction, join: (host: unknown) => store.join(host), close: () => store.close() };
      },
    };
  },
});

for (const name of stores)
  test(`each reported byte is counted once, whatever routers, circuits and controllers do (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 40 }), async (happenings) => {
        await using shared = newSharedStorage(name);
        const clock = frozenClock();
        const failing: Failing = { answers: 0, isGone: false };
        const circuits: Circuit[] = [];
        const reports: Report[] = [];
        let isExact = true;
        const open = async () => {
          const worker = await openWorker(withFailures(shared, failing), clock);
          const { platform, background } = worker;
          const journal = createJournal({ platform, background, controllerId: 'one', settings: defaultSettings });
          for (const circuit of circuits) if (circuit.isOpen) journal.began(circuit);
          journal.restored();
          return { worker, journal };
        };
        let { worker, journal } = await open();
        const quiet = async () => {
          for (let turns = 0; turns < 3; turns++) {
            await setTimeout(0);
            if (worker.running() > 0) turns = 0;
          }
        };
        const chosen = (number: number) => circuits.filter(({ isOpen }) => isOpen).at(number % Math.max(circuits.length, 1));
        for (const given of happenings) {
          if (given.is === 'begin') {
            const createdAt = new Date(clock.now()).toISOString();
            const number = String(circuits.length).padStart(4, '0');
            const circuit = {
              id: number,
              createdAt,
              ingress: number,
              clientId: `identity${given.identity}`,
              serviceId: `service${given.service}`,
              path: [`router${given.router}`],
              grantedBy: [],
              isOpen: true,
              bytes: 0,
            };
            circuits.push(circuit);
            journal.began(circuit);
          } else if (given.is === 'end') {
            const circuit = chosen(given.circuit);
            if (circuit) journal.ended(Object.assign(circuit, { isOpen: false }));
          } else if (given.is === 'move') {
            const circuit = chosen(given.circuit);
            if (circuit) journal.moved({ ...circuit, path: [...circuit.path, 'other'] });
          } else if (given.is === 'report') {
            const routerId = `router${given.router}`;
            const usages = circuits
              .filter(({ path }) => path[0] === routerId)
              .flatMap((circuit, i) => {
                const bytes = given.bytes[i] ?? 0;
                circuit.bytes += bytes;
                return bytes > 0 ? [{ circuit, intervals: [{ begin: clock.now(), bytesSent: bytes, bytesReceived: 2 * bytes }] }] : [];
              });
            const report = { routerId, at: BigInt(clock.now()) * 1_000_000n + BigInt(reports.length), usages };
            reports.push(report);
            journal.used(report.routerId, report.at, report.usages);
          } else if (given.is === 'repeat') {
            const report = reports.at(given.report % Math.max(reports.length, 1));
            // A router repeats its last reports, in their order.
            for (const again of report ? reports.slice(reports.indexOf(report)) : []) journal.used(again.routerId, again.at, again.usages);
          } else if (given.is === 'wait') {
            for (let waited = 0; waited < given.seconds; waited += 15) {
              clock.advance(`${Math.min(15, given.seconds)}s`);
              await quiet();
            }
          } else if (given.is === 'lose answers') failing.answers = 2;
          else {
            await quiet();
            failing.answers = 0;
            failing.isGone = given.is === 'crash';
            await worker[Symbol.asyncDispose]();
            if (given.is === 'crash') isExact = false;
            failing.isGone = false;
            ({ worker, journal } = await open());
            if (given.is === 'crash') for (const again of reports) journal.used(again.routerId, again.at, again.usages);
          }
        }
        failing.answers = 0;
        await quiet();
        await worker[Symbol.asyncDispose]();
        await compare(shared, circuits, isExact);
      }),
      { numRuns: name === 'memory' ? 60 : 15 },
    );
  });

const compare = async (shared: SharedStorage, circuits: readonly Circuit[], isExact: boolean) => {
  const store = await shared.adapter().open(storageSchema);
  const rowsOf = (kind: string) => store.transaction('read', (tx) => tx.list(kind, { where: { op: 'all' } }));
  const [entries, sums] = [await rowsOf('journalEntry'), await rowsOf('usageSum')];
  await store.close();
  const entered = new Map(entries.map((row) => [row.circuitId, row]));
  assert.equal(entered.size, entries.length, 'a circuit has one entry');
  for (const circuit of circuits) {
    const row = entered.get(circuit.id);
    // Those that ended just before a crash may have none.
    if (!row && !isExact) continue;
    assert.partialDeepStrictEqual(row, {
      bytesSent: circuit.bytes,
      bytesReceived: 2 * circuit.bytes,
      outcome: circuit.isOpen ? 'open' : 'ended',
    });
  }
  const keyOf = ({ identityId, serviceId, routerId }: Row) => `${identityId} ${serviceId} ${routerId}`;
  for (const span of ['minute', 'hour', 'day']) {
    const expected = new Map<string, number>();
    for (const { clientId, serviceId, path, bytes } of circuits) {
      const key = `${clientId} ${serviceId} ${path[0]}`;
      expected.set(key, (expected.get(key) ?? 0) + bytes);
    }
    const counted = new Map<string, number>();
    let begun = 0;
    for (const sum of sums.filter((row) => row.span === span)) {
      counted.set(keyOf(sum), (counted.get(keyOf(sum)) ?? 0) + Number(sum.bytesSent));
      begun += Number(sum.circuits);
    }
    for (const [key, bytes] of expected) assert.equal(counted.get(key) ?? 0, bytes, `${span} of ${key}`);
    assert.equal(begun, entries.length);
  }
};
