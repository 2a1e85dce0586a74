import { change } from '../../../api/changes.ts';
import { logCheckpoint } from '../../../api/log-only-kinds.ts';
import type { Call } from '../../../call/call.ts';
import type { Core } from '../../../call/core.ts';
import { hashAfter } from '../../../changelog/chain.ts';
import type { RecordFault } from '../../../changelog/chain-check.ts';
import { endOfLog } from '../../../changelog/queries.ts';
import type { Entities } from '../../../entities/entities.ts';
import { sealKeptSecret, unsealKeptSecret } from '../../../entities/kept-secrets.ts';
import { ApiError } from '../../../errors/index.ts';
import { type Run, schedule } from '../../../jobs/schedule.ts';
import { DAY, HOUR, isoTime } from '../../../platform/clock.ts';
import { type SecretKeys, SecretUnreadable } from '../../../platform/secrets.ts';
import type { Row } from '../../../storage/port.ts';

type Checkpoint = Pick<Row, 'id'> & { readonly recordRevision: number; readonly recordHash: string; readonly proof: string };

/** Drops records that are older than the setting `changesKeptForDays`, hourly. */
export const dropOldRecords = ({ background, platform, settings, secrets }: Core): void => {
  if (settings.changesKeptForDays === 0) return;
  schedule(background, platform, { name: 'audit-retention', every: HOUR, by: 'one' }, (run) =>
    dropBefore(run, () => isoTime(platform.clock.now() - settings.changesKeptForDays * DAY), secrets),
  );
};

/** Each checkpoint drops some of the old records (`log.ts`), and proves with its own hash where the log begins since then. */
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

/** Seals the hash of the last record under the secret key of the network, so that nobody who has only the database can replace the log up to there. */
const writeCheckpoint = async (entities: Entities, secrets: SecretKeys): Promise<void> => {
  const [last] = await entities.list(change, endOfLog('newest'));
  if (!last) return;
  const [recordRevision, recordHash] = [last.version, hashAfter(last)];
  const proof = await sealKeptSecret(secrets, logCheckpoint.kind, textOf(recordRevision, recordHash));
  const { version } = await entities.insert(logCheckpoint, { recordRevision, recordHash, proof });
  if (version !== recordRevision + 1) throw new ApiError('CONFLICT');
};

/** No text that is sealed. */
const KEY_MISSING = '';

const textOf = (revision: number, hash: string): string => `${revision} ${hash}`;

/**
 * What a checkpoint shows about the record before it: `unproved` if nothing. It has the hash of that record, which may not be in the log any more, and with
 * which the check of the chain compares it.
 */
export const checkpointFault = async (row: Row, { core }: Pick<Call, 'core'>): Promise<RecordFault | 'unproved' | undefined> => {
  if (row.entity !== logCheckpoint.kind) return undefined;
  const { proof } = row.after as Checkpoint; // written by `writeCheckpoint`, and its record has the hash that it was written with
  const sealed = await unsealKeptSecret(core.secrets, logCheckpoint.kind, proof).catch((error: unknown) => {
    // Sealed under a former key, or claimed to be: it proves nothing any more, and the verification says so.
    return error instanceof SecretUnreadable && error.isKeyMissing ? KEY_MISSING : undefined;
  });
  if (sealed === KEY_MISSING) return 'unproved';
  if (sealed === textOf(row.version - 1, String(row.previousHash))) return undefined;
  return { revision: row.version - 1, fault: 'changed', message: `checkpoint ${row.version} has sealed another hash of it` };
};
