/**
 * How the change log is kept within its limits. The oldest records are dropped first, except those that are reserved: of administrators, of the host and of
 * refused attempts. While there are younger records of others to drop, reserved ones stay until `RESERVED_MS`, in up to three quarters of the log, so that nobody
 * without rights pushes them out. The records before `Reserve.passed` are such ones; a hash over theirs proves that they are all there.
 */
import { kinds } from '../api/index.ts';
import { DAY, isoTime } from '../platform/clock.ts';
import type { Row, Transaction } from '../storage/port.ts';
import { contentSize, foldHash } from './chain.ts';
import { changeId } from './events.ts';
import { endOfLog, recordsFrom } from './queries.ts';

/** How long reserved records are kept at least, while records of others can be dropped in their place. ms */
const RESERVED_MS = 30 * DAY;

/** The share of the log that they may have. The rest is left for the records after which none is missing. */
const RESERVED_SHARE = 0.75;

/** Maximum number of records that one append drops or passes, so that a large record or a lowered limit does not delay a write for long. */
const MAX_STEPS = 100;
/** The same, for a checkpoint, which drops records because of their age. */
const MAX_OLD_STEPS = 1000;
/** Number of records that are read at once where several are reserved. */
const PAGE = 25;

const CHANGE = kinds.change.kind;

/** The records that were kept when the oldest ones were dropped. */
export interface Reserve {
  /** Revision of the oldest of them. */
  readonly first: number;
  /** When that was written, ISO text. */
  readonly since: string;
  /** Revision of the first record after them. All records from there on are in the log. */
  readonly passed: number;
  readonly count: number;
  readonly bytes: number;
  /** `foldHash` of all such records that have been dropped since. */
  readonly base: string;
  /** `foldHash` of all of them. */
  readonly head: string;
}

/**
 * The extent of the log. Each record stores it, so that nothing has to be counted: an append continues from the previous record, whichever controller wrote
 * that one.
 */
export interface Extent {
  /** Total bytes of all records ever written, up to and including this one. */
  readonly endsAt: number;
  /** Revision of the oldest record after which none is missing. */
  readonly oldest: number;
  /** Total bytes of all records that were dropped. */
  readonly oldestBeginsAt: number;
  /**
   * Revision of the last record that is not reserved. Undefined in records of earlier releases, which lose `reserve`, and since then until the records that it
   * had are dropped.
   */
  readonly others?: number;
  /** Undefined if there are no records before `oldest`. */
  readonly reserve?: Reserve;
}

/** Size limits of the change log. When it grows beyond them, the oldest records are dropped. */
export interface SizeLimits {
  /** Maximum number of records. */
  readonly changesKept: number;
  /** Maximum bytes of all records as JSON. The last record is always kept. */
  readonly changeBytesKept: number;
}

/** What an append does to the log before it. */
export interface Trim {
  readonly extent: Extent;
  /** Revision of the record to append. */
  readonly revision: number;
  /** When it is written, ISO text. */
  readonly at: string;
  readonly limits: SizeLimits;
  /** Records before this time are dropped in any case. ISO text; empty if age does not matter. */
  readonly keptSince: string;
}

