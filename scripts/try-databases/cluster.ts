/**
 * Three PostgreSQL servers under Patroni, with etcd, HAProxy and PgBouncer, on ports of the loopback interface. The servers accept
 * encrypted connections only.
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinaries, freePort } from '../postgres.ts';
import type { Processes } from '../try-routers/processes.ts';
import { until } from '../try-routers/until.ts';
import { commandOf, send, serverProcesses } from './process-tree.ts';

const HOST = '127.0.0.1';
const USER = 'overlay';
const PASSWORD = 'a-password-of-the-trial';
const NAMES = ['one', 'two', 'three'] as const;
/** How long a leader that is silent stays the leader, and the intervals at which servers look: the least that Patroni accepts. s */
const TIMES = { ttl: 20, loop_wait: 2, retry_timeout: 5 };

/** What Patroni tells of a server. */
export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: number | string;
}

/** A server with its agent. */
export interface DatabaseNode {
  readonly name: string;
  /** Sends a signal to the agent and to all processes of the server. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Sends a signal to the processes that send changes to standbys, or to the one that receives them from the leader. */
  signalReplication(part: 'walsender' | 'walreceiver', signal: 'SIGSTOP' | 'SIGCONT'): void;
  start(): void;
  /** Whether it says that it is the leader. */
  isLeader(): Promise<boolean>;
}

export interface Cluster {
  readonly nodes: readonly DatabaseNode[];
  /** Connection strings, by the way that they take. */
  readonly ways: Readonly<Record<'hosts' | 'proxy' | 'pooler', string>>;
  /** A connection string for all hosts. @param parameters those of the connection string */
  string(parameters: string): string;
  /** The leader, once there is one other than `former`. */
  leader(former?: DatabaseNode): Promise<DatabaseNode>;
  /** The first server in a role other than that of the leader, such as `sync_standby`. */
  inRole(role: string): Promise<DatabaseNode>;
  members(): Promise<readonly Member[]>;
  /** Waits until all servers follow the leader, and one of them synchronously if that is asked for. */
  settled(isSynchronous?: boolean): Promise<void>;
  switchOver(from: DatabaseNode): Promise<void>;
  configure(changes: object): Promise<void>;
}

/** @param folder the folder of `processes` */
export const startCluster = async (folder: string, processes: Processes): Promise<Cluster> => {
  chmodSync(folder, 0o755);
  await makeCertificates(processes);
  const [etcd = 0, etcdPeer = 0, proxy = 0, pooler = 0, ...ports] = await Promise.all(
    Array.from({ length: 4 + 2 * NAMES.length }, freePort),
  );
  const places = NAMES.map((name, i) => ({ name, port: ports[2 * i] ?? 0, agent: ports[2 * i + 1] ?? 0 }));
  const etcdUrl = (port: number) => `http://${HOST}:${port}`;
  processes.start(
    'etcd',
    'etcd',
    ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcdUrl(etcd), '--advertise-client-urls', etcdUrl(etcd)],
    ...['--listen-peer-urls', etcdUrl(etcdPeer), '--initial-advertise-peer-urls', etcdUrl(etcdPeer)],
    ...['--initial-cluster', `default=${etcdUrl(etcdPeer)}`, '--unsafe-no-fsync'],
  );
  for (const name of NAMES) mkdirSync(join(folder, name));
  if (isRoot) await processes.run('chown', 'postgres', 'server.key', ...NAMES);
  const nodes = places.map((place) => nodeAt(folder, processes, place, etcd));
  for (const node of nodes) {
    node.start();
    // The first makes the database, which the others copy.
    await until(`${node.name} answers`, async () => (await ask(`${node.url}/health`)).ok);
  }
  const members = async (): Promise<readonly Member[]> => {
    for (const { url } of nodes) {
      const answer = await ask(`${url}/cluster`).catch(() => undefined);
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members; // the answer of Patroni's API
    }
    throw new Error('no agent answers');
  };
  writeFileSync(join(folder, 'haproxy.cfg'), proxyConfig(proxy, places));
  processes.start('haproxy', 'haproxy', '-db', '-f', 'haproxy.cfg');
  writeFileSync(join(folder, 'pgbouncer.ini'), poolerConfig(folder, pooler, proxy));
  processes.start('pgbouncer', ...asUser('pgbouncer', '-q', 'pgbouncer.ini'));
  const verified = `sslmode=verify-full&sslrootcert=${join(folder, 'root.pem')}`;
  const login = `${USER}:${PASSWORD}`;
  const hosts = places.map(({ port }) => `${HOST}:${port}`).join(',');
  const string = (parameters: string) => `postgres://${login}@${hosts}/postgres?${parameters}`;
  const byName = (name: string | undefined) => nodes.find((node) => node.name === name);
  return {
    nodes,
    string,
    ways: {
      hosts: string(`target_session_attrs=read-write&${verified}`),
      proxy: `postgres://${login}@${HOST}:${proxy}/postgres?${verified}`,
      pooler: `postgres://${login}@${HOST}:${pooler}/postgres`,
    },
    members,
    async leader(former) {
      for (;;) {
        const leading = await Promise.all(nodes.map(async (node) => node !== former && (await node.isLeader()) && node));
        const [found] = leading.filter((node) => node !== false);
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async inRole(role) {
      const node = byName((await members()).find((member) => member.role === role)?.name);
      if (!node) throw new Error(`no server is the ${role}: ${JSON.stringify(await members())}`);
      return node;
    },
    settled: (isSynchronous = true) =>
      until('all servers follow the leader', async () => {
        const all = await members();
        const following = all.filter(
          ({ role, state, lag }) => role !== 'leader' && /running|streaming/.test(state) && Number(lag) < 2 ** 20,
        );
        const leaders = all.filter(({ role, state }) => role === 'leader' && state === 'running');
        return (
          leaders.length === 1 &&
          following.length === NAMES.length - 1 &&
          (!isSynchronous || all.some(({ role }) => role === 'sync_standby'))
        );
      }),
    async switchOver({ name }) {
      const answer = await ask(`${byName(name)?.url}/switchover`, { method: 'POST', body: JSON.stringify({ leader: name }) });
      if (!answer.ok) throw new Error(`the switch-over was refused: ${await answer.text()}`);
    },
    async configure(changes) {
      const answer = await ask(`${nodes[0]?.url}/config`, { method: 'PATCH', body: JSON.stringify(changes) });
      if (!answer.ok) throw new Error(`the change was refused: ${await answer.text()}`);
    },
  };
};

const ask = (url: string, init: RequestInit = {}) => fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });

