import * as z from 'zod';
import { readOnly, resource, sealed, string, timestamp } from './kit/index.ts';
import { jsonMap } from './shared.ts';

/**
 * One of several networks in a database. The registry of tenants contains a row for each, with the id of the tenant. The tenant's own
 * namespace contains another row, with the id `self`. Every transaction checks that this row exists: once it is deleted, no data of the
 * tenant can be read or written.
 */
export const tenant = resource({
  kind: 'tenant',
  collection: 'tenants',
  names: ['Tenant', 'Tenants'],
  about: 'A tenant is one of several networks in a database, each in its own namespace.',
  unrecorded: true,
  fields: {
    /** In the registry: the name of the tenant. Null while the tenant is being created or erased. */
    name: readOnly(string, { keep: 'hidden', unique: true }),
    /** In the registry: the secret key of the network, encrypted with the host's key. Null once the tenant is marked for erasure. */
    sealedKey: sealed(string, ({ id }) => `tenant:${id}`),
    /** In the registry: when any process may erase the tenant. Null for an active tenant. */
    erasedAfter: readOnly(timestamp, { keep: 'hidden', index: true }),
    /** In the namespace of the tenant: its quotas, by name. */
    quotas: readOnly(jsonMap, { keep: 'hidden', default: {} }),
    /** In the namespace of the tenant: the size of its entities as JSON, in bytes. */
    bytes: readOnly(z.int(), { keep: 'hidden', default: 0 }),
  },
});
