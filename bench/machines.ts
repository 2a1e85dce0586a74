/**
 * Measures one, two and three controllers on one PostgreSQL database: the processor time of reads and writes, the statements that a
 * controller needs to follow the writes of another, and how soon it shows them. With fewer cores than processes, rates are shares of the
 * machine; what grows with the number of controllers shows in the processor time of a call.
 *
 *     npm run postgres -- npm run bench:machines -- --size 10000x1000x200 --seconds 3 --results bench/MACHINES.md
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Backends, backendsOf } from './backends.ts';
import { identityAttribute, identityAttributes } from './data.ts';
import type { Filled } from './fill.ts';
import { createClient, type Request } from './load.ts';
import { type MeasuredServer, startServer } from './measure.ts';
import { placeOf, sizeOf } from './stores.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '10000x1000x200' },
    controllers: { type: 'string', default: '1,2,3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '4' },
    results: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const M = '/edge/management/v1';
/** The number of changes whose arrival at the other controllers is measured, and the time between them. */
const CHANGES = 50;
const CHANGE_MS = 100;

interface Server extends Filled, MeasuredServer {}

/** The resources that all controllers used for a number of calls. */
interface Total {
  readonly calls: number;
  readonly perSecond: number;
  /** Processor time of the controllers for a call, in milliseconds. */
  readonly cpuMs: number;
  /** The same for the database. */
  readonly databaseMs: number;
  /** Store statements for a call. */
  readonly statements: number;
  readonly p99: number;
  readonly refused: number;
}

const usageOf = async (servers: readonly Server[]): Promise<{ readonly cpuMs: number; readonly statements: number }> => {
  const all = await Promise.all(servers.map((server) => server.usage()));
  return {
    cpuMs: all.reduce((sum, { user, system }) => sum + (user + system) / 1000, 0),
    statements: all.reduce((sum, { statements = 0 }) => sum + statements, 0),
  };
};

/** Each of the controllers gets the same load. */
const loaded = async (servers: readonly Server[], token: string, next: () => Request, backends: Backends): Promise<Total> => {
  const clients = servers.map(({ port }) => createClient({ port, token }, connections));
  const run = (time: number) => Promise.all(clients.map((client) => client.run(next, time)));
  await run(seconds / 3);
  const [before, databaseBefore] = [await usageOf(servers), backends.processorMs()];
  const loads = await run(seconds);
  const [after, databaseAfter] = [await usageOf(servers), backends.processorMs()];
  for (const client of clients) client.close();
  const calls = loads.reduce((sum, { operations }) => sum + operations, 0);
  const refused = loads
    .flatMap(({ statuses }) => Object.entries(statuses))
    .reduce((sum, [status, count]) => sum + (Number(status) >= 400 ? count : 0), 0);
  return {
    calls,
    perSecond: calls / seconds,
    cpuMs: (after.cpuMs - before.cpuMs) / calls,
    databaseMs: (databaseAfter - databaseBefore) / calls,
    statements: (after.statements - before.statements) / calls,
    p99: Math.max(...loads.map(({ p99 }) => p99)),
    refused,
  };
};

const one = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T; // never empty

const patch = ({ identities }: Filled): Request => ({
  method: 'PATCH',
  path: `${M}/identities/${one(identities)}`,
  body: { roleAttributes: [...new Set(identityAttributes())] },
});

/** Runs calls at each controller, with `beside` writes at the last one meanwhile. */
const calls = (filled: Filled): Readonly<Record<string, () => Request>> => ({
  'identity by id': () => ({ method: 'GET', path: `${M}/identities/${one(filled.identities)}` }),
  'page of 25 with an attribute, by name': () => ({
    method: 'GET',
    path: `${M}/identities?limit=25&roleFilter=${encodeURIComponent(`#${identityAttribute(Math.floor(Math.random() * 50))}`)}`,
  }),
});

const lines: string[] = [];
const print = (line = '') => {
  lines.push(line);
  console.log(line);
};
const row = (...cells: readonly string[]) => print(`| ${cells.join(' | ')} |`);
const printed = (name: string, count: number, { perSecond, cpuMs, databaseMs, statements, p99, refused }: Total) =>
  row(
    name,
    String(count),
    perSecond.toFixed(0),
    cpuMs.toFixed(2),
    databaseMs.toFixed(2),
    statements.toFixed(2),
    p99.toFixed(0),
    String(refused),
  );

