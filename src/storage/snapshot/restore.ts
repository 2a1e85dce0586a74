import { checkedOptions } from '../../options.ts';
import { ALL } from '../../query/index.ts';
import { SnapshotRefused, UniqueViolation } from '../errors.ts';
import type { StorageAdapter, StorageSchema, Transaction } from '../port.ts';
import { storageSchema } from '../schema.ts';
import { readSnapshot } from './read.ts';
import type { SnapshotHead, SnapshotLine } from './write.ts';

/** The snapshot and the target store. */
export interface RestoreOptions {
  /** An empty store, of the same sort as that of the snapshot or of another. No controller may be open on it. */
  readonly storage: StorageAdapter;
  /** The parts of the snapshot, in order: `createReadStream(file)`, `[text]`, ... */
  readonly snapshot: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** The result of a restore. */
export interface Restored {
  readonly rows: number;
  /** The revision that the network goes on from. */
  readonly revision: number;
  /** When the snapshot was taken, ISO text. */
  readonly takenAt: string;
}

/**
 * Fills an empty store from a snapshot, in one transaction: all of it, or nothing.
 * @throws SnapshotRefused when the store is not empty, or the snapshot is invalid, damaged or of a newer format; StoreUnavailable,
 * StoreSchemaMismatch
 */
export const restoreSnapshot = async (options: RestoreOptions): Promise<Restored> => {
  const { storage, snapshot } = checkedOptions('restoreSnapshot', options, { storage: true, snapshot: true });
  const store = await storage.open(storageSchema);
  try {
    const restored = async (tx: Transaction): Promise<Restored> => {
      await assertEmpty(tx, storageSchema);
      let head: SnapshotHead | undefined;
      let rows = 0;
      for await (const line of readSnapshot(each(snapshot))) {
        if ('snapshot' in line) head = line;
        else {
          await put(tx, line);
          rows++;
        }
      }
      if (!head) throw new SnapshotRefused('the snapshot is empty');
      if (head.revision > 0) await tx.nextRevision(head.revision);
      return { rows, revision: head.revision, takenAt: head.takenAt };
    };
    // The snapshot may come from far away.
    return await store.transaction('write', restored, { mayPause: true });
  } finally {
    await store.close();
  }
};

const assertEmpty = async (tx: Transaction, schema: StorageSchema): Promise<void> => {
  for (const { kind } of schema) {
    if ((await tx.list(kind, { where: ALL, limit: 1 })).length > 0)
      throw new SnapshotRefused(
        `a snapshot is restored into an empty store only, and this one has rows of ${kind}: take a new database, file or namespace`,
      );
  }
};

const put = async (tx: Transaction, { kind, row }: SnapshotLine): Promise<void> => {
  if (!storageSchema.some((known) => known.kind === kind))
    throw new SnapshotRefused(
      `the snapshot holds rows of ${kind}, which this version does not know: restore it with the version that took it, or a newer one`,
    );
  try {
    await tx.insert(kind, row);
  } catch (error) {
    if (error instanceof UniqueViolation) throw new SnapshotRefused(`the snapshot holds two rows of ${kind} with the same ${error.field}`);
    throw error;
  }
};

async function* each<T>(parts: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* parts;
}
