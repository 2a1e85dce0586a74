import { ALL } from '../query/index.ts';
import { StoreSchemaMismatch } from '../storage/errors.ts';
import type { Store } from '../storage/port.ts';
import { storageSchema } from '../storage/schema.ts';
import { deleteMarker } from './marker.ts';

/** Rows that one transaction deletes, so that other writers can run in between. */
const STEP = 100;

/**
 * Deletes all that a namespace holds, in bounded steps: first the marker, without which no controller of any process reads or writes there. It may be broken
 * off at any point and begun again, by several at once.
 * @param signal breaks it off between two steps
 * @throws StoreSchemaMismatch when a newer release has migrated the database: this one does not know all of its tables
 */
export const purge = async (store: Store, signal: AbortSignal): Promise<void> => {
  await store.transaction('write', deleteMarker);
  if ((await store.check?.())?.isAhead)
    throw new StoreSchemaMismatch(
      'a newer release has migrated the database: the next process of that release erases the remaining data of the tenant',
    );
  for (const { kind } of storageSchema) {
    do signal.throwIfAborted();
    while (await deletesSome(store, kind));
  }
  await store.transaction('write', (tx) => tx.forget());
};

/** @returns whether there may be more */
const deletesSome = async (store: Store, kind: string): Promise<boolean> => {
  const rows = await store.transaction('read', (tx) => tx.list(kind, { where: ALL, limit: STEP }));
  if (rows.length === 0) return false;
  await store.transaction('write', async (tx) => {
    for (const { id } of rows) await tx.delete(kind, id);
  });
  return rows.length === STEP;
};
