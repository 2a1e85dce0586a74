/**
 * Measures the server: processor time per operation, throughput and latency, each also as a ratio to a bare `node:https` server in the
 * same run. `npm run bench -- [--identities 10000] [--seconds 3] [--stores memory,sqlite,postgres] [--results FILE]`
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { attribute, attributes, identityBody, identityName } from './data.ts';
import { createClient, type Request } from './load.ts';

const { values } = parseArgs({
  options: {
    identities: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
    stores: { type: 'string', default: 'memory,sqlite' },
    results: { type: 'string' },
  },
});
const size = Number(values.identities);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const M = '/edge/management/v1';

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  readonly opened?: number;
}

interface Figures {
  readonly cpuMs: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

const start = async (...args: string[]): Promise<Started> => {
  const child = fork(join(import.meta.dirname, 'server.ts'), args);
  const [message] = (await once(child, 'message')) as [{ port: number; opened?: number }];
  return { child, ...message };
};

const usage = async (child: ChildProcess): Promise<{ user: number; system: number; rss: number }> => {
  child.send('usage');
  const [message] = (await once(child, 'message')) as [{ user: number; system: number; rss: number }];
  return message;
};

const measure = async ({ child, port }: Started, token: string | undefined, next: () => Request): Promise<Figures> => {
  const client = createClient(token ? { port, token } : { port }, connections);
  await client.run(next, Math.min(1, seconds / 3));
  const before = await usage(child);
  const load = await client.run(next, seconds);
  const after = await usage(child);
  client.close();
  const bad = Object.entries(load.statuses).filter(([status]) => Number(status) >= 400);
  if (bad.length > 0) throw new Error(`the load was refused: ${JSON.stringify(load.statuses)}`);
  const cpuMs = (after.user - before.user + after.system - before.system) / 1000 / load.operations;
  return { cpuMs, perSecond: load.operations / load.seconds, p50: load.p50, p99: load.p99 };
};

const operations = (ids: readonly string[]): Record<string, () => Request> => {
  let serial = 0;
  const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T; // never empty
  const filter = (text: string) => encodeURIComponent(text);
  return {
    'GET /version': () => ({ method: 'GET', path: `${M}/version` }),
    'GET identity by id': () => ({ method: 'GET', path: `${M}/identities/${any(ids)}` }),
    'list of 100': () => ({ method: 'GET', path: `${M}/identities?limit=100&offset=${Math.floor(Math.random() * (size - 100))}` }),
    'filtered: name = "..."': () => ({
      method: 'GET',
      path: `${M}/identities?filter=${filter(`name = "${identityName(Math.floor(Math.random() * size))}"`)}`,
    }),
    'filtered, sorted page of 10': () => ({
      method: 'GET',
      path: `${M}/identities?filter=${filter(`name > "${identityName(Math.floor(Math.random() * size))}" sort by name limit 10`)}`,
    }),
    'name contains "77", page of 10': () => ({ method: 'GET', path: `${M}/identities?filter=${filter('name contains "77"')}` }),
    'one roleFilter, page of 10': () => ({
      method: 'GET',
      path: `${M}/identities?roleFilter=${filter(`#${attribute(Math.floor(Math.random() * 50))}`)}`,
    }),
    'PATCH roleAttributes': () => ({ method: 'PATCH', path: `${M}/identities/${any(ids)}`, body: { roleAttributes: attributes() } }),
    'POST identity': () => ({
      method: 'POST',
      path: `${M}/identities`,
      body: { ...identityBody(0), name: `new-${process.pid}-${serial++}` },
    }),
  };
};

/** PostgreSQL's database is new: `npm run postgres -- npm run bench -- --stores postgres`. */
const placeOf = (store: string): string => {
  if (store === 'sqlite') return `sqlite:${join(folder, 'controller.db')}`;
  if (store !== 'postgres') return store;
  if (!process.env.POSTGRES_URL) throw new Error('POSTGRES_URL is not set: run it through scripts/postgres.ts');
  return process.env.POSTGRES_URL;
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const lines: string[] = [];
const say = (line: string) => {
  lines.push(line);
  console.log(line);
};

say(`# Results`);
say('');
say(
  `Node ${process.version}, ${cpus().length} cores, ${connections} connections, ${size} identities, ${seconds} s each. CPU is the server process's user and system time.`,
);
const bare = await start('bare');
const limit = await measure(bare, undefined, () => ({ method: 'GET', path: '/' }));
bare.child.disconnect();
say(`Bare node:https with a fixed body of 1.8 KB: ${limit.cpuMs.toFixed(3)} ms CPU an operation, ${limit.perSecond.toFixed(0)} a second.`);

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  for (const store of values.stores.split(',')) {
    const server = await start(placeOf(store), String(size));
    const client = createClient({ port: server.port }, 1);
    const login = await client.send({
      method: 'POST',
      path: `${M}/authenticate?method=password`,
      body: { username: 'admin', password: 'bench-password' },
    });
    const { token } = JSON.parse(login.text).data;
    client.close();
    const reader = createClient({ port: server.port, token }, 1);
    const { data } = JSON.parse(
      (await reader.send({ method: 'GET', path: `${M}/identities?limit=500&filter=${encodeURIComponent('name contains "id-"')}` })).text,
    );
    reader.close();
    say('');
    say(`## ${store}: resident ${Math.round((await usage(server.child)).rss / 1048576)} MiB with the data loaded`);
    say('');
    say(row(['operation', 'CPU ms', 'to bare', 'a second', 'p50 ms', 'p99 ms']));
    say(row(['---', '---:', '---:', '---:', '---:', '---:']));
    for (const [name, next] of Object.entries(operations(data.map((entity: { id: string }) => entity.id)))) {
      const figures = await measure(server, token, next);
      say(
        row([
          name,
          figures.cpuMs.toFixed(3),
          `${(figures.cpuMs / limit.cpuMs).toFixed(1)}x`,
          figures.perSecond.toFixed(0),
          figures.p50.toFixed(1),
          figures.p99.toFixed(1),
        ]),
      );
    }
    server.child.disconnect();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
