/**
 * Keeps the change log within its limits. The oldest records are dropped first, except reserved ones: those of administrators, of the host
 * and of refused attempts. As long as younger records of other callers can be dropped instead, reserved records are kept for `RESERVED_MS`,
 * in up to three quarters of the log, so that callers without rights cannot push them out of the log. All records before `Reserve.passed`
 * are reserved ones; a hash over their hashes proves that they are complete.
 */
import { kinds } from '../../contract/api/index.ts';
import { changeId } from '../../contract/changes/events.ts';
import { DAY, isoTime } from '../../runtime/platform/clock.ts';
import type { Row, Transaction } from '../storage/port.ts';
import { contentSize, foldHash } from './chain.ts';
import { endOfLog, recordsFrom } from './queries.ts';

/** Minimum time for which reserved records are kept while other records can be dropped instead. ms */
const RESERVED_MS = 30 * DAY;

/** Maximum share of the log for reserved records. The remainder is for the records from `Extent.oldest` on. */
const RESERVED_SHARE = 0.75;

/**
 * Maximum number of records that one append drops or reserves, so that a large record or a lowered limit does not delay a write for long.
 */
const MAX_STEPS = 100;
/** The same for a checkpoint, which drops records because of their age. */
const MAX_OLD_STEPS = 1000;
/** Number of records that are read at a time if several are reserved. */
const PAGE = 25;

const CHANGE = kinds.change.kind;

/** The reserved records that were kept when the oldest records were dropped. */
export interface Reserve {
  /** Revision of the oldest reserved record. */
  readonly first: number;
  /** Time of the oldest reserved record, as ISO text. */
  readonly since: string;
  /** Revision of the first record after the reserve. All records from this one on are in the log. */
  readonly passed: number;
  readonly count: number;
  readonly bytes: number;
  /** `foldHash` of the reserved records that have since been dropped. */
  readonly base: string;
  /** `foldHash` of all reserved records, including the dropped ones. */
  readonly head: string;
}

/**
 * The extent of the log. Each record stores it, so that nothing has to be counted: an append continues from the previous record, whichever
 * controller wrote it.
 */
export interface Extent {
  /** Total bytes of all records ever written, up to and including this one. */
  readonly endsAt: number;
  /** Revision of the oldest record after which none is missing. */
  readonly oldest: number;
  /** Total bytes of all records that were dropped. */
  readonly oldestBeginsAt: number;
  /**
   * Revision of the last record that is not reserved. Undefined in records of earlier releases, which drop `reserve`, and after these until
   * the records that were reserved have been dropped.
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

/** The append of a record, before which the log is trimmed. */
export interface Trim {
  /** The extent of the log with the new record. */
  readonly extent: Extent;
  /** Revision of the record to append. */
  readonly revision: number;
  /** Time of the append, as ISO text. */
  readonly at: string;
  readonly limits: SizeLimits;
  /** Records before this time are always dropped. ISO text; empty if records do not expire. */
  readonly keptSince: string;
}

/**
 * Drops the records in excess of the limits.
 * @returns the extent of the log afterwards
 */
export const trimLog = async (tx: Transaction, trim: Trim): Promise<Extent> =>
  trim.keptSince === '' && !exceedsLimits(trim.extent, trim) ? trim.extent : new LogTrimmer(tx, trim).run();

const exceedsLimits = ({ endsAt, oldest, oldestBeginsAt, reserve }: Omit<Extent, 'others'>, { revision, limits }: Trim): boolean =>
  revision - (reserve?.passed ?? oldest) + 1 + (reserve?.count ?? 0) > limits.changesKept ||
  endsAt - oldestBeginsAt > limits.changeBytesKept;

class LogTrimmer {
  readonly #tx: Transaction;
  readonly #trim: Trim;
  /** Reserved records before this time may be dropped like others. ISO text */
  readonly #reservedSince: string;
  #oldest: number;
  #oldestBeginsAt: number;
  #reserve: Reserve | undefined;
  #page: readonly Row[] = [];

  constructor(tx: Transaction, trim: Trim) {
    this.#tx = tx;
    this.#trim = trim;
    this.#reservedSince = isoTime(Date.parse(trim.at) - RESERVED_MS);
    this.#oldest = trim.extent.oldest;
    this.#oldestBeginsAt = trim.extent.oldestBeginsAt;
    this.#reserve = trim.extent.reserve;
  }

