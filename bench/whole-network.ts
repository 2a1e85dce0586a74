/** Measures operations on the whole network, a call of each, for `inside.ts`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStorage } from '../adapters/storage/kysely/index.ts';
import { isApiError, type ManagementController, restoreSnapshot } from '../src/index.ts';
import type { Backends } from './backends.ts';
import { heldBy, sendRequest } from './in-process.ts';
import type { Growth } from './operations.ts';
import { SECRET_KEY } from './stores.ts';

export interface WholeCost {
  /** Processor time of the process and of the backends of the database, in milliseconds. */
  readonly ms: number;
  /** The highest heap and external memory above those before. MiB */
  readonly peakMib: number;
  /** The longest time for which the call held the event loop: processor time of the thread, in milliseconds. */
  readonly heldMs: number;
  readonly growth: Growth;
}

/** Keeps the last snapshot, which may be longer than a string. */
export class KeptSnapshot {
  parts: string[] = [];

  async save(_name: string, parts: AsyncIterable<string>): Promise<void> {
    this.parts = [];
    for await (const part of parts) this.parts.push(part);
  }
}

const MIB = 2 ** 20;
/** Requests of the console's overview: counts, health and the latest changes. */
const OVERVIEW = [
  ...['identities', 'services', 'service-policies', 'edge-routers', 'api-sessions', 'sessions'].map(
    (path) => `/edge/management/v1/${path}?limit=1`,
  ),
  ...['health', 'changes?limit=12'].map((path) => `/edge/management/extensions/v1/${path}`),
];

const used = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Runs work once, after a collection of garbage (`--expose-gc`). */
const measure = async (work: () => Promise<unknown>, backends: Backends): Promise<Omit<WholeCost, 'growth'>> => {
  globalThis.gc?.();
  const before = used();
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, used())), 20);
  const [databaseMs, started] = [backends.processorMs(), process.cpuUsage()];
  const heldMs = await heldBy(work, 1);
  const { user, system } = process.cpuUsage(started);
  clearInterval(sampling);
  return { ms: (user + system) / 1000 + backends.processorMs() - databaseMs, peakMib: (peak - before) / MIB, heldMs };
};

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

const service = (name: string) => ({ name, encryptionRequired: true, roleAttributes: ['sv-01'] });
const inLines = (...names: readonly string[]): string => names.map((name) => `${JSON.stringify({ services: service(name) })}\n`).join('');
const many = (stem: string): string => inLines(...Array.from({ length: 1000 }, (_, i) => `${stem} ${i}`));

/** The whole is read, compared and written in slices; what a call names or shows is constant. */
export const wholeNetwork = async (
  controller: ManagementController,
  { administrator, backends, snapshot }: { readonly administrator: string; readonly backends: Backends; readonly snapshot: KeptSnapshot },
): Promise<Readonly<Record<string, WholeCost>>> => {
  const { api } = controller;
  const { state, database } = api;
  const access = false;
  const document = (name: string) => ({ services: [service(name)] });
  const folder = mkdtempSync(join(tmpdir(), 'bench-restored-'));
  let lines = '';
  const works: readonly (readonly [string, Growth, () => Promise<unknown>])[] = [
    [
      'overview of the console',
      'constant',
      () => Promise.all(OVERVIEW.map((path) => sendRequest(controller, administrator, { method: 'GET', path }))),
    ],
    [
      'snapshot',
      'linear',
      async () => {
        await database.createSnapshot();
        while ((await database.getSnapshot()).inProgress) await pause();
      },
    ],
    [
      'restore into SQLite',
      'linear',
      () =>
        restoreSnapshot({ storage: sqliteStorage({ file: join(folder, 'restored.db') }), snapshot: snapshot.parts, secretKey: SECRET_KEY }),
    ],
    [
      'integrity check',
      'linear',
      async () => {
        snapshot.parts = [];
        await database.checkIntegrity();
        while ((await database.getIntegrityResults()).inProgress) await pause();
      },
    ],
    ['audit verify', 'linear', () => api.audit.verify()],
    [
      'export in lines',
      'linear',
      async () => {
        const parts: string[] = [];
        for await (const part of (await state.exportLines()).body as AsyncIterable<string>) parts.push(part);
        lines = parts.join('');
      },
    ],
    ['plan of one service, without access', 'constant', () => state.plan({ body: { document: document('one'), access } })],
    ['plan of one service', 'linear', () => state.plan({ body: { document: document('one') } })],
    ['apply of one service', 'constant', () => state.apply({ body: { document: document('one') } })],
    ['apply of 1,000 new services', 'logarithmic', () => state.applyLines({ body: many('some') })],
    ['plan of the whole network, no difference', 'linear', () => state.planLines({ body: lines, access })],
  ];
  const results: Record<string, WholeCost> = {};
  for (const [name, growth, work] of works) {
    try {
      const cost = await measure(work, backends);
      // A restore is a command, whose process serves nothing.
      results[name] = { ...cost, ...(name.startsWith('restore') && { heldMs: 0 }), growth };
    } catch (error) {
      // Above some sizes, operations are refused.
      if (!isApiError(error)) throw error;
      console.error(`${name}: ${error.message}`);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return results;
};
