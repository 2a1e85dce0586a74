/** The namespaces of tenants: their stores, and the controllers on them. */
import { kinds } from '../../contract/api/kinds.ts';
import { ALL } from '../../query/index.ts';
import type { Platform, SnapshotSink } from '../../runtime/platform/platform.ts';
import { StoreSchemaMismatch } from '../../store/storage/errors.ts';
import type { StorageAdapter, Store, Transaction, TransactionMode } from '../../store/storage/port.ts';
import { storageSchema } from '../../store/storage/schema.ts';
import { saveSnapshot, type TakenSnapshot } from '../../store/storage/snapshot/take.ts';
import { ManagementController } from '../controller.ts';
import { changeMarker, deleteMarker, insertMarker, type Marker, markerIn, noTenant } from './marker.ts';
import type { CheckedOverlays } from './options.ts';
import { checkedQuotas, mergedQuotas, type Quotas } from './quotas.ts';
import { type KeyedTenant, namespaceOf, type Tenant } from './registry.ts';
import { quotasIn, TenantTransaction, type Watched } from './tenant-transaction.ts';

/** Number of rows deleted per transaction, so that other writers can run in between. */
const BATCH = 100;

/**
 * Deletes everything in a namespace, in bounded steps. The marker comes first, because without it no controller of any process reads or
 * writes there. Idempotent: it may be interrupted and restarted at any point, and run concurrently.
 * @param signal stops the deletion between two steps
 * @throws StoreSchemaMismatch if a newer release has migrated the database, because this one does not know all of its tables
 */
const purge = async (store: Store, signal: AbortSignal): Promise<void> => {
  await store.transaction('write', deleteMarker);
  if ((await store.check?.())?.isAhead)
    throw new StoreSchemaMismatch(
      'a newer release has migrated the database: the next process of that release erases the remaining data of the tenant',
    );
  for (const { kind } of storageSchema) {
    do signal.throwIfAborted();
    while (await deleteBatch(store, kind));
  }
  await store.transaction('write', (tx) => tx.forget());
};

/** @returns whether rows may remain */
const deleteBatch = async (store: Store, kind: string): Promise<boolean> => {
  const rows = await store.transaction('read', (tx) => tx.list(kind, { where: ALL, limit: BATCH }));
  if (rows.length === 0) return false;
  await store.transaction('write', async (tx) => {
    for (const { id } of rows) await tx.delete(kind, id);
  });
  return rows.length === BATCH;
};

/** The usage and the quotas of a tenant. */
export interface TenantUsage {
  readonly identities: number;
  readonly services: number;
  /** Total size of the entities in bytes as JSON, as for the quota. */
  readonly storageBytes: number;
  /** The effective quotas: those of the tenant, completed with the defaults. */
  readonly quotas: Quotas;
}

/** An export of a tenant. */
export interface TenantExport extends TakenSnapshot {
  /** The key that unseals the secrets in the snapshot. Store it separately from the snapshot. */
  readonly secretKey: string;
}

/** Observes the quotas and the erasure of a tenant. */
export type TenantWatch = Omit<Watched, 'defaults'>;

export interface TenantSpaces {
  /** Initializes the namespace of a new tenant. */
  prepare(id: string, quotas: Quotas): Promise<void>;
  /** The storage adapter for the controllers of a tenant. */
  storageOf(id: string, watched: TenantWatch): StorageAdapter;
  /** @param extraOptions for opening a new tenant */
  open(tenant: KeyedTenant, watched: TenantWatch, extraOptions?: ExtraOptions): Promise<ManagementController>;
  usage(tenant: Tenant): Promise<TenantUsage>;
  setQuotas(tenant: Tenant, quotas: Quotas): Promise<TenantUsage>;
  export(tenant: KeyedTenant, sink: SnapshotSink): Promise<TenantExport>;
  purge(id: string, signal: AbortSignal): Promise<void>;
}

