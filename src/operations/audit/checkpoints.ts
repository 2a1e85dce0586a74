import type { Call } from '../../call/call.ts';
import type { Core } from '../../call/core.ts';
import { change } from '../../contract/api/changes.ts';
import { logCheckpoint } from '../../contract/api/log-only-kinds.ts';
import { ApiError } from '../../contract/errors/index.ts';
import { DAY, HOUR, isoTime } from '../../runtime/platform/clock.ts';
import { type SecretKeys, SecretUnreadable } from '../../runtime/platform/secrets.ts';
import { hashAfter } from '../../store/changelog/chain.ts';
import type { RecordFault } from '../../store/changelog/chain-check.ts';
import { endOfLog } from '../../store/changelog/queries.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { sealKeptSecret, unsealKeptSecret } from '../../store/entities/kept-secrets.ts';
import { type Run, schedule } from '../../store/jobs/schedule.ts';
import type { Row } from '../../store/storage/port.ts';

type Checkpoint = Pick<Row, 'id'> & { readonly recordRevision: number; readonly recordHash: string; readonly proof: string };

/** Schedules the hourly removal of records that are older than the setting `changesKeptForDays`. */
export const dropOldRecords = ({ background, platform, settings, secrets }: Core): void => {
  if (settings.changesKeptForDays === 0) return;
  schedule(background, platform, { name: 'audit-retention', every: HOUR, by: 'one' }, (run) =>
    dropBefore(run, () => isoTime(platform.clock.now() - settings.changesKeptForDays * DAY), secrets),
  );
};

/** Writes checkpoints while there are old records. Each drops some of them (`log.ts`), and its hash proves where the log then begins. */
const dropBefore = async ({ read, write, signal }: Run, since: () => string, secrets: SecretKeys): Promise<void> => {
  const firstOld = async (entities: Entities) => {
    const [oldest] = await entities.list(change, endOfLog('oldest'));
    return oldest !== undefined && oldest.createdAt < since() && oldest.version < (await entities.revision()) ? oldest.id : undefined;
  };
  for (let last: string | undefined; !signal.aborted; ) {
    const next = await read(firstOld);
    // A checkpoint that drops nothing must not be followed by another: they would push all other records out of the log.
    if (next === undefined || next === last) return;
    await write((entities) => writeCheckpoint(entities, secrets));
    last = next;
  }
};

/**
 * Seals the hash of the last record under the secret key of the network, so that the log up to this record cannot be replaced by someone
 * who has only the database.
 */
const writeCheckpoint = async (entities: Entities, secrets: SecretKeys): Promise<void> => {
  const [last] = await entities.list(change, endOfLog('newest'));
  if (!last) return;
  const [recordRevision, recordHash] = [last.version, hashAfter(last)];
  const proof = await sealKeptSecret(secrets, logCheckpoint.kind, textOf(recordRevision, recordHash));
  const { version } = await entities.insert(logCheckpoint, { recordRevision, recordHash, proof });
  if (version !== recordRevision + 1) throw new ApiError('CONFLICT');
};

/** Marks a proof whose key is missing. No sealed text is empty. */
const KEY_MISSING = '';

const textOf = (revision: number, hash: string): string => `${revision} ${hash}`;

/**
 * Checks the proof of a checkpoint about the previous record, which may have left the log. The check of the chain compares its hash.
 * @returns undefined if the proof is valid or the record is not a checkpoint; `unproved` if its key is missing
 */
export const checkpointFault = async (row: Row, { core }: Pick<Call, 'core'>): Promise<RecordFault | 'unproved' | undefined> => {
  if (row.entity !== logCheckpoint.kind) return undefined;
  const { proof } = row.after as Checkpoint; // written by `writeCheckpoint`, and its record has the hash that it was written with
  const sealed = await unsealKeptSecret(core.secrets, logCheckpoint.kind, proof).catch((error: unknown) => {
    // Sealed under a former key, or forged to look so: it proves nothing, and the verification reports this.
    return error instanceof SecretUnreadable && error.isKeyMissing ? KEY_MISSING : undefined;
  });
  if (sealed === KEY_MISSING) return 'unproved';
  if (sealed === textOf(row.version - 1, String(row.previousHash))) return undefined;
  return { revision: row.version - 1, fault: 'changed', message: `checkpoint ${row.version} contains another hash of the record` };
};
