import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'node:test';
import { type PostgresStorage, postgresStorage, sqliteStorage } from '../../adapters/storage/kysely/index.ts';
import { memoryDatabase, memoryStorage } from '../../adapters/storage/memory/index.ts';
import {
  type CreateTenantOptions,
  type Overlays,
  type OverlaysOptions,
  openOverlays,
  type TenantHandling,
} from '../../src/controller/tenants/index.ts';
import type { CoreAnswer } from '../../src/http/message.ts';
import { ALL } from '../../src/query/index.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import type { StorageAdapter, Store } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { ADMIN, type Answer, type App, SECRET_KEY } from './app.ts';
import { beginning } from './beginnings.ts';
import { frozenClock, type TestClock } from './clock.ts';
import { ON_A_BUSY_MACHINE, stores } from './stores.ts';

/** A database that several processes hold tenants in. */
export interface TenantDatabase extends AsyncDisposable {
  /** As another process would reach it. */
  storage(): (namespace: string) => StorageAdapter;
  /** As a process of a host reaches it, which has transactions of its own in it. */
  hosted(): {
    readonly storage: (namespace: string) => StorageAdapter;
    /** Commits when `work` resolves, and rolls back when it rejects. */
    transaction(work: (host: unknown) => Promise<void>): Promise<void>;
  };
  /** What there is in the namespace of a tenant: rows of all tables, and its revision. */
  leftOf(id: string): Promise<number>;
}

type NewDatabase = () => TenantDatabase;

const databases: Readonly<Record<string, NewDatabase>> = {
  memory: () => {
    const database = memoryDatabase();
    const storage = (namespace: string) => memoryStorage({ database, namespace });
    const transaction = async (work: (host: unknown) => Promise<void>) => {
      const host = await database.begin();
      await work(host).then(
        () => host.commit(),
        (error: unknown) => {
          host.rollback();
          throw error;
        },
      );
    };
    return {
      storage: () => storage,
      hosted: () => ({ storage, transaction }),
      leftOf: (id) => countedIn(storage(`tenant/${id}`)),
      async [Symbol.asyncDispose]() {},
    };
  },
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenants-'));
    const file = join(folder, 'overlays.db');
    return {
      storage: () => {
        const storage = sqliteStorage({ file, synchronous: 'NORMAL' });
        return (namespace) => storage.within(namespace);
      },
      hosted: () => {
        const storage = sqliteStorage({ file, synchronous: 'NORMAL' });
        return {
          storage: (namespace) => storage.within(namespace),
          transaction: (work) => storage.db.transaction().execute(work),
        };
      },
      leftOf: async (id) => rowsIn(file, `tenant/${id}`) + (await countedIn(sqliteStorage({ file, namespace: `tenant/${id}` }))),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
    };
  },
  postgres: () => {
    const prefix = `${randomUUID()}/`;
    const storage = (namespace: string) => postgres().within(`${prefix}${namespace}`);
    const transaction = (work: (host: unknown) => Promise<void>) => postgres().db.transaction().execute(work);
    const hosted = () => ({ storage, transaction });
    return { storage: () => storage, hosted, leftOf: (id) => countedIn(storage(`tenant/${id}`)), async [Symbol.asyncDispose]() {} };
  },
};

let shared: PostgresStorage | undefined;
const postgres = (): PostgresStorage =>
  (shared ??= postgresStorage({ connectionString: process.env.POSTGRES_URL ?? '', lockTimeout: ON_A_BUSY_MACHINE }));

export const newTenantDatabase = (store: string): TenantDatabase => (databases[store] ?? (() => assert.fail(`no store '${store}'`)))();

/** A suite for every store, with databases of its own. */
export const onEveryTenantStore = (name: string, suite: (newDatabase: NewDatabase) => void): void => {
  for (const store of stores) describe(`${name} (${store})`, () => suite(() => newTenantDatabase(store)));
};

const countedIn = async (storage: StorageAdapter): Promise<number> => {
  const store = await storage.open(storageSchema);
  const count = await store.transaction('read', async (tx) => {
    let sum = await tx.revision();
    for (const { kind } of storageSchema) sum += await tx.count(kind, ALL);
    return sum;
  });
  await store.close();
  return count;
};

/** Of every table with a namespace, and documents that no row has. */
const rowsIn = (file: string, namespace: string): number => {
  using database = new DatabaseSync(file, { readOnly: true });
  const countOf = (table: string, ...[where, ...parameters]: readonly [string, ...string[]]) =>
    Number(database.prepare(`select count(*) as value from "${table}" where ${where}`).get(...parameters)?.value);
  return database
    .prepare("select name from sqlite_schema where type = 'table'")
    .all()
    .map(({ name }) => {
      const table = String(name);
      const columns = database.prepare('select name from pragma_table_info(?)').all(table);
      if (columns.some((column) => column.name === 'ns')) return countOf(table, 'ns = ?', namespace);
      return table.endsWith('__document') ? countOf(table, `id not in (select document from "${table.slice(0, -10)}")`) : 0;
    })
    .reduce((sum, count) => sum + count, 0);
};

