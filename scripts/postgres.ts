/**
 * A PostgreSQL server for tests, in a temporary folder, on a free port of the loopback interface: `npm run postgres` prints its URL and
 * runs it until it is stopped; `npm run postgres -- COMMAND ARGUMENTS` runs the command with the URL in `POSTGRES_URL`. PostgreSQL refuses
 * to run as root, so root runs it as the user `postgres`, and installs Debian's package if PostgreSQL is missing.
 */
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send, serverProcesses } from './try-databases/process-tree.ts';

export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  /** False after it has ended, also by itself. Linux only. */
  readonly isRunning: boolean;
  start(): void;
  /** @param how `fast` aborts running transactions and shuts down cleanly, `immediate` is like a crash */
  stop(how?: 'fast' | 'immediate'): void;
  /** Sends a signal to all processes of the server. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
}

/**
 * An ordinary locale, which does not sort texts by code point, so that queries that need this order must request it. ICU includes the
 * locale, so that it need not be installed on the machine. Requires PostgreSQL 15 or later.
 */
const LOCALE = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'];

const isRoot = process.getuid?.() === 0;

/** @param parent the folder of its temporary folder @throws Error if PostgreSQL is missing and cannot be installed */
export const startPostgres = async (parent = tmpdir()): Promise<PostgresServer> => {
  const bin = findBinaries() ?? installBinaries();
  const folder = await mkdtemp(join(parent, 'overlay-postgres-'));
  if (isRoot) await chown(folder, idOf('-u'), idOf('-g'));
  const [data, port] = [join(folder, 'data'), await freePort()];
  executeAsServer(folder, join(bin, 'initdb'), '-D', data, '-U', 'overlay', '-A', 'trust', '-E', 'UTF8', ...LOCALE, '--no-sync');
  // A short interval for autovacuum, because the planner considers every table that a test fills empty until it is analyzed.
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=${process.env.POSTGRES_FSYNC ?? 'off'} -c max_connections=200 -c autovacuum_naptime=1s`;
  const control = (...args: string[]) => executeAsServer(folder, join(bin, 'pg_ctl'), '-D', data, '-w', '-s', ...args);
  const server = {
    url: `postgres://overlay@127.0.0.1:${port}/postgres`,
    get isRunning() {
      return serverProcesses(data).length > 0;
    },
    start: () => {
      // Left by a server that was killed.
      if (!server.isRunning) rmSync(join(data, 'postmaster.pid'), { force: true });
      control('start', '-l', join(folder, 'log'), '-o', settings);
    },
    stop: (how = 'fast') => control('stop', '-m', how),
    signal: (signal) => {
      for (const id of serverProcesses(data)) send(id, signal);
    },
    async [Symbol.asyncDispose]() {
      server.stop('immediate');
      await rm(folder, { recursive: true });
    },
  } satisfies PostgresServer;
  server.start();
  return server;
};

/** Runs a command as a user who may run the server. */
const executeAsServer = (cwd: string, command: string, ...args: string[]): void => {
  if (isRoot) execute('runuser', ['-u', 'postgres', '--', command, ...args], { cwd });
  else execute(command, args, { cwd });
};

const execute = (command: string, args: readonly string[], options: SpawnSyncOptions = {}): string => {
  // Output is ignored, because the server inherits it: a pipe would stay open until the server ends.
  const { status, error, stdout } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  if (error || status !== 0) throw new Error(`${command} failed${error ? `: ${error.message}` : ` with status ${status}`}`);
  return String(stdout);
};

const idOf = (flag: '-u' | '-g'): number => Number(execute('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'inherit'] }));

/** The folder of PostgreSQL's programs: `POSTGRES_BIN`, one of Debian's, or one in `PATH`. */
export const findBinaries = (): string | undefined => {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    process.env.POSTGRES_BIN ?? [],
    versions.map((version) => join(base, version, 'bin')),
    process.env.PATH?.split(':') ?? [],
  ];
  return folders.flat().find((folder) => ['initdb', 'pg_ctl', 'postgres'].every((file) => existsSync(join(folder, file))));
};

const installBinaries = (): string => {
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    execute('apt-get', ['update', '-qq'], options);
    execute('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'], options);
  }
  const found = findBinaries();
  if (!found) throw new Error("PostgreSQL is not installed: install it, or set POSTGRES_BIN to the folder of its 'initdb'");
  return found;
};

export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('a port was expected');
  return address.port;
};

const untilSignal = async (): Promise<void> => {
  const waiting = setInterval(() => undefined, 2 ** 30);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  clearInterval(waiting);
};

if (import.meta.main) {
  await using server = await startPostgres();
  const [command, ...args] = process.argv.slice(2);
  if (command) {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, POSTGRES_URL: server.url } });
    const [status] = await once(child, 'exit');
    process.exitCode = typeof status === 'number' ? status : 1;
  } else {
    console.log(server.url);
    await untilSignal();
  }
}
