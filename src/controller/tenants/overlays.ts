import { createStoreErrors } from '../../call/store-errors.ts';
import { checkedOptions } from '../../contract/options.ts';
import { type Resealed, type ResealOptions, reseal } from '../../operations/restore/reseal.ts';
import { every, HOUR, MINUTE } from '../../runtime/platform/clock.ts';
import { adaptLogger } from '../../runtime/platform/logger.ts';
import type { Platform, SnapshotSink } from '../../runtime/platform/platform.ts';
import { webPlatform } from '../../runtime/platform/web.ts';
import { createStamps } from '../../store/entities/stamps.ts';
import { storageSchema } from '../../store/storage/schema.ts';
import type { ManagementController } from '../controller.ts';
import { controllerWith } from '../controller-inside.ts';
import { checkSecretKey, secretsOf } from '../opening/secret-key.ts';
import { type CreatedTenant, tenantCreator } from './creation.ts';
import { type ChooseTenant, createTenantHandling, type TenantHandling, type TenantHandlingOptions } from './handling.ts';
import { noTenant } from './marker.ts';
import { createOpenedTenants } from './opened.ts';
import { type CreateTenantOptions, checkedOverlays, type OverlaysOptions } from './options.ts';
import type { Quotas } from './quotas.ts';
import { createRegistry, type KeyedTenant, REGISTRY, type Tenant } from './registry.ts';
import { createSpaces, type TenantExport, type TenantUsage } from './spaces.ts';

/** The networks of a database. Each one is a tenant: its names, ids, sessions and keys are isolated from those of the others. */
export interface Overlays {
  /**
   * Creates a network, either completely or not at all: if the call rejects or the process ends first, the partial data is deleted.
   * @throws ApiError `COULD_NOT_VALIDATE` if the name is taken or invalid, `QUOTA_EXCEEDED` if the data of `from`, counting all rows,
   * exceeds the quotas; SnapshotRefused if this version would not have written some line of the snapshot, or cannot unseal a secret with
   * the key of `from`; TypeError; errors of `ManagementController.open`
   */
  create(options: CreateTenantOptions): Promise<CreatedTenant>;
  /** A page of the tenants, in order of name. */
  list(page?: TenantPage): Promise<readonly Tenant[]>;
  /** The tenant with this name; undefined if it does not exist. */
  find(name: string): Promise<Tenant | undefined>;
  /**
   * Opens the controller of a tenant. It stays open until its `close` is called or the tenant is erased.
   * @throws ApiError `NOT_FOUND`; errors of `ManagementController.open`
   */
  open(name: string): Promise<ManagementController>;
  /**
   * Keeps the controller of a tenant open while `work` runs.
   *
   * ```ts
   * const { data } = await overlays.use('acme', (controller) => controller.api.identities.list());
   * ```
   * @throws as `open`; errors of the work
   */
  use<T>(name: string, work: (controller: ManagementController) => Promise<T>): Promise<T>;
  /**
   * A handler that every HTTP adapter accepts in place of a controller. A function of the host chooses the tenant of each request. A
   * request without a tenant, or for an erased one, is answered with 404.
   *
   * ```ts
   * const handler = nodeHandler(overlays.handling(({ hostname }) => hostname.split('.')[0]));
   * ```
   */
  handling(choose: ChooseTenant, options?: TenantHandlingOptions): TenantHandling;
  /** @throws ApiError `NOT_FOUND` */
  usage(name: string): Promise<TenantUsage>;
  /**
   * Replaces the quotas of a tenant. The new quotas apply from the next transaction on, in all processes. Existing data is kept, even
   * beyond them.
   * @throws ApiError `NOT_FOUND`; TypeError
   */
  setQuotas(name: string, quotas: Quotas): Promise<TenantUsage>;
  /**
   * Writes a snapshot of a tenant, which remains usable. With the snapshot and the returned key, `create({ from })` copies the network, in
   * this or another database.
   * @throws ApiError `NOT_FOUND`; errors of the sink
   */
  export(name: string, sink: SnapshotSink): Promise<TenantExport>;
  /**
   * Erases a tenant. First, atomically, its name is freed, its sessions end in all processes, and its key is deleted; then its rows are
   * deleted, page by page. If the deletion is interrupted, `openOverlays` resumes it.
   * @returns whether the tenant existed
   * @throws StoreSchemaMismatch if a newer release has migrated the database; its processes delete the remaining rows
   */
  erase(name: string): Promise<boolean>;
  /**
   * Deletes data left behind by processes that crashed while creating or erasing a tenant. Runs automatically in `openOverlays` and then
   * once an hour, so call it only if your processes do not live that long. Never rejects: failures are logged, and the next run retries.
   */
  tidy(): Promise<void>;
  /** Replaces the key of the host permanently, as `controller.reseal` does. The keys of the tenants do not change. */
  reseal(options?: ResealOptions): Promise<Resealed>;
  /** The number of tenants that are open in this process. */
  readonly opened: OpenedCount;
  /** Closes all tenants. Close servers first. */
  close(): Promise<void>;
}

