import * as z from 'zod';
import { readOnly, resource, sealed, string, timestamp } from './kit/index.ts';
import { jsonMap } from './shared.ts';

/**
 * A network among several in one database. The registry of tenants has a row for each, under its id. The namespace of the tenant has one row too, with the
 * id `self`: while it exists, the tenant exists for every transaction; once it is deleted, nothing of the tenant can be read or written.
 */
export const tenant = resource({
  kind: 'tenant',
  collection: 'tenants',
  names: ['Tenant', 'Tenants'],
  about: 'A tenant is a network among several in one database, each in a namespace of its own.',
  unrecorded: true,
  fields: {
    /** Name in the registry, by which hosts know it. None while it is being created or erased. */
    name: readOnly(string, { keep: 'hidden', unique: true }),
    /** In the registry: the secret key of the network, under the key of the host. None once it is to be erased. */
    sealedKey: sealed(string, ({ id }) => `tenant:${id}`),
    /** In the registry: from then on, any process may erase the tenant. Null for an active tenant. */
    erasedAfter: readOnly(timestamp, { keep: 'hidden', index: true }),
    /** In the namespace of the tenant: its quotas, by name. */
    quotas: readOnly(jsonMap, { keep: 'hidden', default: {} }),
    /** In the namespace of the tenant: bytes of its entities, as JSON. */
    bytes: readOnly(z.int(), { keep: 'hidden', default: 0 }),
  },
});
