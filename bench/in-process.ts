/** The controller without sockets: what an operation costs from the message to the answer. */
import type { CoreRequest } from '../src/adapter-kit.ts';
import type { ManagementController } from '../src/index.ts';
import type { Backends } from './backends.ts';
import { credentials, type Request } from './load.ts';

export interface Cost {
  /** Microseconds of the processor, of user and system, for an operation. */
  readonly us: number;
  /** The same, of the backends of the database; 0 where it has none. */
  readonly databaseUs: number;
}

const utf8 = new TextEncoder();

export const ask = async (
  controller: ManagementController,
  token: string | undefined,
  { method, path, body }: Request,
): Promise<string> => {
  const headers: Readonly<Record<string, string>> = {
    ...credentials(token),
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
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${String(answer.body)}`);
  if (typeof answer.body === 'string') return answer.body;
  const parts: Uint8Array[] = [];
  if (answer.body instanceof Uint8Array) parts.push(answer.body);
  else for await (const part of answer.body) parts.push(part);
  return Buffer.concat(parts).toString();
};

/** Repeats an operation, one at a time, after a time to warm up. */
export const costOf = async (operation: () => Promise<unknown>, seconds: number, backends: Backends): Promise<Cost> => {
  await repeat(operation, seconds / 3);
  const [database, own] = [backends.processorMs(), process.cpuUsage()];
  const operations = await repeat(operation, seconds);
  const { user, system } = process.cpuUsage(own);
  return { us: (user + system) / operations, databaseUs: ((backends.processorMs() - database) * 1000) / operations };
};

const repeat = async (operation: () => Promise<unknown>, seconds: number): Promise<number> => {
  let count = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; count++) await operation();
  return count;
};

/** Waits until the process has nothing left to do in the background, for a minute at most. */
export const idle = async (): Promise<void> => {
  for (let turn = 0; turn < 120; turn++) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { user, system } = process.cpuUsage(before);
    if (user + system < 50_000) return;
  }
};
