import { checkedOptions } from '../../contract/options.ts';
import type { StorageAdapter } from '../../store/storage/port.ts';
import type { AdministratorOptions } from '../opening/bootstrap.ts';
import { COMMON_OPTIONS, type ControllerOptions } from '../opening/options.ts';
import { checkedQuotas, type Quotas } from './quotas.ts';
import type { Tenant } from './registry.ts';

/** Options of the controller of a tenant. */
export type TenantControllerOptions = Omit<ControllerOptions, 'storage' | 'secretKey' | 'administrator'>;

/**
 * Options of `openOverlays`. They include options of `ManagementController.open`, which apply to the controllers of all tenants. `backups`
 * can only be an option of each, because a store of backups belongs to one network.
 */
export interface OverlaysOptions extends Omit<TenantControllerOptions, 'backups'> {
  /**
   * Returns the storage of a namespace. All namespaces must be in one database, and share its connections. For `sqliteStorage` and
   * `postgresStorage`, pass `(namespace) => storage.within(namespace)`.
   */
  readonly storage: (namespace: string) => StorageAdapter;
  /** The key of the host, under which the keys of the tenants are sealed; otherwise as in `ManagementController.open`. */
  readonly secretKey?: string | readonly string[] | undefined;
  /** Default quotas of tenants. Default: none. */
  readonly quotas?: Quotas | undefined;
  /**
   * Returns options of a single tenant, such as `settings.address`. They override the common options, and each setting is overridden
   * separately.
   */
  readonly each?: ((tenant: Tenant) => Partial<TenantControllerOptions>) | undefined;
  /** Maximum number of open tenants in this process, which is exceeded only if more are in use at the same time. Default: 100. */
  readonly maxOpen?: number | undefined;
  /** Minutes after which an idle tenant is closed. Default: 10. */
  readonly idleMinutes?: number | undefined;
}

/** Options of `Overlays.create`. */
export interface CreateTenantOptions {
  /** 1 to 63 characters of `a-z`, `0-9` and `-`, neither beginning nor ending with `-`. */
  readonly name: string;
  /** The first administrator. */
  readonly administrator?: AdministratorOptions | undefined;
  /** Quotas of this tenant, which override the default quotas. Default: none. */
  readonly quotas?: Quotas | undefined;
  /** Initial data, copied from another network, which is not affected. */
  readonly from?: TenantSource | undefined;
}

/** A network to copy: the result of an export, or the snapshot of a controller with its secret key. */
export interface TenantSource {
  /** The parts of a snapshot, in order, as `restoreSnapshot` takes them. */
  readonly snapshot: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
  /** The key under which the secrets in the snapshot are sealed. */
  readonly secretKey: string;
  /**
   * False to keep the API sessions, their tokens and the API tokens of the other network, for one that moves and does not remain. Otherwise
   * what is revoked there later would remain valid in the copy. Default: true.
   */
  readonly endCredentials?: boolean | undefined;
}

/** The options of `openOverlays`, validated and with defaults. */
export interface CheckedOverlays extends Required<Pick<OverlaysOptions, 'storage'>> {
  readonly secretKey: string | readonly string[] | undefined;
  readonly quotas: Quotas;
  readonly maxOpen: number;
  readonly idleMinutes: number;
  optionsOf(tenant: Tenant): TenantControllerOptions;
}

/** @throws TypeError for an unknown option, and for limits and quotas out of range */
export const checkedOverlays = (options: OverlaysOptions): CheckedOverlays => {
  const {
    storage,
    secretKey,
    quotas = {},
    each = () => ({}),
    maxOpen = 100,
    idleMinutes = 10,
    ...common
  } = checkedOptions('openOverlays', options, OPTIONS);
  if (typeof storage !== 'function')
    throw new TypeError('openOverlays takes storage as a function: (namespace) => storage.within(namespace)');
  if (!(maxOpen >= 1)) throw new TypeError(`maxOpen must be 1 or more, got ${maxOpen}`);
  if (!(idleMinutes > 0)) throw new TypeError(`idleMinutes must be more than 0, got ${idleMinutes}`);
  checkedQuotas("the option 'quotas' of openOverlays", quotas);
  const optionsOf = (tenant: Tenant): TenantControllerOptions => {
    const own: Partial<TenantControllerOptions> = each(tenant);
    return { ...common, ...own, settings: { ...common.settings, ...own.settings } };
  };
  return { storage, secretKey, quotas, maxOpen, idleMinutes, optionsOf };
};

const OPTIONS = {
  storage: true,
  secretKey: true,
  quotas: true,
  each: true,
  maxOpen: true,
  idleMinutes: true,
  ...COMMON_OPTIONS,
} as const;