type ControllerOptions = Parameters<typeof ManagementController.open>[0];
type ExtraOptions = Pick<ControllerOptions, 'administrator' | 'secretKey'>;

export const createSpaces = ({ storage, quotas: defaults, optionsOf }: CheckedOverlays, platform: Platform): TenantSpaces => {
  const withStore = async <T>(id: string, work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await storage(namespaceOf(id)).open(storageSchema);
    return work(store).finally(() => store.close());
  };
  const storageOf: TenantSpaces['storageOf'] = (id, watched) =>
    tenantStorage(storage(namespaceOf(id)), {
      defaults,
      get isErased() {
        return watched.isErased;
      },
      isImport: watched.isImport ?? false,
      onQuotas: watched.onQuotas,
      onErased: watched.onErased,
    });
  const usageIn = async (tx: Transaction, { name }: Tenant, marker: Marker | undefined): Promise<TenantUsage> => {
    if (!marker) throw noTenant(name);
    return {
      identities: await tx.count(kinds.identity.kind, ALL),
      services: await tx.count(kinds.service.kind, ALL),
      storageBytes: marker.bytes,
      quotas: mergedQuotas(defaults, marker.quotas),
    };
  };

  return {
    prepare: (id, quotas) =>
      withStore(id, (store) => store.transaction('write', (tx) => insertMarker(tx, new Date(platform.clock.now()).toISOString(), quotas))),
    storageOf,
    open: ({ id, name, createdAt, secretKey }, watched, extraOptions = {}) =>
      ManagementController.open({
        ...optionsOf({ id, name, createdAt }),
        platform,
        secretKey,
        ...extraOptions,
        storage: storageOf(id, watched),
      }),
    usage: (tenant) => withStore(tenant.id, (store) => store.transaction('read', async (tx) => usageIn(tx, tenant, await markerIn(tx)))),
    setQuotas: async (tenant, given) => {
      const quotas = checkedQuotas('overlays.setQuotas', given);
      return withStore(tenant.id, (store) =>
        store.transaction('write', async (tx) => usageIn(tx, tenant, await changeMarker(tx, () => ({ quotas })))),
      );
    },
    export: ({ id, name, secretKey }, sink) =>
      withStore(id, (store) =>
        store.transaction('read', async (tx) => {
          if (!(await markerIn(tx))) throw noTenant(name);
          return { ...(await saveSnapshot(store, tx, sink, platform)), secretKey };
        }),
      ),
    purge: (id, signal) => withStore(id, (store) => purge(store, signal)),
  };
};

/**
 * Wraps the storage of a tenant: each transaction first checks that the tenant still exists, and write transactions enforce its quotas. An
 * erasure or a change of quotas by another process therefore takes effect in the next transaction.
 */
const tenantStorage = (storage: StorageAdapter, watched: Watched): StorageAdapter => ({
  open: async (schema) => tenantStore(await storage.open(schema), watched),
});

const tenantStore = (store: Store, watched: Watched): Store => ({
  transaction: async (mode, work, options) => {
    try {
      if (!watched.isErased) return await store.transaction(mode, (tx) => runInTenant(tx, mode, work, watched), options);
    } catch (error) {
      // The tenant may have been erased, and its store closed, during the transaction.
      if (!watched.isErased) throw error;
    }
    throw watched.onErased();
  },
  join: (host) => {
    if (watched.isErased) throw watched.onErased();
    return new TenantTransaction(store.join(host), watched, true);
  },
  ...(store.kinds && { kinds: store.kinds }),
  check: async () => store.check?.(),
  close: () => store.close(),
});

const runInTenant = async <T>(
  tx: Transaction,
  mode: TransactionMode,
  work: (tx: Transaction) => Promise<T>,
  watched: Watched,
): Promise<T> => {
  if (mode === 'read') {
    await quotasIn(tx, watched);
    return work(tx);
  }
  const tenantTx = new TenantTransaction(tx, watched, false);
  await tenantTx.ready();
  const result = await work(tenantTx);
  await tenantTx.beforeCommit();
  return result;
};