/** Writes at one controller while the others read. */
const besideWrites = async (servers: readonly Server[], token: string, next: () => Request, backends: Backends): Promise<Total> => {
  const [writing, ...reading] = servers;
  if (!writing) throw new TypeError('there is no controller');
  const writer = createClient({ port: writing.port, token }, 1);
  let isDone = false;
  const writes = (async () => {
    while (!isDone) {
      await writer.send(patch(writing));
      await pause(20);
    }
  })();
  const total = await loaded(reading, token, next, backends);
  isDone = true;
  await writes;
  writer.close();
  return total;
};

/** When the others show a change: in the answer to a read, and in a stream of the change log. */
const arrivals = async (servers: readonly Server[], token: string) => {
  const [writing, ...others] = servers;
  const [id] = writing?.identities ?? [];
  const clients = servers.map(({ port }) => createClient({ port, token }, 1));
  const [writer, ...readers] = clients;
  const streams = await Promise.all(others.map(({ port }) => followed(port, token)));
  let stale = 0;
  const read: number[] = [];
  const streamed: number[] = [];
  for (let i = 0; i < CHANGES; i++) {
    const value = `${process.pid}-${i}`;
    await writer?.send({ method: 'PATCH', path: `${M}/identities/${id}`, body: { tags: { value } } });
    const began = performance.now();
    await Promise.all([
      ...readers.map(async (reader) => {
        const { text } = await reader.send({ method: 'GET', path: `${M}/identities/${id}` });
        if (JSON.parse(text).data.tags.value !== value) stale++;
        read.push(performance.now() - began);
      }),
      ...streams.map(async (stream) => {
        await stream.shows(value);
        streamed.push(performance.now() - began);
      }),
    ]);
    await pause(CHANGE_MS * Math.random());
  }
  for (const each of [...clients, ...streams]) each.close();
  return { stale, read, streamed };
};

/** A reader of the change log. */
const followed = async (port: number, token: string) => {
  const { request } = await import('node:https');
  const asked = request({
    host: '127.0.0.1',
    port,
    path: '/edge/management/extensions/v1/changes/follow?kinds=identity',
    headers: { 'zt-session': token, accept: 'text/event-stream' },
    rejectUnauthorized: false,
  }).end();
  const [response] = await once(asked, 'response');
  if (response.statusCode !== 200) throw new Error(`the stream of changes is answered with ${response.statusCode}`);
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return {
    async shows(value: string) {
      while (!text.includes(`"${value}"`)) await pause(5);
      text = '';
    },
    close: () => asked.destroy(),
  };
};

const place = placeOf('postgres', values.size, '');
const size = JSON.stringify(sizeOf(values.size));
const filling = await startServer<Server>('server.ts', [place, size, 'fill']);
filling.child.disconnect();
const backends = await backendsOf(process.env.POSTGRES_URL ?? '');

print('# Several controllers');
print();
print(
  `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start; ${values.size}, ${connections} connections to each controller, ${seconds} s each. Milliseconds of processor time for a call: of the controllers together, and of the database. Statements: those of the store for a call.`,
);
print();
row('call', 'controllers', 'a second', 'CPU', 'database', 'statements', 'p99', 'refused');
row('---', '---:', '---:', '---:', '---:', '---:', '---:', '---:');
const arrived: string[] = [];
for (const count of values.controllers.split(',').map(Number)) {
  const servers: Server[] = [];
  for (let i = 0; i < count; i++) servers.push(await startServer<Server>('server.ts', [place, size]));
  const [first] = servers;
  if (!first) throw new TypeError('--controllers must be numbers from 1');
  const client = createClient({ port: first.port }, 1);
  const body = { username: 'admin', password: 'bench-password' };
  const { text } = await client.send({ method: 'POST', path: `${M}/authenticate?method=password`, body });
  client.close();
  const token = JSON.parse(text).data.token;
  for (const [name, next] of Object.entries(calls(first))) {
    printed(name, count, await loaded(servers, token, next, backends));
    if (count > 1) printed(`${name}, at ${count - 1}, while another writes`, count, await besideWrites(servers, token, next, backends));
  }
  printed('PATCH of attributes', count, await loaded(servers, token, () => patch(first), backends));
  if (count > 1) {
    const { stale, read, streamed } = await arrivals(servers, token);
    const [worstRead, worstStreamed] = [Math.max(...read), Math.max(...streamed)].map((ms) => `${ms.toFixed(0)} ms`);
    const median = streamed.toSorted((a, b) => a - b)[Math.floor(streamed.length / 2)] ?? 0;
    arrived.push(
      `With ${count} controllers, ${read.length} reads at the others right after the answer to a change: ${stale} did not show it; the slowest took ${worstRead}. Streams of the change log at the others delivered it after ${median.toFixed(0)} ms (median) and ${worstStreamed} at most.`,
    );
  }
  for (const { child } of servers) child.disconnect();
}
for (const line of arrived) {
  print();
  print(line);
}
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