interface Place {
  readonly name: string;
  readonly port: number;
  /** The port of the agent's API. */
  readonly agent: number;
}

const nodeAt = (folder: string, processes: Processes, { name, port, agent }: Place, etcd: number) => {
  const data = join(folder, name, 'data');
  writeFileSync(join(folder, `${name}.yml`), JSON.stringify(agentConfig(folder, { name, port, agent }, etcd)));
  const url = `http://${HOST}:${agent}`;
  let child: ChildProcess | undefined;
  return {
    name,
    url,
    start() {
      child = processes.start(name, ...asUser('patroni', `${name}.yml`));
    },
    signal(signal: NodeJS.Signals) {
      // The agent first, or it would notice. The server's own processes end when it has ended.
      for (const id of [child?.pid, ...serverProcesses(data)]) send(id, signal);
    },
    signalReplication(part: string, signal: NodeJS.Signals) {
      for (const id of serverProcesses(data)) if (commandOf(id).includes(part)) send(id, signal);
    },
    isLeader: () =>
      fetch(`${url}/primary`, { signal: AbortSignal.timeout(500) }).then(
        ({ ok }) => ok,
        () => false,
      ),
  };
};

/** JSON is YAML, too. */
const agentConfig = (folder: string, { name, port, agent }: Place, etcd: number): object => {
  const user = { username: USER, password: PASSWORD };
  const access = [`hostssl all all ${HOST}/32 scram-sha-256`, `hostssl replication all ${HOST}/32 scram-sha-256`];
  return {
    scope: 'overlay',
    name,
    restapi: { listen: `${HOST}:${agent}`, connect_address: `${HOST}:${agent}` },
    etcd3: { host: `${HOST}:${etcd}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        // A server that has ended is not waited for.
        primary_start_timeout: 0,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          // The leader gives up a silent standby, and a standby a silent leader, after this time.
          parameters: { wal_sender_timeout: '5s', wal_receiver_timeout: '5s', max_connections: 200, autovacuum_naptime: '1s' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${HOST}:${port}`,
      connect_address: `${HOST}:${port}`,
      data_dir: join(folder, name, 'data'),
      bin_dir: findBinaries(),
      pgpass: join(folder, name, 'pgpass'),
      authentication: { superuser: user, replication: user, rewind: user },
      pg_hba: access,
      parameters: {
        unix_socket_directories: '',
        ssl: 'on',
        ssl_cert_file: join(folder, 'server.pem'),
        ssl_key_file: join(folder, 'server.key'),
      },
    },
  };
};

/** Leads to whichever server says that it is the leader. */
const proxyConfig = (port: number, places: readonly Place[]): string => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen leader
  bind ${HOST}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${places.map((place) => `  server ${place.name} ${HOST}:${place.port} check port ${place.agent}`).join('\n')}
`;

const poolerConfig = (folder: string, port: number, proxy: number): string => `
[databases]
* = host=${HOST} port=${proxy} user=${USER} password=${PASSWORD}
[pgbouncer]
listen_addr = ${HOST}
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
server_tls_sslmode = verify-full
server_tls_ca_file = ${join(folder, 'root.pem')}
server_login_retry = 1
`;

/** Makes the files `root.pem`, `server.pem` and `server.key`, which all servers have. */
const makeCertificates = async (processes: Processes): Promise<void> => {
  const key = (file: string) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file, '-days', '10'];
  await processes.run('openssl', 'req', '-x509', ...key('root.key'), '-out', 'root.pem', '-subj', '/CN=root');
  const names = ['-subj', '/CN=database', '-addext', `subjectAltName=IP:${HOST}`];
  await processes.run(
    'openssl',
    'req',
    '-x509',
    ...key('server.key'),
    '-out',
    'server.pem',
    '-CA',
    'root.pem',
    '-CAkey',
    'root.key',
    ...names,
  );
};

const isRoot = process.getuid?.() === 0;

/** Neither PostgreSQL nor PgBouncer runs as root. */
const asUser = (...command: readonly [string, ...string[]]): readonly [string, ...string[]] =>
  isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command] : command;