  async run(): Promise<Extent> {
    const { keptSince } = this.#trim;
    const [maxSteps, dropped] = keptSince === '' ? [MAX_STEPS, 0] : [MAX_OLD_STEPS, await this.#dropOldRemains(keptSince)];
    for (let step = dropped; step < maxSteps; step++) if (!(await this.#step())) break;
    return this.#extent;
  }

  get #extent(): Extent {
    const { endsAt, others } = this.#trim.extent;
    return {
      endsAt,
      oldest: this.#oldest,
      oldestBeginsAt: this.#oldestBeginsAt,
      ...(others !== undefined && { others }),
      ...(this.#reserve && { reserve: this.#reserve }),
    };
  }

  /** Revision of the first record after the reserve. */
  get #passed(): number {
    return this.#reserve?.passed ?? this.#oldest;
  }

  #dropOldRemains(keptSince: string): Promise<number> {
    return dropBefore(this.#tx, this.#reserve?.first ?? this.#oldest, ({ createdAt }) => createdAt < keptSince);
  }

  /**
   * Drops one record, or adds it to the reserve.
   * @returns false if no more records are to be dropped
   */
  async #step(): Promise<boolean> {
    const { revision, keptSince } = this.#trim;
    const isTooLarge = exceedsLimits(this.#extent, this.#trim);
    if (!isTooLarge && keptSince === '') return false;
    if (this.#reserve && this.#isFirstReservedDue(this.#reserve, isTooLarge)) {
      await this.#dropFirstReserved(this.#reserve);
      return true;
    }
    if (this.#passed >= revision) return false;
    const row = await this.#rowAt(this.#passed);
    if (!isTooLarge && row && row.createdAt >= keptSince) return false;
    if (row && this.#isReservable(row)) {
      if (this.#fitsReserve(1, contentSize(row))) return this.#addToReserve(row);
      if (this.#reserve) {
        await this.#dropFirstReserved(this.#reserve);
        return true;
      }
    }
    await this.#dropPassed(row);
    return true;
  }

  #isFirstReservedDue(reserve: Reserve, isTooLarge: boolean): boolean {
    const isSpare = reserve.since < this.#reservedSince || !this.#hasOthersFrom(reserve.passed) || !this.#fitsReserve(0, 0);
    return (isTooLarge && isSpare) || reserve.since < this.#trim.keptSince;
  }

  #isReservable(row: Row): boolean {
    const isYoung = row.createdAt >= this.#reservedSince && row.createdAt >= this.#trim.keptSince;
    return row.isReserved === true && isYoung && this.#hasOthersFrom(this.#passed);
  }

  /** True if a record that is not reserved, and could be dropped instead, has this revision or a later one. */
  #hasOthersFrom(revision: number): boolean {
    return (this.#trim.extent.others ?? 0) >= revision;
  }

  #fitsReserve(moreRecords: number, moreBytes: number): boolean {
    const { changesKept, changeBytesKept } = this.#trim.limits;
    const { count = 0, bytes = 0 } = this.#reserve ?? {};
    return count + moreRecords <= changesKept * RESERVED_SHARE && bytes + moreBytes <= changeBytesKept * RESERVED_SHARE;
  }

  async #rowAt(revision: number): Promise<Row | undefined> {
    // The first page has a single record: in most logs, no record to be dropped is reserved.
    if (!this.#page.some(({ version }) => version === revision))
      this.#page =
        this.#page.length === 0
          ? [await this.#tx.get(CHANGE, changeId(revision))].flatMap((row) => row ?? [])
          : await this.#tx.list(CHANGE, recordsFrom(revision, PAGE));
    return this.#page.find(({ version }) => version === revision);
  }

  /** @returns false if too many remains of an earlier release must be dropped first */
  async #addToReserve(row: Row): Promise<boolean> {
    // The records of the reserve are the first ones of the log.
    if (!this.#reserve && (await dropBefore(this.#tx, this.#oldest, () => true)) === MAX_OLD_STEPS) return false;
    const { first = row.version, since = row.createdAt, count = 0, bytes = 0, base = '', head = '' } = this.#reserve ?? {};
    const passed = row.version + 1;
    this.#reserve = { first, since, passed, count: count + 1, bytes: bytes + contentSize(row), base, head: foldHash(head, row) };
    return true;
  }

  async #dropFirstReserved(reserve: Reserve): Promise<void> {
    const [row, next] = await this.#tx.list(CHANGE, recordsFrom(reserve.first, 2));
    let remaining = reserve;
    if (row?.version === reserve.first) {
      const size = contentSize(row);
      await this.#tx.delete(CHANGE, row.id);
      this.#oldestBeginsAt += size;
      if (this.#oldest === row.version) this.#oldest++;
      remaining = { ...reserve, count: reserve.count - 1, bytes: reserve.bytes - size, base: foldHash(reserve.base, row) };
    }
    if (next && next.version < reserve.passed) this.#reserve = { ...remaining, first: next.version, since: next.createdAt };
    else {
      this.#oldest = reserve.passed;
      this.#reserve = undefined;
    }
  }

  /** Drops the first record after the reserve. */
  async #dropPassed(row: Row | undefined): Promise<void> {
    const dropped = this.#passed;
    await this.#tx.delete(CHANGE, changeId(dropped));
    if (this.#reserve) this.#oldestBeginsAt += row ? contentSize(row) : 0;
    else this.#oldestBeginsAt = endOf(row) ?? this.#oldestBeginsAt;
    this.#oldest = dropped + 1;
    if (this.#reserve) this.#reserve = { ...this.#reserve, passed: this.#oldest };
  }
}

const endOf = (row: Row | undefined): number | undefined => (typeof row?.endsAt === 'number' ? row.endsAt : undefined);

/**
 * Drops the oldest records for which `isDue` returns true, up to the first record in the extent of the log. Records before it are those of
 * earlier releases, which store no extent, and those that were reserved until an earlier release wrote to the log.
 * @returns the number of dropped records, at most `MAX_OLD_STEPS`
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
 * Drops the records that were reserved until an earlier release, which does not reserve records, wrote to the log.
 * @returns true if none are left
 */
export const dropRemains = async (tx: Transaction, { oldest }: Extent): Promise<boolean> =>
  (await dropBefore(tx, oldest, ({ isReserved }) => isReserved === true)) < MAX_OLD_STEPS;
