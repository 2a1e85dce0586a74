import { kinds } from '../../contract/api/kinds.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { checkedOptions, requireStorage } from '../../contract/options.ts';
import { ALL } from '../../query/index.ts';
import { createSecrets, type Secrets, SecretUnreadable } from '../../runtime/platform/secrets.ts';
import { webRandom } from '../../runtime/platform/web.ts';
import { type EntitiesContext, entitiesOf } from '../../store/entities/entities.ts';
import { sealedFields, unsealText } from '../../store/entities/sealed.ts';
import { SnapshotRefused, UniqueViolation, ValueTooLong } from '../../store/storage/errors.ts';
import type { Row, StorageAdapter, StorageSchema, Transaction } from '../../store/storage/port.ts';
import { storageSchema } from '../../store/storage/schema.ts';
import { snapshotTables } from '../../store/storage/snapshot/take.ts';
import type { SnapshotHead } from '../../store/storage/snapshot/write.ts';
import { withStore } from '../../store/storage/with-store.ts';
import { refusedAt } from './lines.ts';
import { ChangeLog } from './log.ts';
import { Openable } from './openable.ts';
import { type RowLine, readSnapshot } from './read.ts';
import { References } from './references.ts';
import { checkedRow, kindsIn } from './row.ts';

/** The snapshot and the target store. */
export interface RestoreOptions {
  /** An empty store, whose adapter may differ from that of the snapshot. No controller may be open on it. */
  readonly storage: StorageAdapter;
  /** The parts of the snapshot, in order: `createReadStream(file)`, `[text]`, ... */
  readonly snapshot: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
  /**
   * The secret key of the network, or several while it is being replaced: each secret must unseal with one of them. Default: secrets are
   * restored unchecked, and a wrong key is detected only when the network is opened.
   */
  readonly secretKey?: string | readonly string[] | undefined;
  /**
   * Leaves out API sessions with their tokens, and API tokens: also those that were revoked after the snapshot was taken, which would
   * otherwise be valid again. Default: false.
   */
  readonly endCredentials?: boolean | undefined;
}

/** The result of a restore. */
export interface Restored {
  readonly rows: number;
  /** The number of API sessions and API tokens that were left out. */
  readonly ended: number;
  /** The revision from which the network continues. */
  readonly revision: number;
  /** When the snapshot was taken, ISO text. */
  readonly takenAt: string;
}

/**
 * Fills an empty store from a snapshot, atomically, in one transaction. The snapshot is not trusted: each row must be one that this version
 * could have written, and all references must resolve.
 * @throws SnapshotRefused with the line, or if the store is not empty; TypeError for an invalid secret key; StoreUnavailable,
 * StoreSchemaMismatch
 */
export const restoreSnapshot = async (options: RestoreOptions): Promise<Restored> => {
  const { storage, snapshot, secretKey, endCredentials = false } = checkedOptions('restoreSnapshot', options, OPTIONS);
  const secrets = secretKey === undefined ? undefined : await createSecrets([secretKey].flat(), webRandom);
  requireStorage('restoreSnapshot', storage);
  return withStore(storage, (store) =>
    // The snapshot may come over a slow network.
    store.transaction('write', (tx) => restoreInto(tx, iterate(snapshot), { secrets, endCredentials }), { mayPause: true }),
  );
};

const OPTIONS = { storage: true, snapshot: true, secretKey: true, endCredentials: true } as const;

/** The kinds that `endCredentials` leaves out: sessions and API tokens, and what exists only as long as they do. */
const CREDENTIALS: ReadonlySet<string> = new Set(
  [kinds.apiSession, kinds.apiSessionCertificate, kinds.session, kinds.apiToken].map(({ kind }) => kind),
);
const COUNTED_AS_ENDED: ReadonlySet<string> = new Set([kinds.apiSession.kind, kinds.apiToken.kind]);

interface Restoring {
  readonly secrets: Secrets | undefined;
  readonly endCredentials: boolean;
}

