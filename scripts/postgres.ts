/**
 * A PostgreSQL server for tests, in a temporary folder, on a free port of the loopback interface: `npm run postgres` prints its URL
 * and runs it until it is stopped; `npm run postgres -- COMMAND ARGUMENTS` runs the command with it in `POSTGRES_URL`.
 * PostgreSQL refuses to run as root, who runs it as the user `postgres` therefore, and installs Debian's package where there is none.
 */
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  start(): void;
  /** @param how `fast` ends what is running, `immediate` is a crash. */
  stop(how?: 'fast' | 'immediate'): void;
}

/**
 * An ordinary locale, whose order of texts is not that of code points: what needs that order must say so. ICU brings the locale itself, so that the
 * machine needs none. Known from PostgreSQL 15 on.
 */
const LOCALE = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'];

const isRoot = process.getuid?.() === 0;

/** @throws Error when there is no PostgreSQL and it cannot be installed. */
export const startPostgres = async (): Promise<PostgresServer> => {
  const bin = findBinaries() ?? installed();
  const folder = await mkdtemp(join(tmpdir(), 'overlay-postgres-'));
  if (isRoot) await chown(folder, idOf('-u'), idOf('-g'));
  const [data, port] = [join(folder, 'data'), await freePort()];
  as(folder, join(bin, 'initdb'), '-D', data, '-U', 'overlay', '-A', 'trust', '-E', 'UTF8', ...LOCALE, '--no-sync');
  // Analyze soon: until then, the planner takes every table that a test fills for an empty one.
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=${process.env.POSTGRES_FSYNC ?? 'off'} -c max_connections=200 -c autovacuum_naptime=1s`;
  const control = (...args: string[]) => as(folder, join(bin, 'pg_ctl'), '-D', data, '-w', '-s', ...args);
  const server = {
    url: `postgres://overlay@127.0.0.1:${port}/postgres`,
    start: () => control('start', '-l', join(folder, 'log'), '-o', settings),
    stop: (how = 'fast') => control('stop', '-m', how),
    async [Symbol.asyncDispose]() {
      server.stop('immediate');
      await rm(folder, { recursive: true });
    },
  } satisfies PostgresServer;
  server.start();
  return server;
};

/** As the one who may run the server. */
const as = (cwd: string, command: string, ...args: string[]): void => {
  if (isRoot) execute('runuser', ['-u', 'postgres', '--', command, ...args], { cwd });
  else execute(command, args, { cwd });
};

const execute = (command: string, args: readonly string[], options: SpawnSyncOptions = {}): string => {
  // The server keeps what it is given as output: a pipe would not end before it.
  const { status, error, stdout } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  if (error || status !== 0) throw new Error(`${command} failed${error ? `: ${error.message}` : ` with status ${status}`}`);
  return String(stdout);
};

const idOf = (flag: '-u' | '-g'): number => Number(execute('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'inherit'] }));

/** Candidates in the folders of Debian's and other packages, and in `PATH`. */
const findBinaries = (): string | undefined => {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    process.env.POSTGRES_BIN ?? [],
    versions.map((version) => join(base, version, 'bin')),
    process.env.PATH?.split(':') ?? [],
  ];
  return folders.flat().find((folder) => ['initdb', 'pg_ctl', 'postgres'].every((file) => existsSync(join(folder, file))));
};

const installed = (): string => {
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    execute('apt-get', ['update', '-qq'], options);
    execute('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'], options);
  }
  const found = findBinaries();
  if (!found) throw new Error("PostgreSQL is not installed: install it, or set POSTGRES_BIN to the folder of its 'initdb'");
  return found;
};

const freePort = async (): Promise<number> => {
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
