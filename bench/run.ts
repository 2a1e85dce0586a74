/**
 * Measures the server: processor time per operation, throughput and latency, each also as a ratio to a bare `node:https` server in the
 * same run. The PostgreSQL server is the one that `POSTGRES_URL` names: `npm run postgres -- npm run bench -- --stores postgres`.
 *
 *     npm run bench -- --stores memory,sqlite --sizes 10000x1000x200,100000x10000x1000 --seconds 3 --results bench/RESULTS.md
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backendsOf, NO_BACKENDS } from './backends.ts';
import { type Credentials, endpoints } from './endpoints.ts';
import type { Filled } from './fill.ts';
import { createClient, type Request } from './load.ts';
import { type Figures, type Measurable, type MeasuredServer, measure, startServer } from './measure.ts';
import { type Operation, operations } from './operations.ts';
import { placeOf, sizeOf } from './stores.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000x1000x200' },
    stores: { type: 'string', default: 'memory,sqlite' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
    results: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const connections = Number(values.connections);
const M = '/edge/management/v1';

interface Server extends Filled, MeasuredServer {
  readonly openedMs: number;
  /** An access token of the OpenID provider, for the same identity as the sessions of `client`. */
  readonly bearer: string;
}

const start = (...args: string[]): Promise<Server> => startServer('server.ts', args);
const backends = process.env.POSTGRES_URL ? await backendsOf(process.env.POSTGRES_URL) : NO_BACKENDS;
const once = (server: Measurable, token: string | undefined, next: () => Request): Promise<Figures> =>
  measure(server, token, next, { seconds, connections, backends });
/** The cheapest of several rounds, in which the code is compiled, as in a long-running server, and least affected by other load. */
const cheapest = async (...args: Parameters<typeof once>): Promise<Figures> => {
  let minimum = await once(...args);
  for (let round = 1; round < rounds; round++) {
    const figures = await once(...args);
    if (figures.cpuMs + figures.databaseMs < minimum.cpuMs + minimum.databaseMs) minimum = figures;
  }
  return minimum;
};

const login = async (port: number, username: string, password: string): Promise<string> => {
  const client = createClient({ port }, 1);
  const { text } = await client.send({ method: 'POST', path: `${M}/authenticate?method=password`, body: { username, password } });
  client.close();
  return JSON.parse(text).data.token;
};

/** The effect of logins on other callers: the 99th percentile of `quiet` alone, and while `logins` clients log in without pause. */
const besideLogins = async (server: Server, token: string, quiet: () => Request, loggingIn: () => Request, logins = 50) => {
  const alone = await once(server, token, quiet);
  const crowd = createClient({ port: server.port }, logins);
  const [beside] = await Promise.all([once(server, token, quiet), crowd.run(loggingIn, seconds * (4 / 3) + 1)]);
  crowd.close();
  const ratio = (beside.p99 / alone.p99).toFixed(1);
  return `Identity by id while ${logins} log in without pause: p99 ${beside.p99.toFixed(1)} ms, ${ratio}x of ${alone.p99.toFixed(1)} ms alone.`;
};

const lines: string[] = [];
const print = (line = '') => {
  lines.push(line);
  console.log(line);
};
const row = (...cells: readonly string[]) => print(`| ${cells.join(' | ')} |`);

print('# Results');
print();
print(
  `Node ${process.version}, ${cpus().length} cores, ${connections} connections, the cheapest of ${rounds} rounds of ${seconds} s for each operation, load ${loadavg()[0]?.toFixed(1)} at the start. CPU is the server process's user and system time; DB that of the backends of the database, in steps of 10 ms.`,
);
const bare = await start('bare');
const limit = await cheapest(bare, undefined, () => ({ method: 'GET', path: '/' }));
bare.child.disconnect();
print(
  `Bare node:https with a fixed body of 1.8 KB: ${limit.cpuMs.toFixed(3)} ms CPU an operation, ${limit.perSecond.toFixed(0)} a second.`,
);

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  for (const sizeText of values.sizes.split(',')) {
    const size = sizeOf(sizeText);
    const { identities, services, policies } = size;
    for (const store of values.stores.split(',')) {
      const kind = placeOf(store, sizeText, folder);
      const filling = await start(kind, JSON.stringify(size), 'fill');
      // A persistent store is reopened: this measures start-up with existing data, in a process that has not just created the data.
      if (store !== 'memory') filling.child.disconnect();
      const server = store === 'memory' ? filling : await start(kind, JSON.stringify(size));
      const loginAs = ({ username, password }: Credentials) => login(server.port, username, password);
      const tokens = {
        administrator: await login(server.port, 'admin', 'bench-password'),
        client: await loginAs(server.client),
        bearer: server.bearer,
        unchecked: await loginAs(endpoints.unchecked),
        checked: await loginAs(endpoints.checked),
        nobody: undefined,
      };
      print();
      print(`## ${store}, ${identities} identities x ${services} services x ${policies} policies`);
      print();
      print(
        `Resident ${Math.round((await server.usage()).rss / 1048576)} MiB with the data loaded; opened in ${server.openedMs.toFixed(0)} ms.`,
      );
      print();
      row('operation', 'CPU ms', 'DB ms', 'to bare', 'a second', 'p50 ms', 'p99 ms');
      row('---', '---:', '---:', '---:', '---:', '---:', '---:');
      const measured = operations(server, size);
      for (const [name, { next, as = 'administrator' }] of Object.entries<Operation>(measured)) {
        const { cpuMs, databaseMs, perSecond, p50, p99 } = await cheapest(server, tokens[as], next);
        const ofDatabase = store === 'postgres' ? databaseMs : 0;
        const ratio = (cpuMs + ofDatabase) / limit.cpuMs;
        row(name, cpuMs.toFixed(3), ofDatabase.toFixed(3), `${ratio.toFixed(1)}x`, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1));
      }
      print();
      print(await besideLogins(server, tokens.administrator, measured['identity by id'].next, measured['authenticate by password'].next));
      server.child.disconnect();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
