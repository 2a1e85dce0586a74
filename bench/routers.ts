/**
 * Measures what routers cost: the data model (first sync, changes, after a change), memory of each, circuits, and the reconnection of all
 * after a restart. Routers are scripted, in this process; the controller is in another one, over TLS on the loopback interface. Prints a
 * table.
 *
 *     npm run bench:routers -- --size 100000x1000x200x300 --routers 1000 --stores memory,sqlite --seconds 60
 */
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messages } from '../src/fabric/control-channel/messages/index.ts';
import { frozenClock } from '../testing/clock.ts';
import { connectLean, type KnownModel, type LeanRouter, type RouterKey } from './lean-router.ts';
import { type MeasuredServer, startServer } from './measure.ts';
import { dial, HUBS, linkAll, type Tokens } from './router-circuits.ts';
import type { ChangeName, Memory, NetworkRequest } from './router-network.ts';
import { placeOf, sizeOf } from './stores.ts';

const { values } = parseArgs({
  options: {
    /** Identities, services, policies, and attributes of identities. */
    size: { type: 'string', default: '10000x1000x200x300' },
    routers: { type: 'string', default: '100' },
    stores: { type: 'string', default: 'memory,sqlite' },
    /** Circuits per minute, and how long. */
    dials: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '10' },
    /** What is measured after the first sync. */
    parts: { type: 'string', default: 'changes,circuits,restart' },
    /** Folder that keeps SQLite databases for later runs. */
    folder: { type: 'string' },
    /** Routers that connect at once, except after the restart. */
    parallel: { type: 'string', default: '8' },
  },
});
const parts = new Set(values.parts.split(','));
const [routers, seconds, parallel] = [Number(values.routers), Number(values.seconds), Number(values.parallel)];
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'bench-'));
const { createTerminator } = messages.terminators;
const { changeSet } = messages.dataModel;

interface RouterNetwork extends MeasuredServer {
  readonly keys: readonly RouterKey[];
  readonly bind: Tokens;
  readonly dial: Tokens;
}

const MIB = 2 ** 20;
/** Time in which routers come to rest. ms */
const REST = 3000;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const clock = frozenClock();

const ask = async <T>({ child }: RouterNetwork, request: NetworkRequest): Promise<T> => {
  child.send(request);
  const [{ answer }] = await once(child, 'message');
  if (typeof answer === 'string') throw new Error(answer);
  return answer as T; // as the network answers this request
};
/** Runs work, and measures the processor time of the controller, in ms, and how long it held its event loop at most. */
const measured = async <T>(network: RouterNetwork, work: () => Promise<T>) => {
  const before = await network.usage();
  await ask(network, { ask: 'watch' });
  const began = performance.now();
  const result = await work();
  const wallMs = performance.now() - began;
  const heldMs = await ask<number>(network, { ask: 'held' });
  const after = await network.usage();
  return { result, wallMs, heldMs, cpuMs: (after.user - before.user + after.system - before.system) / 1000 };
};
/** Runs a task for each item, some at once. */
const each = async <T>(items: readonly T[], atOnce: number, task: (item: T) => Promise<unknown>): Promise<void> => {
  const rest = [...items];
  const one = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, rest.length) }, one));
};

