import type { Core } from '../../call/core.ts';
import { newRow } from '../../call/resources/merge.ts';
import { maintenanceTask } from '../../contract/api/database.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { checkedOptions } from '../../contract/options.ts';
import { DAY, HOUR, isoTime, MINUTE } from '../../runtime/platform/clock.ts';
import type { BackupStore } from '../../runtime/platform/platform.ts';
import { type Run, schedule } from '../../store/jobs/schedule.ts';
import type { Row, Transaction } from '../../store/storage/port.ts';
import { saveSnapshot, snapshotTime } from '../../store/storage/snapshot/take.ts';
import { abortable } from './snapshots.ts';
import { messageOf } from './tasks.ts';

/** Scheduled backups, which are snapshots. Of several controllers on a store, one takes them. */
export interface BackupOptions {
  /** Stores the backups of this network alone, e.g. `backupFolder('backups')` of `overlay-controller/backups/node`. */
  readonly store: BackupStore;
  /** Hours from one backup to the next, 1 to 168. Default 6. */
  readonly everyHours?: number | undefined;
  /** Number of backups that are kept, 1 to 10000: older ones are deleted after the next backup. Default 28. */
  readonly keep?: number | undefined;
  /** Days after which a backup is deleted, 1 to 36500, at most two after each backup. The latest one is always kept. Default: no limit. */
  readonly keepForDays?: number | undefined;
}

/** Checked options with defaults. */
export interface BackupPlan extends Required<Omit<BackupOptions, 'keepForDays'>> {
  readonly everyHours: number;
  readonly keep: number;
  readonly keepForDays: number | undefined;
}

export const BACKUP_DEFAULTS = { everyHours: 6, keep: 28 } as const;
export const BACKUP_MAXIMA = { everyHours: 168, keep: 10_000, keepForDays: 36_500 } as const;

/** @throws TypeError for an unknown option or a number out of range */
export const backupPlan = (name: string, options: BackupOptions): BackupPlan => {
  const { store, ...given } = checkedOptions(name, options, OPTIONS);
  for (const method of ['save', 'list', 'delete'] as const)
    if (typeof store?.[method] !== 'function') throw new TypeError(`${name} requires a store with the method ${method}`);
  const number = (option: keyof typeof BACKUP_MAXIMA): number | undefined => {
    const value = given[option];
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1 && value <= BACKUP_MAXIMA[option])) return value;
    throw new TypeError(`${name}: ${option} must be a whole number from 1 to ${BACKUP_MAXIMA[option]}, got ${String(value)}`);
  };
  return {
    store,
    everyHours: number('everyHours') ?? BACKUP_DEFAULTS.everyHours,
    keep: number('keep') ?? BACKUP_DEFAULTS.keep,
    keepForDays: number('keepForDays'),
  };
};

const OPTIONS = { store: true, everyHours: true, keep: true, keepForDays: true } as const;

/** The name of the schedule, and the id of the row with the result of the last backup. */
const NAME = 'backup';
/** The interval at which a controller checks whether a backup is due: also the delay before a failed one is repeated. ms */
const CHECK_INTERVAL = 10 * MINUTE;

/** The state of the last backup that any controller on the store took; undefined before the first one. */
export const lastBackup = (tx: Transaction): Promise<Row | undefined> => tx.get(maintenanceTask.kind, NAME);

/** Takes backups while the controller is open. */
export const keepBackups = (core: Core, plan: BackupPlan): void =>
  schedule(core.background, core.platform, { name: NAME, every: CHECK_INTERVAL, by: 'one' }, async (run) => {
    const last = await run.read((entities) => entities.get(maintenanceTask, NAME));
    const now = core.platform.clock.now();
    const age = last?.succeededAt ? now - Date.parse(last.succeededAt) : undefined;
    // One of the future was taken while a clock was ahead, and must not stop the others until then.
    if (age !== undefined && age >= 0 && age < plan.everyHours * HOUR) return;
    await takeBackup(core, plan, run);
  });

