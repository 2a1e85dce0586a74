/** Measures the controller without sockets: the cost of an operation from request to response. */
import type { CoreRequest } from '../src/adapter-kit.ts';
import type { ManagementController } from '../src/index.ts';
import type { Backends } from './backends.ts';
import { credentials, type Request } from './load.ts';

export interface Cost {
  /** User and system processor time per operation, in microseconds. */
  readonly us: number;
  /** The same for the backends of the database; 0 if it has none. */
  readonly databaseUs: number;
}

const utf8 = new TextEncoder();

/**
 * Thrown for status 400: a large network refuses some operations because of their cost. Any other error status is a fault of the bench.
 */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export const sendRequest = async (
  controller: ManagementController,
  token: string | undefined,
  { method, path, body, headers: further }: Request,
): Promise<string> => {
  const headers: Readonly<Record<string, string>> = {
    ...credentials(token),
    ...further,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const message: CoreRequest = {
    method,
    target: path,
    header: (name) => headers[name],
    body: async () => utf8.encode(JSON.stringify(body)),
    remoteAddress: '127.0.0.1',
  };
  const answer = await controller.handle(message);
  if (answer.status >= 400) {
    const message = `${method} ${path}: ${answer.status} ${String(answer.body)}`;
    throw answer.status === 400 ? new Refused(message) : new Error(message);
  }
  if (typeof answer.body === 'string') return answer.body;
  const parts: Uint8Array[] = [];
  if (answer.body instanceof Uint8Array) parts.push(answer.body);
  else for await (const part of answer.body) parts.push(part);
  return Buffer.concat(parts).toString();
};

/** Runs an operation repeatedly, one call at a time, after a warm-up. */
export const costOf = async (operation: () => Promise<unknown>, seconds: number, backends: Backends): Promise<Cost> => {
  await repeat(operation, seconds / 3);
  const [databaseMs, usage] = [backends.processorMs(), process.cpuUsage()];
  const operations = await repeat(operation, seconds);
  const { user, system } = process.cpuUsage(usage);
  return { us: (user + system) / operations, databaseUs: ((backends.processorMs() - databaseMs) * 1000) / operations };
};

const repeat = async (operation: () => Promise<unknown>, seconds: number): Promise<number> => {
  let count = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; count++) await operation();
  return count;
};

/**
 * Runs an operation some times.
 * @returns the longest processor time of the thread between two turns of the event loop, in milliseconds
 */
export const heldBy = async (operation: () => Promise<unknown>, calls: number): Promise<number> => {
  let [heldMs, isOver] = [0, false];
  let last = threadMs();
  const beat = () => {
    const now = threadMs();
    heldMs = Math.max(heldMs, now - last);
    last = now;
    if (!isOver) setImmediate(beat);
  };
  setImmediate(beat);
  for (let i = 0; i < calls; i++) {
    await operation();
    await new Promise((resolve) => setImmediate(resolve));
  }
  isOver = true;
  return heldMs;
};

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Waits until the process has no more background work, for at most a minute. */
export const idle = async (): Promise<void> => {
  for (let attempt = 0; attempt < 120; attempt++) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { user, system } = process.cpuUsage(before);
    if (user + system < 50_000) return;
  }
};
