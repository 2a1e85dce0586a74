/** PgBouncer before the PostgreSQL server of `POSTGRES_URL`, on a free port of the loopback interface. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresUrl, type TestSchema } from './postgres.ts';
import { until } from './until.ts';

/** Debian has it where only root looks by default. */
const binary = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((file) => existsSync(file));

const missing = binary ? false : 'pgbouncer is not installed: apt-get install pgbouncer';

/** For `test` and `describe`. */
export const needsPgBouncer = { skip: postgresUrl ? missing : 'POSTGRES_URL is not set: run it through scripts/postgres.ts' };

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;

export interface PgBouncer extends AsyncDisposable {
  /** The way through the pooler to the schema of a connection string, with these parameters. */
  to(place: TestSchema, parameters?: Readonly<Record<string, string>>): string;
  /** True if it has ended by itself: version 1.18 sometimes does when a statement is cancelled. */
  readonly hasEnded: boolean;
}

/** @param settings lines of the section `[pgbouncer]` */
export const startPgBouncer = async (settings: Readonly<Record<string, string | number>>): Promise<PgBouncer> => {
  const server = new URL(postgresUrl ?? '');
  const [folder, port] = [await mkdtemp(join(tmpdir(), 'overlay-pgbouncer-')), await freePort()];
  const file = join(folder, 'pgbouncer.ini');
  const lines = (values: object) => Object.entries(values).map(([name, value]) => `${name} = ${value}`);
  const database = `host=${server.hostname} port=${server.port} user=${server.username}`;
  await writeFile(
    file,
    [
      '[databases]',
      `* = ${database}`,
      '[pgbouncer]',
      ...lines({ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any', ...settings }),
      '',
    ].join('\n'),
  );
  await chmod(folder, 0o755);
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(binary ?? 'pgbouncer', ['-q', file], { stdio: ['ignore', 'ignore', 'pipe'], ...asNobody });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'exit');
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`);
    return answers(port);
  });
  return {
    to: ({ connectionString }, parameters = {}) => {
      const schema = new URL(connectionString).searchParams.get('application_name') ?? '';
      const url = new URL(server);
      url.port = String(port);
      for (const [name, value] of Object.entries({ schema, ...parameters })) url.searchParams.set(name, value);
      return url.href;
    },
    get hasEnded() {
      return child.exitCode !== null;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGQUIT');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};

const answers = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'close').then(() => false)]).catch(() => false);
  socket.destroy();
  return isOpen;
};

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // a TCP server has one
  probe.close();
  await once(probe, 'close');
  return port;
};
