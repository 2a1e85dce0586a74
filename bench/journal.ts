/**
 * Measures the journal at 1,000 routers and 10,000 circuits a minute on SQLite: its processor time as a share of one core, and how long
 * other writes wait meanwhile. Time is virtual, so that minutes pass as fast as they are written.
 *
 *     npm run bench:journal -- [minutes]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { defaultSettings } from '../src/call/settings.ts';
import { identityType } from '../src/contract/api/identity-types.ts';
import { journalEntry } from '../src/contract/api/journal.ts';
import { usageSum } from '../src/contract/api/usage.ts';
import type { JournaledCircuit } from '../src/fabric/journal/entries.ts';
import { createJournal } from '../src/fabric/journal/journal.ts';
import { ALL } from '../src/query/index.ts';
import { frozenClock } from '../test/support/clock.ts';
import { openWorker } from '../test/support/workers.ts';

const ROUTERS = 1000;
const CIRCUITS_PER_MINUTE = 10_000;
/** Identities per router, each with a service that it dials several times a minute. */
const IDENTITIES = 2500;
const minutes = Number(process.argv[2] ?? 5);

const folder = mkdtempSync(join(tmpdir(), 'journal-'));
const storage = sqliteStorage({ file: join(folder, 'bench.db') });
const clock = frozenClock();
const worker = await openWorker({ adapter: () => storage, [Symbol.asyncDispose]: async () => undefined }, clock);
const { platform, background } = worker;
// As many as are kept, so that the removal of the oldest is measured, too.
const settings = { ...defaultSettings, journalKept: CIRCUITS_PER_MINUTE, usageKept: CIRCUITS_PER_MINUTE };
const journal = createJournal({ platform, background, controllerId: 'bench', settings });
const other = await worker.job();

const open = new Map<number, { readonly circuit: JournaledCircuit; readonly until: number }[]>();
let number = 0;
const second = async (now: number): Promise<void> => {
  for (let i = 0; i < CIRCUITS_PER_MINUTE / 60; i++) {
    const [router, identity] = [number % ROUTERS, number % IDENTITIES];
    const id = String(number++).padStart(10, '0');
    const circuit = {
      ...{ id, ingress: id, createdAt: new Date(clock.now()).toISOString() },
      ...{
        clientId: `identity-${identity}`,
        serviceId: `service-${identity % 50}`,
        path: [`router-${router}`, 'exit'],
        grantedBy: ['policy'],
      },
    };
    journal.began(circuit);
    open.set(router, [...(open.get(router) ?? []), { circuit, until: now + (number % 90) }]);
  }
  for (const circuits of open.values()) for (const { circuit, until } of circuits) if (until === now) journal.ended(circuit);
  // Each router reports once a minute.
  for (let router = now % 60; router < ROUTERS; router += 60) {
    const circuits = open.get(router) ?? [];
    const interval = { begin: clock.now(), bytesSent: 1000, bytesReceived: 5000 };
    journal.used(
      `router-${router}`,
      BigInt(clock.now()) * 1_000_000n,
      circuits.map(({ circuit }) => ({ circuit, intervals: [interval] })),
    );
    open.set(
      router,
      circuits.filter(({ until }) => until > now),
    );
  }
  clock.advance('1s');
};

const waits: number[] = [];
const writeBeside = async (): Promise<void> => {
  const since = performance.now();
  await other.write((entities) => entities.insert(identityType, { name: `other ${number} ${waits.length}` }));
  waits.push(performance.now() - since);
};
/** Until the batch is written. */
const quiet = async (): Promise<void> => {
  for (let turns = 0; turns < 60; turns++) {
    await setTimeout(5);
    if (worker.running() === 0) continue;
    turns = 0;
    await writeBeside();
    await setTimeout(20);
  }
};

let processor = process.cpuUsage();
let idle = 0;
for (let minute = 0; minute <= minutes; minute++) {
  if (minute === 1) processor = process.cpuUsage();
  for (let i = 0; i < 60; i++) {
    const started = process.cpuUsage();
    await second(minute * 60 + i);
    const { user, system } = process.cpuUsage(started);
    idle += minute > 0 ? user + system : 0;
    if (i % 15 === 14) await quiet();
  }
}
const { user, system } = process.cpuUsage(processor);
const share = (user + system) / 1e6 / (minutes * 60);
waits.sort((one, another) => one - another);
const at = (part: number) => waits[Math.floor(waits.length * part)]?.toFixed(1);
console.log(
  `${(share * 100).toFixed(2)} per cent of one core, of which ${((idle / 1e6 / (minutes * 60)) * 100).toFixed(2)} make up the circuits of the benchmark`,
);
console.log(`other writes beside batches took ${at(0.5)} ms (median), ${at(0.99)} ms (99 of 100), of ${waits.length}`);
const counts = await other.read(async (entities) => [await entities.count(journalEntry, ALL), await entities.count(usageSum, ALL)]);
console.log(`${counts[0]} entries and ${counts[1]} sums in the store`);
await worker[Symbol.asyncDispose]();
rmSync(folder, { recursive: true });
