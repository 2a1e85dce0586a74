import { kinds } from '../../api/index.ts';
import { checkedOptions, requireStorage } from '../../options.ts';
import type { Clock, Random, SnapshotSink } from '../../platform/platform.ts';
import { webPlatform } from '../../platform/web.ts';
import { ALL, stringField } from '../../query/index.ts';
import { software } from '../../version.ts';
import { newId } from '../ids.ts';
import type { StorageAdapter, Store, Transaction } from '../port.ts';
import { storageSchema } from '../schema.ts';
import { FORMAT, snapshotOf } from './write.ts';

/** The store, and the destination of its snapshot. */
export interface SnapshotOptions {
  /** With `readOnly` it may be of any release, and controllers may be open on it. */
  readonly storage: StorageAdapter;
  /** E.g. `snapshotFolder('snapshots')` on Node. */
  readonly snapshots: SnapshotSink;
  /** Clock and randomness. Default: those of the web standards. */
  readonly platform?: { readonly clock: Clock; readonly random: Random } | undefined;
}

/** A completed snapshot. */
export interface TakenSnapshot {
  /** The name that it was stored under. */
  readonly name: string;
  /** ISO text. */
  readonly takenAt: string;
  /** The last revision that is in it; 0 for none. */
  readonly revision: number;
}

/**
 * Takes a snapshot of a store without opening a controller on it: only reads, and needs no secret key, because sealed values stay sealed.
 *
 * ```ts
 * const { name } = await takeSnapshot({ storage: sqliteStorage({ file: 'controller.db', readOnly: true }), snapshots: snapshotFolder('snapshots') });
 * ```
 * @throws StoreUnavailable; StoreSchemaMismatch if the store is empty, or of another release and not `readOnly`; errors of the sink
 */
export const takeSnapshot = async (options: SnapshotOptions): Promise<TakenSnapshot> => {
  const { storage, snapshots, platform = webPlatform() } = checkedOptions('takeSnapshot', options, OPTIONS);
  requireStorage('takeSnapshot', storage);
  const store = await storage.open(storageSchema);
  return store.transaction('read', (tx) => saveSnapshot(store, tx, snapshots, platform)).finally(() => store.close());
};

const OPTIONS = { storage: true, snapshots: true, platform: true } as const;

/** Tables of all that is stored but what controllers note down for themselves. */
export const snapshotTables: readonly string[] = [
  ...new Set(Object.values(kinds).flatMap((kind) => ('unrecorded' in kind && kind.unrecorded ? [] : [kind.view?.of ?? kind.kind]))),
];

/** @param tx a read transaction of the store */
export const saveSnapshot = async (
  store: Store,
  tx: Transaction,
  sink: SnapshotSink,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<TakenSnapshot> => {
  const id = newId(random);
  const takenAt = new Date(clock.now()).toISOString();
  const [last] = await tx.list(kinds.change.kind, { where: ALL, sort: [{ field: stringField('id'), descending: true }], limit: 1 });
  const revision = last ? Number(last.revision) : 0;
  const head = {
    snapshot: 'overlay-controller',
    format: FORMAT,
    id,
    takenAt,
    software: `${software.name} ${software.version}`,
    revision,
  } as const;
  const there = snapshotTables.filter((table) => store.kinds?.has(table) ?? true);
  const name = `${takenAt.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${id}`;
  await sink.save(name, snapshotOf(tx, there, head));
  return { name, takenAt, revision };
};
