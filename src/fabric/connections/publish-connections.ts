import type { Core } from '../../call/core.ts';
import { lease } from '../../contract/api/leases.ts';
import { every, isoTime, monotonic } from '../../runtime/platform/clock.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Job } from '../../store/jobs/background.ts';
import { putLease } from '../../store/jobs/lease.ts';
import {
  allLists,
  createConnectedList,
  EXPIRES_AFTER_MS,
  holderOf,
  listId,
  MAX_CONTROLLERS,
  partId,
  rowsOf,
  storedPart,
} from './connection-rows.ts';

/** Interval of checks for changes. ms */
const CHECK_INTERVAL = 250;
/** Minimum interval between writes. ms */
const WRITE_INTERVAL = 1000;
/** Interval of renewals without changes. ms */
const RENEWAL_INTERVAL = EXPIRES_AFTER_MS / 3;
/** Time after expiry until the rows of a controller that has died are removed. ms */
const REMOVAL_DELAY = 300_000;

/**
 * Publishes to the other controllers on the store which routers are connected here, until the controller closes. Nothing is written while
 * no router is connected.
 * @param holder the holder of the rows of this controller
 * @param onCheck called on each check
 */
export const publishConnections = async (
  { presence, background, platform }: Pick<Core, 'presence' | 'background' | 'platform'>,
  holder: string,
  onCheck: () => unknown,
): Promise<void> => {
  const { clock } = platform;
  const log = createRepeatedLog(platform);
  const { update, parts } = createConnectedList();
  /** Revisions of the parts in the store; undefined while this controller has no rows. */
  let written: readonly number[] | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = triedAt;

  const write = async (entities: Entities) => {
    const list = await entities.get(lease, listId(holder));
    // Read together, because a revision must match the content that is written with it.
    const revisions = parts.map(({ revision }) => revision);
    const rows = parts.flatMap(({ revision, connections }, index) =>
      // If the list is missing, other controllers have removed all rows, and every part is written again.
      list && written?.[index] === revision ? [] : [{ id: partId(holder, index), told: storedPart(connections.values()) }],
    );
    const until = isoTime(clock.now() + EXPIRES_AFTER_MS);
    for (const { id, told } of [...rows, { id: listId(holder), told: revisions }]) await putLease(entities, id, { holder, until, told });
    await removeExpired(entities, isoTime(clock.now() - REMOVAL_DELAY));
    return revisions;
  };
  const publish = async (job: Job) => {
    // Even a failed write may have left rows.
    written ??= [];
    written = await job.write(write);
    renewedAt = triedAt;
  };
  const withdraw = async (job: Job) => {
    await job.conclude((entities) => removeRows(entities, holder));
    written = undefined;
  };
  const warn = (error: unknown) =>
    log('warn', 'could not publish the routers of this controller to the other controllers; trying again', { error: String(error) });

  await background.run({ actor: 'system', requestId: 'presence' }, async (job) => {
    let stop: (() => void) | undefined;
    let checking: Promise<void> = Promise.resolve();
    const check = async () => {
      const isEmpty = parts.length === 0;
      if (isEmpty && !written) {
        stop?.();
        stop = undefined;
        return;
      }
      onCheck();
      const now = monotonic(clock);
      const isDue = now - renewedAt >= RENEWAL_INTERVAL || isEmpty || parts.some(({ revision }, i) => revision !== written?.[i]);
      if (!isDue || now - triedAt < WRITE_INTERVAL) return;
      triedAt = now;
      await (isEmpty ? withdraw : publish)(job).catch((error: unknown) => job.signal.aborted || warn(error));
    };
    presence.onChange((routerId, connection) => {
      if (!update(routerId, connection)) warn('too many routers');
      if (!job.signal.aborted) stop ??= every(clock, CHECK_INTERVAL, () => (checking = check()));
    });
    await new Promise((close) => job.signal.addEventListener('abort', close));
    stop?.();
    await checking;
    if (written) await withdraw(job).catch(warn);
  });
};

const removeRows = async (entities: Entities, holder: string): Promise<void> => {
  for (const row of await entities.list(lease, { where: rowsOf(holder) })) await entities.remove(lease, row);
};

/** Removes the rows of controllers that have died. */
const removeExpired = async (entities: Entities, before: string): Promise<void> => {
  for (const { id, until } of await entities.list(lease, { where: allLists, limit: MAX_CONTROLLERS }))
    if ((until ?? '') < before) await removeRows(entities, holderOf(id));
};
