/**
 * Measures warm calls of the controller in a checkout of any commit: `node measured.ts FOLDER STORE SIZE`, forked by `revisions.ts`. It
 * depends only on code that all commits have: the entry points, the options of `open`, and the requests of the API.
 */
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { identityAttributes, identityBody, policyBody, type Size, serviceBody } from '../data.ts';
import { sendRequest } from '../in-process.ts';
import type { Request } from '../load.ts';
import { SECRET_KEY } from '../stores.ts';

/** Figures of a call that are almost independent of the machine. */
export interface Path {
  /** Bytes allocated on the heap. */
  readonly allocated: number;
  readonly statements: number;
  /** Source files and functions that run at least once. */
  readonly files: number;
  readonly functions: number;
}

/** A request of the parent process. */
export type Question = { readonly operation: string } & ({ readonly type: 'time'; readonly calls: number } | { readonly type: 'path' });

const [folder = '.', kind = 'memory', sizeText = '{}'] = process.argv.slice(2);
// Given by the parent process.
const size = JSON.parse(sizeText) as Size;
const entry = (path: string) => import(pathToFileURL(join(folder, path)).href);
const { ManagementController } = await entry('src/index.ts');
const { nodePlatform } = await entry('adapters/platform/node.ts');
const { memoryStorage } = await entry('adapters/storage/memory/index.ts');
const { sqliteStorage } = await entry('adapters/storage/kysely/index.ts');

let statements = 0;
const administrator = { username: 'admin', password: 'bench-password' };
const controller = await ManagementController.open({
  storage: kind === 'memory' ? memoryStorage() : sqliteStorage({ file: kind, synchronous: 'NORMAL' }),
  platform: nodePlatform(),
  secretKey: SECRET_KEY,
  administrator,
  settings: { address: 'https://127.0.0.1:1280' },
  oidc: true,
  observe: (event: { readonly type: string; readonly statements?: number }) => {
    if (event.type === 'operation') statements += event.statements ?? 0;
  },
});

const M = '/edge/management/v1';
let token: string | undefined;
const send = async (request: Request) => JSON.parse(await sendRequest(controller, token, request)).data;
const create = async (path: string, body: unknown): Promise<string> => (await send({ method: 'POST', path: `${M}/${path}`, body })).id;

token = (await send({ method: 'POST', path: `${M}/authenticate?method=password`, body: administrator })).token;
const identities: string[] = [];
const services: string[] = [];
for (let i = 0; i < size.identities; i++) identities.push(await create('identities', identityBody(i)));
for (let i = 0; i < size.services; i++) services.push(await create('services', serviceBody(i, [])));
for (let i = 0; i < size.policies; i++) await create('service-policies', policyBody(i));

let turn = 0;
const next = (list: readonly string[]): string => list[turn++ % list.length] as string; // never empty
const get = (path: () => string) => () => sendRequest(controller, token, { method: 'GET', path: `${M}/${path()}` });

const operations: Readonly<Record<string, () => Promise<unknown>>> = {
  'GET /version': get(() => 'version'),
  'identity by id': get(() => `identities/${next(identities)}`),
  'identities, page of 100': get(() => `identities?limit=100&offset=${turn++ % size.identities}`),
  'services of an identity': get(() => `identities/${next(identities)}/services`),
  'current identity': get(() => 'current-identity'),
  'PATCH roleAttributes': () =>
    send({ method: 'PATCH', path: `${M}/identities/${next(identities)}`, body: { roleAttributes: identityAttributes() } }),
  'PATCH tags': () => send({ method: 'PATCH', path: `${M}/identities/${next(identities)}`, body: { tags: { turn: `${turn++}` } } }),
  'create and delete an identity': async () => {
    const id = await create('identities', { ...identityBody(0), name: `new-${turn++}` });
    await send({ method: 'DELETE', path: `${M}/identities/${id}` });
  },
};

const run = async (operation: () => Promise<unknown>, calls: number): Promise<void> => {
  for (let i = 0; i < calls; i++) await operation();
};

/** Processor time per call, in microseconds. */
const timeOf = async (operation: () => Promise<unknown>, calls: number): Promise<number> => {
  const before = process.cpuUsage();
  await run(operation, calls);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
};

/** Number of measurements. The minimum is reported, because periodic work, such as timers, is not part of a call. */
const TIMES = 5;
const COUNTED_CALLS = 50;
/** Calls whose files and functions are counted: the length of a path depends on random ids, by the shape of the trees of the store. */
const COVERED_CALLS = 25;

const pathOf = async (operation: () => Promise<unknown>): Promise<Path> => {
  const [allocated, counted]: [number[], number[]] = [[], []];
  for (let time = 0; time < TIMES; time++) {
    // Collected first, so that the young generation, whose size the parent process sets, has room for the allocations of all calls.
    globalThis.gc?.();
    statements = 0;
    const before = process.memoryUsage().heapUsed;
    await run(operation, COUNTED_CALLS);
    allocated.push((process.memoryUsage().heapUsed - before) / COUNTED_CALLS);
    counted.push(statements / COUNTED_CALLS);
  }
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const own = pathToFileURL(join(folder, '/')).href;
  const functionsByFile: (readonly number[])[] = [];
  for (let time = -1; time < COVERED_CALLS; time++) {
    await operation();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result
      .filter(({ url }) => url.startsWith(own) && /^(src|adapters)\//.test(url.slice(own.length)))
      .map(({ functions }) => functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length)
      .filter((count) => count > 0);
    // The first call runs code that was compiled before coverage started.
    if (time >= 0) functionsByFile.push(ran);
  }
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  return {
    allocated: Math.min(...allocated),
    statements: Math.min(...counted),
    files: Math.min(...functionsByFile.map(({ length }) => length)),
    functions: Math.min(...functionsByFile.map((counts) => counts.reduce((sum, count) => sum + count, 0))),
  };
};

/** The operations that have been called often enough. */
const warm = new Set<string>();

process.once('disconnect', () => process.exit());
process.on('message', async (question: Question) => {
  const operation = operations[question.operation];
  if (!operation) throw new Error(`unknown operation: ${question.operation}`);
  // In a warm call, the entity has been read before.
  if (!warm.has(question.operation)) await run(operation, 2 * size.identities);
  warm.add(question.operation);
  process.send?.(await (question.type === 'time' ? timeOf(operation, question.calls) : pathOf(operation)));
});
process.send?.(Object.keys(operations));
