/**
 * Measures warm calls of the controller in a checkout of any commit: `node measured.ts FOLDER STORE SIZE`, forked by `revisions.ts`. It relies only on what every
 * commit has: the entry points, the options of `open`, and the requests of the API.
 */
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { identityAttributes, identityBody, policyBody, type Size, serviceBody } from '../data.ts';
import { sendRequest } from '../in-process.ts';
import type { Request } from '../load.ts';
import { SECRET_KEY } from '../stores.ts';

/** Figures of one call that hardly depend on the machine. */
export interface Path {
  /** Bytes on the heap. */
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

/** Microseconds of processor time for a call. */
const timeOf = async (operation: () => Promise<unknown>, calls: number): Promise<number> => {
  const before = process.cpuUsage();
  await run(operation, calls);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
};

const COUNTED_CALLS = 50;
const pathOf = async (operation: () => Promise<unknown>): Promise<Path> => {
  // Collected first, so that the young generation, which the parent process makes large, holds all that the calls allocate.
  globalThis.gc?.();
  statements = 0;
  const before = process.memoryUsage().heapUsed;
  await run(operation, COUNTED_CALLS);
  const allocated = (process.memoryUsage().heapUsed - before) / COUNTED_CALLS;
  const counted = statements / COUNTED_CALLS;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await operation();
  await session.post('Profiler.takePreciseCoverage');
  await operation();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const own = pathToFileURL(join(folder, '/')).href;
  const ran = result
    .filter(({ url }) => url.startsWith(own) && /^(src|adapters)\//.test(url.slice(own.length)))
    .map(({ functions }) => functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length)
    .filter((count) => count > 0);
  return { allocated, statements: counted, files: ran.length, functions: ran.reduce((sum, count) => sum + count, 0) };
};

process.once('disconnect', () => process.exit());
process.on('message', (question: Question) => {
  const operation = operations[question.operation];
  if (!operation) throw new Error(`unknown operation: ${question.operation}`);
  const answer = question.type === 'time' ? timeOf(operation, question.calls) : pathOf(operation);
  void answer.then((figures) => process.send?.(figures));
});
process.send?.(Object.keys(operations));