const restoreInto = async (
  tx: Transaction,
  parts: AsyncIterable<string | Uint8Array>,
  { secrets, endCredentials }: Restoring,
): Promise<Restored> => {
  await assertEmpty(tx, storageSchema);
  const references = new References(entitiesOf(tx, READ_CONTEXT));
  const log = new ChangeLog();
  const openable = new Openable();
  let head: SnapshotHead | undefined;
  let [rows, ended] = [0, 0];
  for await (const line of readSnapshot(parts)) {
    if ('snapshot' in line) head = line;
    else if ('row' in line) {
      const row = rowIn(line, head?.revision ?? 0);
      log.add(line.number, line.kind, row);
      openable.add(line.number, line.kind, row);
      if (secrets) await checkSecrets(secrets, line, row);
      if (endCredentials && CREDENTIALS.has(line.kind)) {
        if (COUNTED_AS_ENDED.has(line.kind)) ended++;
        continue;
      }
      await insert(tx, line, row);
      await references.add(line.number, line.kind, row);
      rows++;
    } else {
      log.end(line.number, head?.revision ?? 0);
      openable.end(line.number);
      await references.end();
    }
  }
  if (!head) throw new SnapshotRefused('the snapshot is empty');
  if (head.revision > 0) await tx.nextRevision(head.revision);
  return { rows, ended, revision: head.revision, takenAt: head.takenAt };
};

/** For reads only: no entity is written through this. */
const READ_CONTEXT: EntitiesContext = {
  actor: 'system',
  requestId: 'restore',
  random: webRandom,
  stamp: () => '',
  changesKept: 0,
  changeBytesKept: 0,
};

const assertEmpty = async (tx: Transaction, schema: StorageSchema): Promise<void> => {
  for (const { kind } of schema) {
    if ((await tx.list(kind, { where: ALL, limit: 1 })).length > 0)
      throw new SnapshotRefused(
        `a snapshot is restored into an empty store only, and this one has rows of ${kind}: take a new database, file or namespace`,
      );
  }
};

/** @throws SnapshotRefused if this version would not have written the row in this form */
const rowIn = ({ number, kind, row: given }: RowLine, newest: number): Row => {
  if (!snapshotTables.includes(kind))
    throw refusedAt(
      number,
      kindsIn(kind).length > 0
        ? `a snapshot must not contain rows of ${kind}, which controllers keep for themselves`
        : `this version knows no ${JSON.stringify(kind.slice(0, 64))}: restore the snapshot with the version that took it, or a newer one`,
    );
  try {
    const row = checkedRow(kind, given);
    if (row.version <= newest) return row;
  } catch (error) {
    throw error instanceof ApiError ? refusedAt(number, error.message) : error;
  }
  throw refusedAt(number, `the row is newer than the snapshot, which has revision ${newest}`);
};

/** @throws SnapshotRefused if a secret does not unseal with the given keys */
const checkSecrets = async (secrets: Secrets, { number, kind: table }: RowLine, row: Row): Promise<void> => {
  for (const kind of kindsIn(table))
    for (const field of sealedFields(kind)) {
      if (typeof row[field] !== 'string') continue;
      await unsealText(secrets, kind, field, row).catch((error: unknown) => {
        if (!(error instanceof SecretUnreadable)) throw error;
        throw refusedAt(number, `${field} cannot be unsealed with the secretKey given: ${error.message}`);
      });
    }
};

const insert = async (tx: Transaction, { number, kind }: RowLine, row: Row): Promise<void> => {
  try {
    await tx.insert(kind, row);
  } catch (error) {
    if (error instanceof UniqueViolation) throw refusedAt(number, `another ${kind} has the same ${error.field}`);
    if (error instanceof ValueTooLong) throw refusedAt(number, `a text of this ${kind} is longer than the indexes of the database accept`);
    throw error;
  }
};

async function* iterate<T>(parts: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* parts;
}