/** Drops what is beyond the limits. @returns the extent since then */
export const trimLog = async (tx: Transaction, given: Trim): Promise<Extent> => {
  const { revision, limits, keptSince } = given;
  const { endsAt, others } = given.extent;
  const youngSince = isoTime(Date.parse(given.at) - RESERVED_MS);
  const max = keptSince === '' ? MAX_STEPS : MAX_OLD_STEPS;
  let { oldest, oldestBeginsAt, reserve } = given.extent;
  let page: readonly Row[] = [];
  const passed = () => reserve?.passed ?? oldest;
  const exceeds = () =>
    revision - passed() + 1 + (reserve?.count ?? 0) > limits.changesKept || endsAt - oldestBeginsAt > limits.changeBytesKept;
  const fits = (records: number, bytes: number) =>
    (reserve?.count ?? 0) + records <= limits.changesKept * RESERVED_SHARE &&
    (reserve?.bytes ?? 0) + bytes <= limits.changeBytesKept * RESERVED_SHARE;
  const rowAt = async (at: number): Promise<Row | undefined> => {
    // The page begins with a single record: most logs have none that are reserved among those to drop.
    if (!page.some(({ version }) => version === at))
      page =
        page.length === 0 ? [await tx.get(CHANGE, changeId(at))].flatMap((row) => row ?? []) : await tx.list(CHANGE, recordsFrom(at, PAGE));
    return page.find(({ version }) => version === at);
  };
  const dropFirst = async (): Promise<void> => {
    if (!reserve) return;
    const [row, next] = await tx.list(CHANGE, recordsFrom(reserve.first, 2));
    if (row?.version === reserve.first) {
      const size = contentSize(row);
      await tx.delete(CHANGE, row.id);
      oldestBeginsAt += size;
      if (oldest === row.version) oldest++;
      reserve = { ...reserve, count: reserve.count - 1, bytes: reserve.bytes - size, base: foldHash(reserve.base, row) };
    }
    if (next && next.version < reserve.passed) reserve = { ...reserve, first: next.version, since: next.createdAt };
    else {
      oldest = reserve.passed;
      reserve = undefined;
    }
  };

  for (
    let step = keptSince === '' ? 0 : await dropBefore(tx, reserve?.first ?? oldest, ({ createdAt }) => createdAt < keptSince);
    step < max;
    step++
  ) {
    const isTooLarge = exceeds();
    if (!isTooLarge && keptSince === '') break;
    const isSpare = isTooLarge && reserve && (reserve.since < youngSince || (others ?? 0) < reserve.passed || !fits(0, 0));
    if (reserve && (isSpare || reserve.since < keptSince)) {
      await dropFirst();
      continue;
    }
    if (passed() >= revision) break;
    const row = await rowAt(passed());
    if (!isTooLarge && row && row.createdAt >= keptSince) break;
    const size = row && reserve ? contentSize(row) : 0;
    if (row?.isReserved === true && (others ?? 0) >= passed() && row.createdAt >= youngSince && row.createdAt >= keptSince) {
      const bytes = size || contentSize(row);
      if (fits(1, bytes)) {
        // The records of the reserve are the first ones of the log.
        if (!reserve && (await dropBefore(tx, oldest, () => true)) === MAX_OLD_STEPS) break;
        const { first = row.version, since = row.createdAt, count = 0, bytes: before = 0, base = '', head = '' } = reserve ?? {};
        reserve = { first, since, passed: row.version + 1, count: count + 1, bytes: before + bytes, base, head: foldHash(head, row) };
        continue;
      }
      if (reserve) {
        await dropFirst();
        continue;
      }
    }
    await tx.delete(CHANGE, changeId(passed()));
    oldestBeginsAt = reserve ? oldestBeginsAt + size : (endOf(row) ?? oldestBeginsAt);
    oldest = passed() + 1;
    if (reserve) reserve = { ...reserve, passed: oldest };
  }
  return { endsAt, oldest, oldestBeginsAt, ...(others !== undefined && { others }), ...(reserve && { reserve }) };
};

const endOf = (row: Row | undefined): number | undefined => (typeof row?.endsAt === 'number' ? row.endsAt : undefined);

/**
 * Drops the first records that are due, before the one with which the extent of the log begins: those of earlier releases, which store no extent, and those that
 * were reserved until an earlier release wrote.
 * @returns how many, at most `MAX_OLD_STEPS`
 */
const dropBefore = async (tx: Transaction, oldest: number, isDue: (row: Row) => boolean): Promise<number> => {
  for (let dropped = 0; dropped < MAX_OLD_STEPS; dropped++) {
    const [row] = await tx.list(CHANGE, endOfLog('oldest'));
    if (!row || row.id >= changeId(oldest) || !isDue(row)) return dropped;
    await tx.delete(CHANGE, row.id);
  }
  return MAX_OLD_STEPS;
};

/**
 * Drops the records that were reserved until an earlier release wrote, which knows of no reserve: it would have dropped them already.
 * @returns true if none is left
 */
export const dropRemains = async (tx: Transaction, { oldest }: Extent): Promise<boolean> =>
  (await dropBefore(tx, oldest, ({ isReserved }) => isReserved === true)) < MAX_OLD_STEPS;
