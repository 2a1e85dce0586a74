/**
 * Measures what a server does with more requests than it can answer: the generator, a process of its own, sends them at a rate (open loop)
 * over connections that are kept open, and counts latencies from the time at which each was due. Goodput counts the answers within a
 * second.
 *
 *     npm run bench:goodput -- --stores sqlite --size 10000x1000x200 --seconds 10 --results bench/GOODPUT.md
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Filled } from './fill.ts';
import { createClient } from './load.ts';
import { type MeasuredServer, startServer, type Usage } from './measure.ts';
import { type Outcome, openConnections, type Sent } from './open-loop.ts';
import { type Operation, operations } from './operations.ts';
import { placeOf, sizeOf } from './stores.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '10000x1000x200' },
    stores: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '500' },
    factors: { type: 'string', default: '0.5,1,2,4' },
    /** Folder that keeps SQLite databases for later runs. */
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
    results: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const factors = values.factors.split(',').map(Number);
const size = sizeOf(values.size);
const M = '/edge/management/v1';
const C = '/edge/client/v1';
/** The latency up to which an answer is of use. ms */
const USEFUL_MS = 1000;

interface Server extends Filled, MeasuredServer {}

const lines: string[] = [];
const print = (line = '') => {
  lines.push(line);
  console.log(line);
};
const row = (...cells: readonly string[]) => print(`| ${cells.join(' | ')} |`);

const login = async (port: number, surface: string, username: string): Promise<string> => {
  const client = createClient({ port }, 1);
  const body = { username, password: 'bench-password' };
  const { text } = await client.send({ method: 'POST', path: `${surface}/authenticate?method=password`, body });
  client.close();
  return JSON.parse(text).data.token;
};

/** Creates another administrator. @returns the token of a session */
const secondAdministrator = async (port: number, token: string): Promise<string> => {
  const client = createClient({ port, token }, 1);
  const username = `second-${process.pid}`;
  const create = async (path: string, body: object): Promise<string> =>
    JSON.parse((await client.send({ method: 'POST', path: `${M}${path}`, body })).text).data.id;
  const identityId = await create('/identities', { name: username, type: 'User', isAdmin: true });
  await create('/authenticators', { identityId, method: 'updb', username, password: 'bench-password' });
  client.close();
  return login(port, M, username);
};

/** The part of a core that the server took. */
const coreOf = (before: Usage, after: Usage, duration: number): number =>
  (after.user - before.user + after.system - before.system) / 1e6 / duration;
const at = (sorted: readonly number[], share: number): string => {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return value === undefined ? '' : value.toFixed(0);
};
const useful = ({ served }: Outcome): number => served.filter((latency) => latency <= USEFUL_MS).length / seconds;
const others = ({ otherStatuses, lost }: Outcome): string =>
  [...Object.entries(otherStatuses).map(([status, count]) => `${count} x ${status}`), ...(lost > 0 ? [`${lost} lost`] : [])].join(', ');

const measureStore = async (store: string, folder: string): Promise<void> => {
  const server = await startServer<Server>('server.ts', [placeOf(store, values.size, folder), JSON.stringify(size)]);
  const { port, client } = server;
  const admin = await login(port, M, 'admin');
  const other = await secondAdministrator(port, admin);
  const device = await login(port, C, client.username);
  const lists = await login(port, C, 'bench-unchecked');
  const all = operations(server, size);
  const requestOf = ({ next }: Operation, token?: string): Sent => ({ ...next(), token });
  /** What a console or an integration reads. */
  const reads = [
    all['identity by id'],
    all['identities, page of 100'],
    all['identities, sorted page of 10'],
    all['identities, name contains four digits'],
    all['identities, one roleFilter'],
    all['services of an identity'],
    all['identities of a service'],
    all.explain,
  ];
  let turn = 0;
  const mixed = (): Sent => requestOf(reads[turn++ % reads.length] ?? all['identity by id'], admin);
  const sides = {
    administrator: { rate: 10, next: () => requestOf(all['identity by id'], other) },
    device: { rate: 10, next: () => requestOf(all['client: service updates'], device) },
  };
  const floods: Readonly<Record<string, () => Sent>> = {
    'reads of one session': mixed,
    'lists of services of another identity': () => requestOf(all['client: services, page of 100'], lists),
    logins: () => requestOf(all['authenticate by password']),
  };
  print();
  print(`## ${store}, ${values.size}`);
  print();
  row(
    'load',
    'due a second',
    'served within 1 s',
    'of the peak',
    'for each second of its core',
    'p50',
    'p99',
    'refused',
    'p50 of refusals',
    'lost, others',
    'administrator p99',
    'device p99',
    'core',
    'MiB',
  );
  row(...Array.from({ length: 14 }, (_, i) => (i === 0 ? '---' : '---:')));
  for (const [name, next] of Object.entries(floods).filter(([flood]) => flood.includes(values.only))) {
    const few = await openConnections(port, 16);
    await few.saturate(next, 16, 1);
    const idle = await server.usage();
    const peak = await few.saturate(next, 16, seconds / 2);
    few.close();
    const peakCore = coreOf(idle, await server.usage(), seconds / 2);
    row(`${name}, closed loop of 16`, '', peak.toFixed(0), '', '', '', '', '', '', '', '', '', '', peakCore.toFixed(2), '');
    for (const factor of factors) {
      const connections = await openConnections(port, Number(values.connections));
      const before = await server.usage();
      const outcome = await connections.run({ flood: { rate: peak * factor, next }, ...sides }, seconds);
      const after = await server.usage();
      connections.close();
      const { flood, administrator, device } = outcome;
      const core = coreOf(before, after, seconds);
      const retryable = flood.refused.length === flood.retryable ? '' : ` (${flood.refused.length - flood.retryable} without Retry-After)`;
      const cell = (side: Outcome) =>
        `${at(side.served, 0.99)}${side.served.length < side.due ? ` (${side.due - side.served.length} not)` : ''}`;
      row(
        `${name}, ${factor} of it`,
        (peak * factor).toFixed(0),
        useful(flood).toFixed(0),
        `${((useful(flood) / peak) * 100).toFixed(0)} %`,
        `${((useful(flood) / core / (peak / peakCore)) * 100).toFixed(0)} %`,
        at(flood.served, 0.5),
        at(flood.served, 0.99),
        `${(flood.refused.length / seconds).toFixed(0)}${retryable}`,
        at(flood.refused, 0.5),
        others(flood),
        cell(administrator),
        cell(device),
        core.toFixed(2),
        (after.rss / 2 ** 20).toFixed(0),
      );
    }
  }
  server.child.send('close');
  await once(server.child, 'exit');
};

print('# Goodput');
print();
print(
  `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start; ${seconds} s each, ${values.connections} connections. Milliseconds; rates are a second.`,
);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'bench-'));
try {
  for (const store of values.stores.split(',')) await measureStore(store, folder);
} finally {
  if (!values.folder) rmSync(folder, { recursive: true, force: true });
}
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