const takeBackup = async (core: Core, plan: BackupPlan, run: Run): Promise<void> => {
  const { clock } = core.platform;
  const { store } = plan;
  const note = (fields: Partial<Omit<RowOf<typeof maintenanceTask>, 'id'>>) =>
    run.write(async (entities) => {
      const row = await entities.get(maintenanceTask, NAME);
      if (row) await entities.update(maintenanceTask, row, fields);
      else await entities.insert(maintenanceTask, newRow(maintenanceTask, {}, { id: NAME, ...fields }));
    });
  await note({ startedAt: isoTime(clock.now()) });
  let latest: string;
  try {
    const sink = {
      save: (name: string, parts: AsyncIterable<string>) => unlessAborted(run.signal, store.save(name, abortable(parts, run.signal))),
    };
    const { name } = await core.store.transaction('read', (tx) => saveSnapshot(core.store, tx, sink, core.platform));
    const endedAt = isoTime(clock.now());
    await note({ endedAt, succeededAt: endedAt, error: null, snapshotName: name });
    latest = name;
  } catch (error) {
    if (!run.signal.aborted) await note({ endedAt: isoTime(clock.now()), error: messageOf(error) });
    throw error;
  }
  // Only now: a failed backup deletes nothing. It ended well, even if this fails.
  try {
    await deleteExpired(plan, latest, clock.now(), run.signal);
  } catch (error) {
    if (!run.signal.aborted) await note({ error: messageOf(error) });
    throw error;
  }
};

/**
 * Deletes the backups that are not kept after a new one, each of which is tried.
 * @throws the first error of the store
 */
const deleteExpired = async ({ store, ...limits }: BackupPlan, latest: string, now: number, signal: AbortSignal): Promise<void> => {
  const failures: unknown[] = [];
  for (const expired of expiredAmong(await unlessAborted(signal, store.list()), latest, limits, now))
    await unlessAborted(signal, store.delete(expired)).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
};

/** Rejects once the signal is aborted: a store that hangs must not keep the controller from closing. */
const unlessAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });

/** The most backups that one run deletes for their age: one more than it adds, because a clock that is ahead makes all of them old. */
const MAX_OLD = 2;

/**
 * The backups beyond the newest `keep`, and the oldest of those before `keepForDays`. Other names in the store are ignored, and those after
 * the latest backup, too: a clock was ahead when they were taken, so they must not displace it.
 */
const expiredAmong = (
  names: readonly string[],
  latest: string,
  { keep, keepForDays }: Pick<BackupPlan, 'keep' | 'keepForDays'>,
  now: number,
): readonly string[] => {
  const earlier = names
    .filter((name) => /^\d{8}-\d{6}-/.test(name) && name < latest)
    .sort()
    .reverse();
  const kept = earlier.slice(0, keep - 1);
  const oldest = keepForDays === undefined ? '' : snapshotTime(isoTime(now - keepForDays * DAY));
  return [...kept.filter((name) => name < oldest).slice(-MAX_OLD), ...earlier.slice(keep - 1)];
};

/**
 * The text of a warning if the last backup failed, could not delete older ones, or is more than two intervals old.
 * @param last the result of `lastBackup`
 */
export const backupFault = (last: Row | undefined, { everyHours }: BackupPlan, { platform, startedAt }: Core): string | undefined => {
  const { succeededAt, endedAt, error } = { ...last };
  const good = succeededAt ? `the last good one is of ${succeededAt}` : 'there is none yet';
  if (error && endedAt === succeededAt) return `the backup at ${endedAt} is good, but older ones could not be deleted: ${error}`;
  if (error) return `the backup at ${endedAt} failed: ${error}; ${good}`;
  const limit = 2 * everyHours;
  const isLate = platform.clock.now() - Date.parse(String(succeededAt ?? startedAt)) > limit * HOUR;
  return isLate ? `no backup was taken for more than ${limit} hours: ${good}` : undefined;
};
