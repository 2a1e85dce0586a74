/** The tenants that are open in this process. They are opened on first use, and closed when idle. */

import { ApiError, unavailable } from '../../contract/errors/index.ts';
import type { Handle } from '../../http/handler.ts';
import type { CoreAnswer, CoreRequest } from '../../http/message.ts';
import { every } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRequestRate } from '../../runtime/platform/request-rate.ts';
import type { ManagementController } from '../controller.ts';
import { controllerWith } from '../controller-inside.ts';
import { noTenant } from './marker.ts';
import type { Quotas } from './quotas.ts';
import type { KeyedTenant } from './registry.ts';
import type { TenantWatch } from './spaces.ts';

/** The error response to a request that does not reach a controller. Its request id comes from the host or the client. */
export const errorAnswer = (error: ApiError, request: CoreRequest): CoreAnswer =>
  error.toAnswer({ requestId: request.requestId ?? request.header('x-request-id') });

/** A tenant in use. It stays open until it is released. */
export interface TenantInUse {
  readonly tenant: KeyedTenant;
  readonly controller: ManagementController;
  /** True if the tenant was erased after it was opened. */
  readonly isErased: boolean;
  release(): void;
}

export interface OpenedTenants {
  /** @throws ApiError `NOT_FOUND` if no tenant has that name; errors of `ManagementController.open` */
  acquire(name: string): Promise<TenantInUse>;
  /** Closes an erased tenant. Calls in progress are rejected. */
  drop(id: string): Promise<void>;
  /** The number of open tenants, and how many of these are in use. */
  readonly count: { readonly open: number; readonly inUse: number };
  close(): Promise<void>;
}

/** Finds and opens tenants. */
export interface TenantOpener {
  find(name: string): Promise<KeyedTenant | undefined>;
  open(tenant: KeyedTenant, watched: TenantWatch): Promise<ManagementController>;
}

export interface OpenedLimits {
  readonly maxOpen: number;
  readonly idleMs: number;
}

interface Entry {
  readonly tenant: KeyedTenant;
  readonly controller: Promise<ManagementController>;
  users: number;
  usedAt: number;
  isErased: boolean;
}

export const createOpenedTenants = (
  { find, open }: TenantOpener,
  { clock, logger }: Pick<Platform, 'clock' | 'logger'>,
  { maxOpen, idleMs }: OpenedLimits,
): OpenedTenants => {
  /** Open tenants by name, least recently used first. */
  const entries = new Map<string, Entry>();
  const opening = new Map<string, Promise<Entry>>();
  const closing = new Set<Promise<void>>();
  let isClosed = false;

  const remove = (entry: Entry): Promise<void> => {
    const { name, id } = entry.tenant;
    if (entries.get(name) === entry) entries.delete(name);
    const logFailure = (error: unknown) => logger.warn('could not close the controller of a tenant', { tenant: id, error });
    const closed = entry.controller
      // If opening failed, the caller that opened the tenant has already received the error.
      .then((controller) => controller.close().catch(logFailure), ignore)
      .finally(() => closing.delete(closed));
    closing.add(closed);
    return closed;
  };
  const markErased = (entry: Entry): void => {
    if (entry.isErased) return;
    entry.isErased = true;
    void remove(entry);
  };
  const evictIdle = (): void => {
    const idle = [...entries.values()].filter(({ users }) => users === 0);
    const since = clock.now() - idleMs;
    const surplus = entries.size - maxOpen;
    for (const [i, entry] of idle.entries()) if (i < surplus || entry.usedAt <= since) void remove(entry);
  };
  const stop = every(clock, Math.max(1, idleMs / 2), async () => evictIdle());

  const newEntry = (tenant: KeyedTenant): Entry => {
    let quotas: Quotas = {};
    const rate = createRequestRate(clock);
    const watched: TenantWatch = {
      get isErased() {
        return entry.isErased;
      },
      onQuotas: (current) => {
        quotas = current;
      },
      onErased: () => {
        markErased(entry);
        return noTenant(tenant.name);
      },
    };
    const entry: Entry = {
      tenant,
      controller: open(tenant, watched).then((controller) => rateLimited(controller, () => rate.take(quotas.requestsPerMinute))),
      users: 0,
      usedAt: clock.now(),
      isErased: false,
    };
    return entry;
  };
  const openByName = async (name: string): Promise<Entry> => {
    const tenant = await find(name);
    if (!tenant) throw noTenant(name);
    const entry = newEntry(tenant);
    await entry.controller;
    if (entry.isErased) throw noTenant(name);
    entries.set(name, entry);
    return entry;
  };
  const entryOf = (name: string): Entry | Promise<Entry> => {
    const known = entries.get(name) ?? opening.get(name);
    if (known) return known;
    const pending = openByName(name).finally(() => opening.delete(name));
    opening.set(name, pending);
    return pending;
  };

  const openEntry = async (name: string): Promise<Entry> => {
    if (isClosed) throw unavailable('the tenants are closed');
    return entryOf(name);
  };

  return {
    acquire: async (name) => {
      let entry = await openEntry(name);
      // While this call waited, the tenant may have been evicted.
      while (entries.get(name) !== entry) entry = await openEntry(name);
      entry.users++;
      // Moves the entry to the end, as the most recently used one.
      if (entries.delete(name)) entries.set(name, entry);
      evictIdle();
      const controller = await entry.controller;
      let isReleased = false;
      return {
        tenant: entry.tenant,
        controller,
        get isErased() {
          return entry.isErased;
        },
        release: () => {
          if (isReleased) return;
          isReleased = true;
          entry.users--;
          entry.usedAt = clock.now();
          evictIdle();
        },
      };
    },
    drop: async (id) => {
      for (const entry of [...entries.values()].filter(({ tenant }) => tenant.id === id)) markErased(entry);
      await Promise.all(closing);
    },
    get count() {
      return { open: entries.size, inUse: [...entries.values()].filter(({ users }) => users > 0).length };
    },
    close: async () => {
      isClosed = true;
      stop();
      await Promise.allSettled(opening.values());
      for (const entry of [...entries.values()]) void remove(entry);
      await Promise.all(closing);
    },
  };
};

/**
 * Applies the quota `requestsPerMinute` to the HTTP requests of a controller.
 * @param take see `RequestRate`
 */
const rateLimited = (controller: ManagementController, take: () => number): ManagementController => {
  const limited =
    (handle: Handle): Handle =>
    async (request) => {
      const retryAfter = take();
      if (retryAfter === 0) return handle(request);
      return errorAnswer(new ApiError('RATE_LIMITED', { retryAfter }), request);
    };
  return controllerWith(controller, {
    handle: limited(controller.handle),
    only: (...selection) => {
      const { handle, logger } = controller.only(...selection);
      return { handle: limited(handle), logger };
    },
  });
};

const ignore = (): void => undefined;
