/**
 * The registry of tenants: a namespace of its own in the same database, so that all processes know the same ones. A new tenant
 * is registered as due for erasure, and becomes active when it is complete; an erased one loses its name and key at once. What a lost process leaves behind is
 * therefore erased by another one.
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

/** A network among several in one database. */
export interface Tenant {
  /** Never given to another one. */
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

/** The namespace of the registry, and those of tenants by their ids. */
export const REGISTRY = 'tenants';
export const namespaceOf = (id: string): string => `tenant/${id}`;

/** Time limit for creating a tenant, e.g. from a large snapshot. After that its creation counts as interrupted. ms */
const MADE_WITHIN = HOUR;

/** Due at once, by the clocks of all processes. */
const LONG_AGO = new Date(0).toISOString();

export interface Registry {
  /** The next tenants by name. */
  list(after: string, limit: number): Promise<readonly Tenant[]>;
  find(name: string): Promise<KeyedTenant | undefined>;
  /** Notes down that a tenant is being made. */
  begin(secretKey: string): Promise<string>;
  /** The tenant is complete. @throws ApiError `COULD_NOT_VALIDATE` when another one has the name; `NOT_FOUND` when making it took too long */
  complete(id: string, name: string): Promise<Tenant>;
  /** The tenant has neither name nor key from now on. @returns its id */
  retire(name: string): Promise<string | undefined>;
  /** The same for one that was not completed. */
  abandon(id: string): Promise<void>;
  /** The tenants that have left, or were not completed in time, and are to be erased. */
  left(): Promise<readonly string[]>;
  /** Nothing is left of the tenant. */
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
      const erasedAfter = new Date(Date.parse(now()) + MADE_WITHIN).toISOString();
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
    left: () =>
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

/** Only those that have a name: null is after no text. */
const isNamedAfter = (name: string): Predicate => ({ op: 'compare', field: stringField('name'), is: '>', value: name });
const isDue = (now: string): Predicate => ({ op: 'compare', field: dateField('erasedAfter'), is: '<=', value: now });

/** As a label of a host name, or a segment of a path, without any other way to write it. */
const TENANT_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** True if a tenant may have this name. */
export const isTenantName = (name: unknown): name is string => typeof name === 'string' && TENANT_NAME.test(name);
