/**
 * A lease grants one of several controllers on a store the exclusive right to do something. Its row contains the holder and the expiry. The
 * holder renews the lease while it works; if the holder is lost, another controller takes over after the expiry.
 *
 * The controller that acquires the lease next decides by its own clock whether it has expired: if the clocks differ by more than the time
 * that remains at a renewal, it takes the lease from a live holder. Expiry therefore never protects data; the fence does: each write of a
 * holder reads the row in its own transaction, and is refused once another controller has acquired the lease. Effects outside the store may
 * happen twice.
 */
import type { RowOf } from '../../contract/api/kit/index.ts';
import { lease as leaseKind } from '../../contract/api/leases.ts';
import { and, type Predicate, stringField } from '../../query/index.ts';
import type { Clock, Platform } from '../../runtime/platform/platform.ts';
import type { Entities } from '../entities/entities.ts';
import { newId } from '../storage/ids.ts';
import type { Job } from './background.ts';

type LeaseRow = RowOf<typeof leaseKind>;

/** Passed from the transaction that acquires a lease to the job that works under it. */
export interface Claim {
  readonly name: string;
  /** A new id for each acquisition of the lease. */
  readonly holder: string;
  /** Time after which the lease expires without renewal. ms */
  readonly duration: number;
  /** The longest time for which its holders keep it, or release it `until`. ms. Default: `duration` */
  readonly longest?: number | undefined;
}

/** A lease that is held for so much longer than any holder keeps it was acquired while a clock was ahead, and may be acquired again. ms */
const MAX_CLOCK_SKEW = 3_600_000;

/** A held lease, with access to the store under it. It is renewed three times per duration until it is released or the job ends. */
export interface Lease extends Pick<Job, 'signal' | 'read'> {
  /**
   * Like `Job.write`, in a transaction that verifies that the lease is still held.
   * @throws LeaseLost; errors of `Job.write`
   */
  write: Job['write'];
  /**
   * Releases the lease, after a final write in the same transaction. Like `Job.conclude`, it works while the controller closes.
   * @param until the time before which no other controller may acquire it, in ms since 1970. Default: now
   * @throws LeaseLost; errors of `Job.conclude`
   */
  release(finalWrite?: (entities: Entities) => Promise<unknown>, until?: number): Promise<void>;
}

/** Another controller has acquired the lease because this one did not renew it in time. Nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(lease: string) {
    super(`${lease} was taken over by another controller`);
  }
}

/**
 * True if no other controller may acquire the lease yet.
 * @param now ISO text
 */
export const isHeld = (row: LeaseRow | undefined, now: string): boolean => row !== undefined && (row.until ?? '') > now;

/**
 * Acquires a lease in a write transaction, unless it is held.
 * @param now ISO text
 * @returns undefined if it was acquired; otherwise the time until which another controller holds it, ISO text
 */
export const claimLease = async (
  entities: Entities,
  { name, holder, duration, longest = duration }: Claim,
  now: string,
): Promise<string | undefined> => {
  const row = await entities.get(leaseKind, name);
  const isAhead = Date.parse(row?.until ?? now) - Date.parse(now) > longest + MAX_CLOCK_SKEW;
  if (row && isHeld(row, now) && !isAhead) return row.until ?? undefined;
  const fields = { holder, until: isoOf(Date.parse(now) + duration) };
  if (row) await entities.update(leaseKind, row, fields);
  else await entities.insert(leaseKind, { id: name, told: null, ...fields });
  return undefined;
};

const nameField = stringField('id');

/** Selects leases by the prefix of their names, which must end in a slash. */
export const leasesBelow = (prefix: string): Predicate =>
  and(
    { op: 'compare', field: nameField, is: '>=', value: prefix },
    { op: 'compare', field: nameField, is: '<', value: `${prefix.slice(0, -1)}0` },
  );

/** Inserts or updates a lease that only one controller ever holds, to publish its content to the other controllers. */
export const putLease = async (entities: Entities, id: string, fields: Pick<LeaseRow, 'holder' | 'until' | 'told'>): Promise<void> => {
  const existing = await entities.get(leaseKind, id);
  if (existing) await entities.update(leaseKind, existing, fields);
  else await entities.insert(leaseKind, { id, ...fields });
};

/**
 * Acquires a lease, unless it is held.
 * @param duration as in `Claim`
 * @param longest as in `Claim`
 * @returns the lease, or the time until which another controller holds it, as ISO text
 */
export const acquireLease = async (
  job: Job,
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  name: string,
  duration: number,
  longest?: number,
): Promise<{ readonly lease: Lease; readonly heldUntil?: never } | { readonly lease?: never; readonly heldUntil: string }> => {
  const claim = { name, holder: newId(random), duration, longest };
  const heldUntil = await job.write((entities) => claimLease(entities, claim, isoOf(clock.now())));
  return heldUntil === undefined ? { lease: holdLease(job, clock, claim) } : { heldUntil };
};

/** Holds an acquired lease for a job. */
export const holdLease = (job: Job, clock: Clock, { name, holder, duration }: Claim): Lease => {
  const losing = new AbortController();

  const fenced =
    <T>(work: (entities: Entities, row: LeaseRow) => Promise<T>) =>
    async (entities: Entities): Promise<T> => {
      const row = await entities.get(leaseKind, name);
      if (row?.holder === holder) return work(entities, row);
      const lost = new LeaseLost(name);
      losing.abort(lost);
      throw lost;
    };
  const extend = (until: number) => fenced((entities, row) => entities.update(leaseKind, row, { until: isoOf(until) }));
  const endRenewal = job.every(duration / 3, async () => void (await job.write(extend(clock.now() + duration))));

  return {
    signal: AbortSignal.any([job.signal, losing.signal]),
    read: job.read,
    write: (work) => job.write(fenced(work)),
    release: (finalWrite, until) => {
      endRenewal();
      const releasing = fenced(async (entities, row) => {
        await finalWrite?.(entities);
        if (until === undefined) await entities.remove(leaseKind, row);
        else await entities.update(leaseKind, row, { until: isoOf(until) });
      });
      return job.conclude(releasing);
    },
  };
};

const isoOf = (time: number): string => new Date(time).toISOString();
