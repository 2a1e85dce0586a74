/**
 * Fuzzes the example server, which runs in a separate process: every operation with valid, invalid and heavy requests, logins at the OpenID
 * provider with steps in any order, control channels of enrolled routers with frames of every type, and the sockets themselves with data
 * that is not HTTP or TLS. A finding is a response with status 5xx, an exit of the process, an error in its log, a block of its event loop
 * of more than 100 ms of processor time without garbage collection, or memory that grows in the second half; it exits with 1 if there are
 * any. Several connections send requests concurrently: a block is reported with the request that began last, and with those that began or
 * ended during the block. `node scripts/fuzz.ts [--seconds 60] [--store memory|sqlite] [--folder FOLDER] [--seed NUMBER]`; the store may
 * also be a `postgres://` address
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Connection } from './fuzz/connection.ts';
import { createHostileRouters } from './fuzz/hostile-routers.ts';
import { attacks } from './fuzz/hostile-sockets.ts';
import { createLogins } from './fuzz/logins.ts';
import { remoteApp } from './fuzz/network.ts';
import { createRequests } from './fuzz/requests.ts';
import { type Memory, startServer } from './fuzz/server.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    store: { type: 'string', default: 'memory' },
    /** Folder that keeps a SQLite database for later runs, because some operations are slow only with much data. */
    folder: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
});
const [seconds, firstSeed] = [Number(values.seconds), Number(values.seed)];

/** Limits above which the processor time of a block, in milliseconds, and the growth of used memory, in bytes, are findings. */
const LIMITS = { blockMs: 100, growth: 32 * 1024 * 1024 };
/** Maximum number of findings of each kind that are printed. */
const MAX_PRINTED = 20;

const findings = new Map<string, number>();
const find = (kind: string, detail: string): void => {
  const count = (findings.get(kind) ?? 0) + 1;
  findings.set(kind, count);
  if (count <= MAX_PRINTED) console.error(`FOUND ${kind} after ${(performance.now() / 1000).toFixed(0)} s: ${detail}`);
};

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'fuzz-'));
const storage = values.store === 'sqlite' ? `sqlite:${join(folder, 'controller.db')}` : values.store;
const statuses = new Map<number, number>();
let [about, worst, longestCollection, ended] = ['the start', 0, 0, false];
console.log(`fuzzing for ${seconds} s on ${values.store}, --seed ${firstSeed}`);
const server = await startServer(folder, storage, {
  about: () => about,
  block: (ms, collecting, request, steps) => {
    const netMs = ms - collecting;
    if (netMs > LIMITS.blockMs) find('block', [`${netMs.toFixed(0)} ms at or before ${request}`, ...steps].join('\n  '));
    worst = Math.max(worst, netMs);
    longestCollection = Math.max(longestCollection, collecting);
  },
  ended: (how) => {
    ended = true;
    find('exit', `${how} at ${about}`);
  },
  logged: (line) => find('log', line),
});

/** A generator of reproducible random numbers from a seed (mulberry32). */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

const judge = (text: string, what: string): void => {
  for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
    statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1);
    if (Number(status) >= 500) find('answer', `${status} to ${what}: ${text.slice(-300)}`);
  }
};

const app = await remoteApp(server.port);
const next = createRequests(app);
const nextLogin = await createLogins(await remoteApp(server.port));
const until = performance.now() + seconds * 1000;
/** Number of connections that send requests concurrently, each one request at a time. */
const CLIENTS = 4;
/** Number of memory measurements. At first, code and caches grow to their limits, so only growth in the second half counts. */
const MEASUREMENTS = 10;
let [requests, seed] = [0, firstSeed];

/** Repeats some work until the time is over. A failure of the fuzzer itself is a finding too. */
const repeat = async (work: (seed: number) => Promise<void>): Promise<void> => {
  while (performance.now() < until && !ended) {
    try {
      await work(seed++);
    } catch (error) {
      if (!ended) find('harness', `${about}: ${error instanceof Error ? error.message : error}`);
      await app.renew().catch(() => undefined);
    }
  }
};

const sendRequest = async (connection: Connection, workSeed: number): Promise<void> => {
  const request = await next(workSeed);
  ({ about } = request);
  const reply = await connection.ask(request.bytes, request.bytes.subarray(0, 5).toString() === 'HEAD ');
  judge(reply ? `HTTP/1.1 ${reply.status} ${reply.text}` : '', request.about);
  requests++;
};

const logIn = async (workSeed: number): Promise<void> => {
  const { about: what, answer } = await nextLogin(workSeed);
  about = what;
  judge(answer ? `HTTP/1.1 ${answer.status} ${answer.text}` : '', what);
  requests++;
};

const assault = async (workSeed: number): Promise<void> => {
  const attack = attacks[workSeed % attacks.length] as (typeof attacks)[number]; // the index is in bounds
  about = `${attack.name} (seed ${workSeed})`;
  judge(await attack.run(server.port, randomOf(workSeed)), about);
  await app.renew(); // a request may have ended the session
};

const hostileRouters = createHostileRouters(app, server.port);
const routers = async (workSeed: number): Promise<void> => {
  const done = await hostileRouters.run(randomOf(workSeed));
  about = `${done} (seed ${workSeed})`;
};

/** The minimum of several measurements, because buffers for slow readers come and go. Undefined if the server has ended. */
const minimumMemory = async (): Promise<Memory | undefined> => {
  let minimum: Memory | undefined;
  for (let i = 0; i < 5 && !ended; i++) {
    if (i > 0) await delay(1000);
    const memory = await server.memory();
    if (memory && memory.heap < (minimum?.heap ?? Number.POSITIVE_INFINITY)) minimum = memory;
  }
  return minimum;
};

/** Measures memory at regular intervals, the last time at the end. Stops if the server has ended. */
const measurements = async (): Promise<readonly Memory[]> => {
  const measured: Memory[] = [];
  while (measured.length < MEASUREMENTS && !ended) {
    await delay((seconds * 1000) / MEASUREMENTS);
    const memory = await minimumMemory();
    if (memory) measured.push(memory);
  }
  return measured;
};

const connections = Array.from({ length: CLIENTS }, () => new Connection(server.port));
const [measured] = await Promise.all([
  measurements(),
  repeat(assault),
  repeat(logIn),
  repeat(routers),
  ...connections.map((connection) => repeat((workSeed) => sendRequest(connection, workSeed))),
]);

if (!ended) {
  const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);
  const shown = (member: keyof Memory) => measured.map((memory) => mebibytes(memory[member])).join(', ');
  console.log(`memory at intervals of ${seconds / MEASUREMENTS} s, MiB: in use ${shown('heap')}; resident ${shown('rss')}`);
  const growth = (measured.at(-1)?.heap ?? 0) - (measured[MEASUREMENTS / 2 - 1]?.heap ?? 0);
  // The memory store itself grows with the data.
  if (values.store !== 'memory' && growth > LIMITS.growth) find('memory', `grown by ${mebibytes(growth)} MiB in the second half`);
  for (const connection of connections) connection.close();
  await server.stop();
}
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
console.log(`${requests} requests; answers ${counts.join(', ')}; ${hostileRouters.frames} frames of routers`);
console.log(
  `longest block ${worst.toFixed(0)} ms of processor time, beside ${longestCollection.toFixed(0)} ms of garbage collection at most`,
);
console.log(findings.size === 0 ? 'no findings' : `findings: ${[...findings].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
process.exit(findings.size === 0 ? 0 : 1);
