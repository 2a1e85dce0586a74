/** The marker of a tenant is a row in its namespace. It shows that the tenant exists, and stores its quotas and its size. */

import type { AnyRow } from '../../contract/api/kit/index.ts';
import { tenant } from '../../contract/api/tenants.ts';
import { notFound } from '../../contract/errors/index.ts';
import type { Row, Transaction } from '../../store/storage/port.ts';
import type { Quotas } from './quotas.ts';

const SELF = 'self';

/** The content of the marker of a tenant. */
export interface Marker {
  readonly quotas: Quotas;
  /** Total size of the tenant's entities as JSON. */
  readonly bytes: number;
}

/** The error for a tenant that does not exist (any longer). */
export const noTenant = (name: string): ReturnType<typeof notFound> => notFound('tenant', name);

export const markerIn = async (tx: Transaction): Promise<Marker | undefined> => {
  const row = await tx.get(tenant.kind, SELF);
  return row && readMarker(row);
};

/** @param at ISO text */
export const insertMarker = (tx: Transaction, at: string, quotas: Quotas): Promise<void> =>
  tx.insert(tenant.kind, { id: SELF, version: 1, createdAt: at, updatedAt: at, tags: {}, quotas, bytes: 0 });

/** @returns the changed marker; undefined if the tenant has none */
export const changeMarker = async (tx: Transaction, change: (before: Marker) => Partial<Marker>): Promise<Marker | undefined> => {
  const row = await tx.get(tenant.kind, SELF);
  if (!row) return undefined;
  const after: Row = { ...row, ...change(readMarker(row)) };
  await tx.update(tenant.kind, after, row.version);
  return readMarker(after);
};

/** @returns whether the marker existed */
export const deleteMarker = (tx: Transaction): Promise<boolean> => tx.delete(tenant.kind, SELF);

// The casts match what `insertMarker` and `changeMarker` write.
const readMarker = ({ quotas, bytes }: AnyRow): Marker => ({ quotas: quotas as Quotas, bytes: Number(bytes) });