const started = async (
  store: string,
): Promise<{ network: RouterNetwork; keys: readonly RouterKey[]; restart(): Promise<RouterNetwork> }> => {
  const place = placeOf(store, `${values.size}-${routers}`, folder);
  const [, , , attributes = '50'] = values.size.split('x');
  const size = JSON.stringify({ ...sizeOf(values.size), attributes: Number(attributes) });
  const start = (at = place) => startServer<RouterNetwork>('router-network.ts', [at, size, values.routers]);
  if (store === 'memory') {
    const network = await start();
    return { network, keys: network.keys, restart: start };
  }
  const file = place.slice('sqlite:'.length);
  const keyFile = `${file}.keys.json`;
  if (!existsSync(keyFile)) {
    const { child, keys } = await startServer<RouterNetwork>('router-network.ts', [place, size, values.routers, 'fill']);
    if (child.exitCode === null) await once(child, 'exit');
    writeFileSync(keyFile, JSON.stringify(keys));
  }
  // A copy, because the network changes, and the next run needs it unchanged.
  const [copy, copied] = [`${file}.measured`, `${place}.measured`];
  for (const suffix of ['-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
  copyFileSync(file, copy);
  return { network: await start(copied), keys: JSON.parse(readFileSync(keyFile, 'utf8')), restart: () => start(copied) };
};

const CHANGES: readonly ChangeName[] = [
  'an identity gets other attributes',
  'an identity is disabled',
  'a new service',
  'a new policy',
  'a new policy of everyone',
  'the policy of everyone selects an attribute',
  'this policy is deleted',
];

const bytes = (count: number): string => (count < 10_240 ? `${count} B` : `${(count / 1024).toFixed(0)} KiB`);
const row = (label: string, ...cells: readonly string[]): void => console.log(`| ${[label, ...cells].join(' | ')} |`);

const measure = async (store: string): Promise<void> => {
  const { network, keys, restart } = await started(store);
  const at = { port: network.port, clock };
  const connected: LeanRouter[] = [];
  const join = async (key: RouterKey): Promise<void> => {
    const router = await connectLean(key, at);
    connected.push(router);
  };
  row(`**${store}**`, 'bytes', 'processor time, ms', 'of it each router', 'held, ms');
  const usedBefore = await ask<Memory>(network, { ask: 'memory' });
  for (const [i, label] of ['data model, the first router', 'the second router'].entries()) {
    await join(keys[i] ?? raise());
    const { result, cpuMs, heldMs } = await measured(network, () => connected[i]?.subscribe() ?? raise());
    row(label, bytes(result), cpuMs.toFixed(0), '', heldMs.toFixed(0));
  }
  const [usedByModel, rest] = [await ask<Memory>(network, { ask: 'memory' }), keys.slice(2)];
  const joined = await measured(network, () => each(rest, parallel, join));
  row(`${rest.length} routers connect`, '', joined.cpuMs.toFixed(0), (joined.cpuMs / rest.length).toFixed(1), joined.heldMs.toFixed(0));
  let modelBytes = 0;
  const synced = await measured(network, () =>
    each(connected.slice(2), parallel, async (router) => {
      const answer = await router.subscribe();
      modelBytes += answer;
    }),
  );
  row(
    'and get the data model',
    bytes(modelBytes),
    synced.cpuMs.toFixed(0),
    (synced.cpuMs / rest.length).toFixed(1),
    synced.heldMs.toFixed(0),
  );
  await pause(REST);
  const used = await ask<Memory>(network, { ask: 'memory' });
  for (const change of parts.has('changes') ? CHANGES : []) {
    for (const router of connected) router.forget();
    const { result, cpuMs, heldMs } = await measured(network, async () => {
      const [all] = await Promise.all([
        Promise.all(connected.map((router) => router.next(changeSet))),
        ask(network, { ask: 'change', change }),
      ]);
      return all[0] ?? 0;
    });
    row(change, bytes(result), cpuMs.toFixed(0), (cpuMs / connected.length).toFixed(3), heldMs.toFixed(0));
    const again = await connectedAgain(connected[0] ?? raise(), network);
    row('— data model for another router then', bytes(again.result), again.cpuMs.toFixed(0), '', again.heldMs.toFixed(0));
  }
  const idle = await measured(network, () => pause(10_000));
  row('all idle for ten seconds', '', idle.cpuMs.toFixed(0), '', idle.heldMs.toFixed(0));
  if (parts.has('circuits')) await measureCircuits(network, connected);
  const known = connected.map((router) => router.known);
  const dead = once(network.child, 'exit');
  network.child.kill('SIGKILL');
  await dead;
  if (store === 'memory' || !parts.has('restart')) console.log();
  else await storm(await restart(), keys, known);
  const each_ = (kind: keyof Memory) => `${((used[kind] - usedByModel[kind]) / 1024 / rest.length).toFixed(0)} KiB`;
  console.log(
    `Memory: data model ${((usedByModel.used - usedBefore.used) / MIB).toFixed(0)} MiB; each router ${each_('used')} of heap and objects outside, ${each_('resident')} resident.\n`,
  );
};

const measureCircuits = async (network: RouterNetwork, connected: readonly LeanRouter[]): Promise<void> => {
  linkAll(connected);
  for (const router of connected.slice(0, HUBS))
    await router.request(createTerminator, {
      address: `terminator-${router.id}`,
      ...network.bind,
      peerData: new Map([[1003, new Uint8Array(32)]]),
    });
  await pause(REST);
  const dials = await measured(network, () => dial(network.dial, connected, { perMinute: Number(values.dials), seconds }));
  row(
    `${dials.result.count} circuits, ${dials.result.refused} refused, ${values.dials} a minute, in ${(dials.wallMs / 1000).toFixed(0)} s`,
    '',
    `${dials.cpuMs.toFixed(0)} (${((dials.cpuMs / dials.wallMs) * 100).toFixed(0)} % of a processor)`,
    `${(dials.cpuMs / dials.result.count).toFixed(2)} each circuit`,
    dials.heldMs.toFixed(0),
  );
};

/** Another subscription of a router that knows nothing. */
const connectedAgain = (router: LeanRouter, network: RouterNetwork) =>
  measured(network, async () => {
    const { subscribeToDataModel, dataState } = messages.dataModel;
    router.send(subscribeToDataModel, { subscriptionDurationSeconds: 3600 });
    return router.next(dataState);
  });

/** All routers connect at once to a controller that has just started, and try again until they have the data model. */
const storm = async (network: RouterNetwork, keys: readonly RouterKey[], known: readonly KnownModel[]): Promise<void> => {
  let sent = 0;
  const failures = new Map<string, number>();
  const started = await network.usage();
  const { cpuMs, heldMs, wallMs } = await measured(network, () =>
    Promise.all(
      keys.map(async (key, i) => {
        for (;;) {
          try {
            const router = await connectLean(key, { port: network.port, clock, known: known[i] ?? raise() });
            const answer = await router.subscribe();
            sent += answer;
            return;
          } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            failures.set(reason, (failures.get(reason) ?? 0) + 1);
            await pause(1000 + Math.random() * 2000);
          }
        }
      }),
    ),
  );
  row(
    `restart, ${keys.length} routers at once`,
    bytes(sent),
    `${cpuMs.toFixed(0)} and ${((started.user + started.system) / 1000).toFixed(0)} to start`,
    (cpuMs / keys.length).toFixed(1),
    heldMs.toFixed(0),
  );
  console.log(
    `\nAfter ${(wallMs / 1000).toFixed(0)} s, all had the data model; attempts that failed: ${[...failures].map(([reason, count]) => `${count} (${reason})`).join(', ') || 'none'}.`,
  );
  const dead = once(network.child, 'exit');
  network.child.kill('SIGKILL');
  await dead;
};

const raise = (): never => {
  throw new TypeError('there are not enough routers');
};

console.log(
  `Node ${process.version}, ${cpus().length} cores, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}; ${values.size}, ${routers} routers.\n`,
);
row('', '', '', '', '');
row('---', '---:', '---:', '---:', '---:');
try {
  for (const store of values.stores.split(',')) await measure(store);
} finally {
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}
process.exit();
