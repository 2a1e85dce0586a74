/**
 * The registry of tenants: a separate namespace in the same database, so that all processes see the same tenants. A new tenant is registered as due
 * for erasure, and becomes active when it is complete; a removed tenant loses its name and key at once. Another process therefore erases whatever a crashed
 * process leaves behind.
 */
import type { RowOf } from '../api/kit/index.ts';
import { tenant } from '../api/tenants.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../entities/entities.ts';
import { sealText, unsealText } from '../entities/sealed.ts';
import { HOUR } from '../platform/clock.ts';
import type { SecretKeys } from '../platform/secrets.ts';
import { dateField, equals, type Predicate, stringField } from '../query/index.ts';
import { newId } from '../storage/ids.ts';
import type { Store } from '../storage/port.ts';
import { noTenant } from './marker.ts';

/** One of several networks in one database. */
export interface Tenant {
  /** Never reused for another tenant. */
  readonly id: string;
  readonly name: string;
  /** ISO text. */
  readonly createdAt: string;
}

/** A tenant with its secret key. */
export interface KeyedTenant extends Tenant {
  readonly secretKey: string;
}

type TenantRow = RowOf<typeof tenant>;

/** The namespace of the registry; `namespaceOf` gives that of a tenant. */
export const REGISTRY = 'tenants';
export const namespaceOf = (id: string): string => `tenant/${id}`;

/** Time limit for creating a tenant, e.g. from a large snapshot. After that, its creation counts as interrupted. ms */
const CREATION_TIMEOUT = HOUR;

/** A time in the past by the clock of every process: erasure is due at once. */
const LONG_AGO = new Date(0).toISOString();

export interface Registry {
  /** The tenants whose names come after `after`, by name. */
  list(after: string, limit: number): Promise<readonly Tenant[]>;
  find(name: string): Promise<KeyedTenant | undefined>;
  /** Registers a tenant that is being created. @returns its id */
  begin(secretKey: string): Promise<string>;
  /** Activates a tenant. @throws ApiError `COULD_NOT_VALIDATE` if the name is taken; `NOT_FOUND` if its creation exceeded the time limit */
  complete(id: string, name: string): Promise<Tenant>;
  /** Takes name and key from a tenant, and marks it as due for erasure. @returns its id */
  retire(name: string): Promise<string | undefined>;
  /** Does the same for a tenant whose creation failed. */
  abandon(id: string): Promise<void>;
  /** The ids of tenants that are due for erasure: removed, or not completed in time. */
  dueForErasure(): Promise<readonly string[]>;
  /** Removes an erased tenant from the registry. */
  forget(id: string): Promise<void>;
}

export const createRegistry = (store: Store, keys: SecretKeys, context: EntitiesContext): Registry => {
  const reading = <T>(work: (entities: Entities) => Promise<T>): Promise<T> =>
    store.transaction('read', (tx) => work(entitiesOf(tx, context)));
  const writing = <T>(work: (entities: Entities) => Promise<T>): Promise<T> =>
    store.transaction('write', (tx) => work(entitiesOf(tx, context)));
  const now = () => context.stamp();
  const named = (entities: Entities, name: string) => entities.find(tenant, equals(stringField('name'), name));
  const release = (entities: Entities, row: TenantRow) =>
    entities.update(tenant, row, { name: null, sealedKey: null, erasedAfter: LONG_AGO });

  return {
    list: (after, limit) =>
      reading(async (entities) => {
        const sort = [{ field: stringField('name'), descending: false }];
        return (await entities.list(tenant, { where: isNamedAfter(after), sort, limit })).map(tenantOf);
      }),
    find: async (name) => {
      const row = await reading((entities) => named(entities, name));
      return row && { ...tenantOf(row), secretKey: await unsealText(keys, tenant, 'sealedKey', row) };
    },
    begin: async (secretKey) => {
      const id = newId(context.random);
      const sealedKey = await sealText(keys, tenant, 'sealedKey', { id }, secretKey);
      const erasedAfter = new Date(Date.parse(now()) + CREATION_TIMEOUT).toISOString();
      await writing((entities) => entities.insert(tenant, { id, name: null, sealedKey, erasedAfter, quotas: {}, bytes: 0 }));
      return id;
    },
    complete: (id, name) =>
      writing(async (entities) => {
        const row = await entities.get(tenant, id);
        if (!row?.sealedKey) throw noTenant(name);
        return tenantOf(await entities.update(tenant, row, { name, erasedAfter: null }));
      }),
    retire: (name) =>
      writing(async (entities) => {
        const row = await named(entities, name);
        return row && (await release(entities, row)).id;
      }),
    abandon: (id) =>
      writing(async (entities) => {
        const row = await entities.get(tenant, id);
        if (row) await release(entities, row);
      }),
    dueForErasure: () =>
      writing(async (entities) => {
        const rows = await entities.list(tenant, { where: isDue(now()) });
        // From now on none of them can be completed.
        for (const row of rows) if (row.sealedKey) await release(entities, row);
        return rows.map(({ id }) => id);
      }),
    forget: (id) =>
      writing(async (entities) => {
        const row = await entities.get(tenant, id);
        if (row) await entities.remove(tenant, row);
      }),
  };
};

const tenantOf = ({ id, name, createdAt }: TenantRow): Tenant => ({ id, name: name ?? '', createdAt });

/** Matches only tenants that have a name, because null compares greater than no text. */
const isNamedAfter = (name: string): Predicate => ({ op: 'compare', field: stringField('name'), is: '>', value: name });
const isDue = (now: string): Predicate => ({ op: 'compare', field: dateField('erasedAfter'), is: '<=', value: now });

/** Valid as a label of a host name and as a segment of a path, with only one spelling in either. */
const TENANT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** True if a tenant may have this name. */
export const isTenantName = (name: unknown): name is string => typeof name === 'string' && TENANT_NAME.test(name);
