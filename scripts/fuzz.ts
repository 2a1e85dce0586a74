/**
 * Drives every operation with good, bad and heavy requests, logins by the OpenID provider with steps in any order, control channels of enrolled routers with
 * frames of every type, and the sockets below with what is no HTTP and no TLS, against the example server in a process
 * of its own. A finding is an answer 5xx, an end of the process, an error in its log, a block of its event loop of more than 100 ms of processor time beside
 * garbage collection, or memory that grows in the second half; with any it exits with 1. Several connections ask side by side: a block is reported with the
 * request that began last, and with those that began or ended in between.
 * `node scripts/fuzz.ts [--seconds 60] [--store memory|sqlite] [--folder FOLDER] [--seed NUMBER]`; the store may also be a `postgres://` address
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
    /** Where a SQLite database stays for the next run: what is slow may be so with much data only. */
    folder: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
});
const [seconds, firstSeed] = [Number(values.seconds), Number(values.seed)];

/** Processor time of one block, in milliseconds, and growth of memory in use, in bytes, that are findings. */
const LIMITS = { blockMs: 100, growth: 32 * 1024 * 1024 };
/** Findings of one kind that are printed. */
const PRINTED = 20;

const findings = new Map<string, number>();
const find = (kind: string, detail: string): void => {
  const count = (findings.get(kind) ?? 0) + 1;
  findings.set(kind, count);
  if (count <= PRINTED) console.error(`FOUND ${kind} after ${(performance.now() / 1000).toFixed(0)} s: ${detail}`);
};

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'fuzz-'));
const storage = values.store === 'sqlite' ? `sqlite:${join(folder, 'controller.db')}` : values.store;
const statuses = new Map<number, number>();
let [about, worst, longestCollection, ended] = ['the start', 0, 0, false];
console.log(`fuzzing for ${seconds} s on ${values.store}, --seed ${firstSeed}`);
const server = await startServer(folder, storage, {
  about: () => about,
  block: (ms, collecting, asked, steps) => {
    const own = ms - collecting;
    if (own > LIMITS.blockMs) find('block', [`${own.toFixed(0)} ms at or before ${asked}`, ...steps].join('\n  '));
    worst = Math.max(worst, own);
    longestCollection = Math.max(longestCollection, collecting);
  },
  ended: (how) => {
    ended = true;
    find('exit', `${how} at ${about}`);
  },
  logged: (line) => find('log', line),
});

/** The same numbers from the same seed (mulberry32). */
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
/** Connections that ask side by side, each one request at a time. */
const CLIENTS = 4;
/** How many times memory is measured. Code and caches grow to their bounds at first: what the second half adds to that counts. */
const MEASUREMENTS = 10;
let [requests, seed] = [0, firstSeed];

/** Repeats some work until the time is over; what fails in the fuzzer itself is a finding, too. */
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

const ask = async (connection: Connection, ofSeed: number): Promise<void> => {
  const request = await next(ofSeed);
  ({ about } = request);
  const reply = await connection.ask(request.bytes, request.bytes.subarray(0, 5).toString() === 'HEAD ');
  judge(reply ? `HTTP/1.1 ${reply.status} ${reply.text}` : '', request.about);
  requests++;
};

const logIn = async (ofSeed: number): Promise<void> => {
  const { about: what, answer } = await nextLogin(ofSeed);
  about = what;
  judge(answer ? `HTTP/1.1 ${answer.status} ${answer.text}` : '', what);
  requests++;
};

const assault = async (ofSeed: number): Promise<void> => {
  const attack = attacks[ofSeed % attacks.length] as (typeof attacks)[number]; // below the length
  about = `${attack.name} (seed ${ofSeed})`;
  judge(await attack.run(server.port, randomOf(ofSeed)), about);
  await app.renew(); // a request may have ended the session
};

const hostileRouters = createHostileRouters(app, server.port);
const routers = async (ofSeed: number): Promise<void> => {
  const done = await hostileRouters.run(randomOf(ofSeed));
  about = `${done} (seed ${ofSeed})`;
};

/** The least of some measurements: what waits for clients that read slowly comes and goes. Undefined once the server has ended. */
const leastMemory = async (): Promise<Memory | undefined> => {
  let least: Memory | undefined;
  for (let i = 0; i < 5 && !ended; i++) {
    if (i > 0) await delay(1000);
    const memory = await server.memory();
    if (memory && memory.heap < (least?.heap ?? Number.POSITIVE_INFINITY)) least = memory;
  }
  return least;
};

/** Memory at regular intervals, the last one at the end; none of a server that has ended. */
const measurements = async (): Promise<readonly Memory[]> => {
  const measured: Memory[] = [];
  while (measured.length < MEASUREMENTS && !ended) {
    await delay((seconds * 1000) / MEASUREMENTS);
    const memory = await leastMemory();
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
  ...connections.map((connection) => repeat((ofSeed) => ask(connection, ofSeed))),
]);

if (!ended) {
  const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);
  const shown = (of: keyof Memory) => measured.map((memory) => mebibytes(memory[of])).join(', ');
  console.log(`memory at intervals of ${seconds / MEASUREMENTS} s, MiB: in use ${shown('heap')}; resident ${shown('rss')}`);
  const growth = (measured.at(-1)?.heap ?? 0) - (measured[MEASUREMENTS / 2 - 1]?.heap ?? 0);
  // In the memory store, what was created is memory.
  if (values.store !== 'memory' && growth > LIMITS.growth) find('memory', `grown by ${mebibytes(growth)} MiB in the second half`);
  for (const connection of connections) connection.close();
  await server.stop();
}
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
const told = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
console.log(`${requests} requests; answers ${told.join(', ')}; ${hostileRouters.frames} frames of routers`);
console.log(
  `longest block ${worst.toFixed(0)} ms of processor time, beside ${longestCollection.toFixed(0)} ms of garbage collection at most`,
);
console.log(findings.size === 0 ? 'no findings' : `findings: ${[...findings].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
process.exit(findings.size === 0 ? 0 : 1);
