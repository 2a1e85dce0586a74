/** The row in the namespace of a tenant that says that it is there, and what it may have. */

import type { AnyRow } from '../api/kit/index.ts';
import { tenant } from '../api/tenants.ts';
import { notFound } from '../errors/index.ts';
import type { Row, Transaction } from '../storage/port.ts';
import type { Quotas } from './quotas.ts';

const SELF = 'self';

/** The content of the marker of a tenant. */
export interface Marker {
  readonly quotas: Quotas;
  /** Size of its entities as JSON. */
  readonly bytes: number;
}

/** The error for a tenant that is not there (any more). */
export const noTenant = (name: string): ReturnType<typeof notFound> => notFound('tenant', name);

export const markerIn = async (tx: Transaction): Promise<Marker | undefined> => {
  const row = await tx.get(tenant.kind, SELF);
  return row && readMarker(row);
};

/** @param at ISO text */
export const insertMarker = (tx: Transaction, at: string, quotas: Quotas): Promise<void> =>
  tx.insert(tenant.kind, { id: SELF, version: 1, createdAt: at, updatedAt: at, tags: {}, quotas, bytes: 0 });

/** @returns what it says now; undefined where there is none */
export const changeMarker = async (tx: Transaction, change: (before: Marker) => Partial<Marker>): Promise<Marker | undefined> => {
  const row = await tx.get(tenant.kind, SELF);
  if (!row) return undefined;
  const after: Row = { ...row, ...change(readMarker(row)) };
  await tx.update(tenant.kind, after, row.version);
  return readMarker(after);
};

/** @returns whether there was one */
export const deleteMarker = (tx: Transaction): Promise<boolean> => tx.delete(tenant.kind, SELF);

const readMarker = ({ quotas, bytes }: AnyRow): Marker => ({ quotas: quotas as Quotas, bytes: Number(bytes) }); // written above
