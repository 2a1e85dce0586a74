import { kinds } from '../../../contract/api/index.ts';
import { checkedOptions, requireStorage } from '../../../contract/options.ts';
import { software } from '../../../contract/version.ts';
import { ALL, stringField } from '../../../query/index.ts';
import type { Clock, Random, SnapshotSink } from '../../../runtime/platform/platform.ts';
import { webPlatform } from '../../../runtime/platform/web.ts';
import { newId } from '../ids.ts';
import type { StorageAdapter, Store, Transaction } from '../port.ts';
import { withStore } from '../with-store.ts';
import { FORMAT, snapshotOf } from './write.ts';

/** Options of `takeSnapshot`. */
export interface SnapshotOptions {
  /** The store. If it is `readOnly`, any release may have written it, and controllers may be open on it. */
  readonly storage: StorageAdapter;
  /** The destination, e.g. `snapshotFolder('snapshots')` on Node. */
  readonly snapshots: SnapshotSink;
  /** Clock and random generator. Default: those of the web standards. */
  readonly platform?: { readonly clock: Clock; readonly random: Random } | undefined;
}

/** A completed snapshot. */
export interface TakenSnapshot {
  /** The name under which it was saved. */
  readonly name: string;
  /** Time of the snapshot, as ISO text. */
  readonly takenAt: string;
  /** The last revision that it contains; 0 if none. */
  readonly revision: number;
}

/**
 * Takes a snapshot of a store without opening a controller on it. Only reads from the store, and needs no secret key, because sealed values
 * stay sealed.
 *
 * ```ts
 * const storage = sqliteStorage({ file: 'controller.db', readOnly: true });
 * const { name } = await takeSnapshot({ storage, snapshots: snapshotFolder('snapshots') });
 * ```
 * @throws StoreUnavailable; StoreSchemaMismatch if the store is empty, or of another release and not `readOnly`; errors of the sink
 */
export const takeSnapshot = async (options: SnapshotOptions): Promise<TakenSnapshot> => {
  const { storage, snapshots, platform = webPlatform() } = checkedOptions('takeSnapshot', options, OPTIONS);
  requireStorage('takeSnapshot', storage);
  return withStore(storage, (store) => store.transaction('read', (tx) => saveSnapshot(store, tx, snapshots, platform)));
};

const OPTIONS = { storage: true, snapshots: true, platform: true } as const;

/** All tables except those for the bookkeeping of controllers, and of kinds that only the change log has. */
export const snapshotTables: readonly string[] = [
  ...new Set(Object.values(kinds).flatMap((kind) => ('unrecorded' in kind || 'logOnly' in kind ? [] : [kind.view?.of ?? kind.kind]))),
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
  const existing = snapshotTables.filter((table) => store.kinds?.has(table) ?? true);
  const name = `${snapshotTime(takenAt)}-${id}`;
  await sink.save(name, snapshotOf(tx, existing, head));
  return { name, takenAt, revision };
};

/**
 * The time with which the names of snapshots and backups begin, `YYYYMMDD-HHMMSS`, so that their order is that of time.
 * @param time ISO text
 */
export const snapshotTime = (time: string): string => time.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