/** Tenants with a clock that stands still. */
export interface TenantsApp extends AsyncDisposable {
  readonly overlays: Overlays;
  readonly clock: TestClock;
  readonly log: readonly string[];
}

export const openTenants = async (
  database: TenantDatabase,
  { clock = frozenClock(), ...options }: Partial<OverlaysOptions> & { readonly clock?: TestClock } = {},
): Promise<TenantsApp> => {
  const log: string[] = [];
  const note = (...line: unknown[]) => void log.push(line.map(String).join(' '));
  const overlays = await openOverlays({
    storage: database.storage(),
    secretKey: SECRET_KEY,
    platform: webPlatform({ clock, passwords: fastPasswordHasher(), logger: { error: note, warn: note, info: note } }),
    each: ({ name }) => ({ settings: { address: `https://${name}.example.com` } }),
    ...options,
  });
  return { overlays, clock, log, [Symbol.asyncDispose]: () => overlays.close() };
};

class ProcessLost extends Error {}
export const isLost = (error: unknown): boolean => error instanceof ProcessLost;

/** Tenants in a process that is lost after so many writes: nothing that it does from then on reaches the database. */
export const openLost = async (
  database: TenantDatabase,
  options: Parameters<typeof openTenants>[1],
  writes: number,
  opens: (namespace: string) => void = () => undefined,
): Promise<TenantsApp> => {
  const storage = database.storage();
  let left = Number.POSITIVE_INFINITY;
  const app = await openTenants(database, {
    ...options,
    storage: (namespace) => {
      opens(namespace);
      const adapter = storage(namespace);
      const open: StorageAdapter['open'] = async (schema) => {
        const store = await adapter.open(schema);
        const transaction: Store['transaction'] = async (mode, work, how) => {
          if (left <= 0) throw new ProcessLost();
          const result = await store.transaction(mode, work, how);
          if (mode === 'write') left--;
          return result;
        };
        return { transaction, join: (host) => store.join(host), check: async () => store.check?.(), close: () => store.close() };
      };
      return { open, ...(adapter.secretKey === undefined ? {} : { secretKey: adapter.secretKey }) };
    },
  });
  await app.overlays.tidy();
  left = writes;
  return app;
};

/** The tenant whose name is the first label of the host's. */
export const byHost = (overlays: Overlays): TenantHandling => overlays.handling(({ hostname }) => hostname.split('.')[0]);

/** A tenant as a client reaches it: what helpers use of an `App`. */
export type TenantClient = Pick<App, 'request' | 'create' | 'admin'>;

/** Requests to the host of a tenant, whether there is one or not. @param admin the session token of those that name none */
export const clientOf = (handling: TenantHandling, name: string, admin: string | null = null): TenantClient => {
  const request: App['request'] = async (method, path, { body, raw, headers = {}, as = admin, certificates, signal } = {}) => {
    const payload = raw ?? (body === undefined ? '' : JSON.stringify(body));
    const all: Record<string, string> = {
      ...(as ? { 'zt-session': as } : {}),
      ...(payload === '' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const message = {
      method,
      target: /^\/(edge|oidc)(\/|$)/.test(path) ? path : `${MANAGEMENT}${path}`,
      host: `${name}.example.com`,
      header: (header: string) => all[header],
      body: async () => (typeof payload === 'string' ? new TextEncoder().encode(payload) : payload),
      remoteAddress: '127.0.0.1',
      ...(signal ? { signal } : {}),
      ...(certificates ? { peerCertificates: certificates } : {}),
    };
    const answer = await beginning(() => handling.handle(message));
    const text = await textOf(answer);
    return { status: answer.status, headers: answer.headers as Answer['headers'], text, body: jsonIn(text) }; // no list among them here
  };
  return {
    request,
    admin: admin ?? '',
    create: async (collection, body) => {
      const { status, body: answer, text } = await request('POST', collection, { body });
      assert.equal(status, 201, `POST ${collection}: ${text}`);
      return answer.data.id;
    },
  };
};

export const MANAGEMENT = '/edge/management/v1';

/** A new tenant, and its administrator. */
export const newTenant = async (overlays: Overlays, name: string, options: Partial<CreateTenantOptions> = {}): Promise<TenantClient> => {
  await beginning(() => overlays.create({ name, administrator: ADMIN, ...options }));
  return administratorOf(byHost(overlays), name);
};

/** The administrator of a tenant, with a session. */
export const administratorOf = async (handling: TenantHandling, name: string): Promise<TenantClient> => {
  const { status, body, text } = await clientOf(handling, name).request('POST', '/authenticate?method=password', { body: ADMIN });
  assert.equal(status, 200, `login at ${name}: ${text}`);
  return clientOf(handling, name, body.data.token);
};

const textOf = async ({ body }: CoreAnswer): Promise<string> => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = '';
  for await (const part of body) text += new TextDecoder().decode(part);
  return text;
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A snapshot of a tenant, without what differs from one to the next: as the rows of all kinds. */
export const exported = async (overlays: Overlays, name: string) => {
  let snapshot = '';
  const { secretKey } = await overlays.export(name, {
    save: async (_, parts) => {
      for await (const part of parts) snapshot += part;
    },
  });
  return { snapshot, secretKey, rows: snapshot.split('\n').slice(1, -2) };
};