/** Selects a page of tenants. */
export interface TenantPage {
  /** The name after which the page starts. Default: starts with the first tenant. */
  readonly after?: string | undefined;
  /** Maximum number of tenants, 1 to 1000. Default: 100. */
  readonly limit?: number | undefined;
}

/** The number of tenants open in a process. */
export interface OpenedCount {
  readonly open: number;
  /** Number of those in use, which cannot be evicted. */
  readonly inUse: number;
}

/**
 * Opens the networks of a database. Several processes may do so concurrently.
 *
 * ```ts
 * const storage = sqliteStorage({ file: 'overlays.db' });
 * const overlays = await openOverlays({ storage: (namespace) => storage.within(namespace), secretKey });
 * const { firstAdministrator } = await overlays.create({ name: 'acme' });
 * ```
 * @throws TypeError for unknown or invalid options, or if the secret key is not that of the database; errors of storage adapters
 */
export const openOverlays = async (options: OverlaysOptions): Promise<Overlays> => {
  const checked = checkedOverlays(options);
  const given = options.platform ?? webPlatform();
  const { clock, random, passwords, outbound } = given;
  const platform: Platform = { clock, random, passwords, outbound, logger: adaptLogger(given.logger) };
  const { logger } = platform;
  const adapter = checked.storage(REGISTRY);
  const keys = await secretsOf(checked.secretKey, adapter, random);
  const store = await adapter.open(storageSchema);
  const context = { actor: 'system', requestId: 'tenants', random, stamp: createStamps(clock), ...LOG, keys };
  try {
    await checkSecretKey(store, keys, context);
  } catch (error) {
    await store.close();
    throw error;
  }
  const registry = createRegistry(store, keys, context);
  const spaces = createSpaces(checked, platform);
  const opened = createOpenedTenants({ find: (name) => registry.find(name), open: spaces.open }, platform, {
    maxOpen: checked.maxOpen,
    idleMs: checked.idleMinutes * MINUTE,
  });
  const closing = new AbortController();
  const { signal } = closing;
  const eraseRemains = async (id: string): Promise<void> => {
    await spaces.purge(id, signal);
    await registry.forget(id);
  };
  /** Deletes the data left behind by interrupted creations and erasures. */
  const eraseInterrupted = async (): Promise<void> => {
    try {
      for (const id of await registry.prepareErasure()) await eraseRemains(id);
    } catch (error) {
      if (!signal.aborted) logger.warn('could not delete the data of erased tenants; retrying within an hour', { error });
    }
  };
  let tidying = eraseInterrupted();
  const tidy = (): Promise<void> => {
    tidying = tidying.then(eraseInterrupted);
    return tidying;
  };
  const stop = every(clock, HOUR, tidy);
  const required = async (name: string): Promise<KeyedTenant> => {
    const found = await registry.find(name);
    if (!found) throw noTenant(name);
    return found;
  };
  const storeErrors = createStoreErrors(platform);

  return {
    create: tenantCreator({ registry, spaces, platform, eraseRemains }),
    list: async (page = {}) => {
      const { after = '', limit = 100 } = checkedOptions('overlays.list', page, { after: true, limit: true });
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1000)) throw new TypeError(`limit must be 1 to 1000, got ${limit}`);
      return registry.list(after, limit);
    },
    find: async (name) => {
      const found = await registry.find(name);
      return found && { id: found.id, name: found.name, createdAt: found.createdAt };
    },
    open: async (name) => {
      const { controller, release } = await opened.acquire(name);
      return controllerWith(controller, { close: async () => release() });
    },
    use: async (name, work) => {
      const { controller, release } = await opened.acquire(name);
      try {
        return await work(controller);
      } finally {
        release();
      }
    },
    handling: (choose, handlingOptions) => createTenantHandling({ opened, storeErrors, logger }, choose, handlingOptions),
    usage: async (name) => spaces.usage(await required(name)),
    setQuotas: async (name, quotas) => spaces.setQuotas(await required(name), quotas),
    export: async (name, sink) => spaces.export(await required(name), sink),
    erase: async (name) => {
      const id = await registry.retire(name);
      if (id === undefined) return false;
      const dropped = opened.drop(id);
      await eraseRemains(id).finally(() => dropped);
      return true;
    },
    tidy,
    reseal: (resealOptions = {}) => reseal(store, keys, context, signal, checkedOptions('reseal', resealOptions, { secretKey: true })),
    get opened() {
      return opened.count;
    },
    close: async () => {
      stop();
      closing.abort(new Error('the tenants were closed'));
      await opened.close();
      await tidying;
      await store.close();
    },
  };
};

/** Limits of the registry's change log, which records only changes of the stored secret key. */
const LOG = { changesKept: 1000, changeBytesKept: 1_000_000 } as const;
