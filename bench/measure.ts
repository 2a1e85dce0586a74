import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Backends, NO_BACKENDS } from './backends.ts';
import { createClient, type Request } from './load.ts';

/** The resource usage of a process so far. */
export interface Usage {
  /** Processor time in user mode, in microseconds. */
  readonly user: number;
  /** Processor time in system mode, in microseconds. */
  readonly system: number;
  /** Resident memory in bytes. */
  readonly rss: number;
  /** Statements of the store for the calls so far, as counted by the controller. */
  readonly statements?: number;
}

/** A server whose resource usage can be measured. */
export interface Measurable {
  readonly port: number;
  usage(): Promise<Usage>;
}

/** A server that this process has started. */
export interface MeasuredServer extends Measurable {
  readonly child: ChildProcess;
}

export interface Figures {
  /** User and system processor time per operation, in milliseconds. */
  readonly cpuMs: number;
  /** The same for the backends of the database; 0 if it has none. */
  readonly databaseMs: number;
  /** Operations per second. */
  readonly perSecond: number;
  /** Median latency in milliseconds. */
  readonly p50: number;
  /** 99th percentile of the latency in milliseconds. */
  readonly p99: number;
}

export interface Effort {
  readonly seconds: number;
  readonly connections: number;
  /** The backends of the database. Default: none. */
  readonly backends?: Backends;
}

/** Forks a server from a file in this folder. @returns the server, with the content of its first message */
export const startServer = async <S extends MeasuredServer>(file: string, args: readonly string[]): Promise<S> => {
  const child = fork(join(import.meta.dirname, file), args);
  const [message] = await once(child, 'message');
  const usage = async (): Promise<Usage> => {
    child.send('usage');
    const [reported] = await once(child, 'message');
    return reported;
  };
  return { child, usage, ...message };
};

/** Sends requests in a closed loop, after a warm-up. */
export const measure = async (
  server: Measurable,
  token: string | undefined,
  next: () => Request,
  { seconds, connections, backends = NO_BACKENDS }: Effort,
): Promise<Figures> => {
  const client = createClient(token ? { port: server.port, token } : { port: server.port }, connections);
  await client.run(next, Math.min(1, seconds / 3));
  const [before, database] = [await server.usage(), backends.processorMs()];
  const load = await client.run(next, seconds);
  const [after, databaseAfter] = [await server.usage(), backends.processorMs()];
  client.close();
  const bad = Object.entries(load.statuses).filter(([status]) => Number(status) >= 400);
  if (bad.length > 0) throw new Error(`the load was refused: ${JSON.stringify(load.statuses)}`);
  const cpuMs = (after.user - before.user + after.system - before.system) / 1000 / load.operations;
  const databaseMs = (databaseAfter - database) / load.operations;
  return { cpuMs, databaseMs, perSecond: load.operations / load.seconds, p50: load.p50, p99: load.p99 };
};

/**
 * For the forked process: reports its port and, on request, its resource usage to the parent process. Exits with the parent, or on the
 * message `close`.
 */
export const reportToParent = (
  message: Readonly<Record<string, unknown>> & { readonly port: number },
  close: () => Promise<void> = async () => undefined,
  statements = () => 0,
): void => {
  process.on('message', (request) => {
    if (request === 'close') void close().then(() => process.exit());
    if (request === 'usage') process.send?.({ ...process.cpuUsage(), rss: process.memoryUsage().rss, statements: statements() });
  });
  process.on('disconnect', () => process.exit());
  process.send?.(message);
};
