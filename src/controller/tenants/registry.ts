/**
 * The registry of tenants is a separate namespace in the same database, so that all processes see the same tenants. A new tenant is
 * registered as due for erasure after a time limit, and activated when it is complete. A removed tenant immediately loses its name and key,
 * and becomes due for erasure. So other processes can clean up after a process that crashed.
 */
import type { RowOf } from '../../contract/api/kit/index.ts';
import { tenant } from '../../contract/api/tenants.ts';
import { dateField, equals, type Predicate, stringField } from '../../query/index.ts';
import { HOUR } from '../../runtime/platform/clock.ts';
import type { SecretKeys } from '../../runtime/platform/secrets.ts';
import { type Entities, type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import { sealText, unsealText } from '../../store/entities/sealed.ts';
import { newId } from '../../store/storage/ids.ts';
import type { Store } from '../../store/storage/port.ts';
import { noTenant } from './marker.ts';

/** One of several networks in one database. */
export interface Tenant {
  /** Unique; never reused for another tenant. */
  readonly id: string;
  readonly name: string;
  /** Time of creation, as ISO text. */
  readonly createdAt: string;
}

/** A tenant with its secret key. */
export interface KeyedTenant extends Tenant {
  readonly secretKey: string;
}

type TenantRow = RowOf<typeof tenant>;

/** The namespace of the registry. `namespaceOf` returns that of a tenant. */
export const REGISTRY = 'tenants';
export const namespaceOf = (id: string): string => `tenant/${id}`;

/** The time limit in milliseconds for creating a tenant, e.g. from a large snapshot. */
const CREATION_TIMEOUT = HOUR;

/** In the past according to the clock of every process, so that an erasure is due immediately. */
const LONG_AGO = new Date(0).toISOString();

export interface Registry {
  /** The tenants whose names sort after `after`, in order of name. */
  list(after: string, limit: number): Promise<readonly Tenant[]>;
  find(name: string): Promise<KeyedTenant | undefined>;
  /**
   * Registers a tenant that is being created.
   * @returns its id
   */
  begin(secretKey: string): Promise<string>;
  /**
   * Activates a tenant.
   * @throws ApiError `COULD_NOT_VALIDATE` if the name is taken; `NOT_FOUND` if its creation exceeded the time limit
   */
  complete(id: string, name: string): Promise<Tenant>;
  /**
   * Removes the name and the key of a tenant, and marks it as due for erasure.
   * @returns its id; undefined if it does not exist
   */
  retire(name: string): Promise<string | undefined>;
  /** Does the same as `retire`, for a tenant whose creation failed. */
  abandon(id: string): Promise<void>;
  /**
   * Finds the tenants due for erasure, because they were removed or not completed in time, and prevents their completion.
   * @returns their ids
   */
  prepareErasure(): Promise<readonly string[]>;
  /** Removes an erased tenant from the registry. */
  forget(id: string): Promise<void>;
}

export const createRegistry = (store: Store, keys: SecretKeys, context: EntitiesContext): Registry => {
  const reading = <T>(work: (entities: Entities) => Promise<T>): Promise<T> =>
    store.transaction('read', (tx) => work(entitiesOf(tx, context)));
  const writing = <T>(work: (entities: Entities) => Promise<T>): Promise<T> =>
    store.transaction('write', (tx) => work(entitiesOf(tx, context)));
  const now = () => context.stamp();
  const findByName = (entities: Entities, name: string) => entities.find(tenant, equals(stringField('name'), name));
  const release = (entities: Entities, row: TenantRow) =>
    entities.update(tenant, row, { name: null, sealedKey: null, erasedAfter: LONG_AGO });

  return {
    list: (after, limit) =>
      reading(async (entities) => {
        const sort = [{ field: stringField('name'), descending: false }];
        return (await entities.list(tenant, { where: isNamedAfter(after), sort, limit })).map(tenantOf);
      }),
    find: async (name) => {
      const row = await reading((entities) => findByName(entities, name));
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
        const row = await findByName(entities, name);
        return row && (await release(entities, row)).id;
      }),
    abandon: (id) =>
      writing(async (entities) => {
        const row = await entities.get(tenant, id);
        if (row) await release(entities, row);
      }),
    prepareErasure: () =>
      writing(async (entities) => {
        const rows = await entities.list(tenant, { where: isDue(now()) });
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

/** Matches only tenants that have a name, because null is not greater than any text. */
const isNamedAfter = (name: string): Predicate => ({ op: 'compare', field: stringField('name'), is: '>', value: name });
const isDue = (now: string): Predicate => ({ op: 'compare', field: dateField('erasedAfter'), is: '<=', value: now });

/** Names that are valid both as a DNS label and as a path segment, with only one spelling in each. */
const TENANT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** True if a value is a valid name for a tenant. */
export const isTenantName = (name: unknown): name is string => typeof name === 'string' && TENANT_NAME.test(name);
