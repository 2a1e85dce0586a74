import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Backends, NO_BACKENDS } from './backends.ts';
import { createClient, type Request } from './load.ts';

/** What a process has used so far. */
export interface Usage {
  /** Microseconds of the processor. */
  readonly user: number;
  readonly system: number;
  /** Resident memory, bytes. */
  readonly rss: number;
}

/** A process that serves. */
export interface Measurable {
  readonly port: number;
  usage(): Promise<Usage>;
}

/** One that this process has started. */
export interface MeasuredServer extends Measurable {
  readonly child: ChildProcess;
}

export interface Figures {
  /** Milliseconds of the processor, of user and system, for an operation. */
  readonly cpuMs: number;
  /** The same, of the backends of the database; 0 where it has none. */
  readonly databaseMs: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Effort {
  readonly seconds: number;
  readonly connections: number;
  /** Of the database. Default: it has none. */
  readonly backends?: Backends;
}

/** Forks a server of this folder. @returns it, with all that it tells of itself */
export const startServer = async <S extends MeasuredServer>(file: string, args: readonly string[]): Promise<S> => {
  const child = fork(join(import.meta.dirname, file), args);
  const [message] = await once(child, 'message');
  const usage = async (): Promise<Usage> => {
    child.send('usage');
    const [used] = await once(child, 'message');
    return used;
  };
  return { child, usage, ...message };
};

/** Asks without pause, after a time to warm up. */
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

/** The forked side: reports its port and its processor time to the parent process, and ends with it, or when asked to `close`. */
export const tellParent = (
  message: Readonly<Record<string, unknown>> & { readonly port: number },
  close: () => Promise<void> = async () => undefined,
): void => {
  process.on('message', (question) => {
    if (question === 'close') void close().then(() => process.exit());
    if (question === 'usage') process.send?.({ ...process.cpuUsage(), rss: process.memoryUsage().rss });
  });
  process.on('disconnect', () => process.exit());
  process.send?.(message);
};
