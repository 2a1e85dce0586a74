import type { Row } from '../storage/port.ts';
import { foldHash, hashAfter, hashOfRecord } from './chain.ts';
import { changeId } from './events.ts';
import { ADOPTION, BY_SYSTEM, extentOf } from './log.ts';
import type { Reserve } from './trim.ts';

/** The first record that is not as it was written. */
export interface RecordFault {
  readonly revision: number;
  /** `changed`: it has another content; `removed`: it is missing; `inserted`: it does not belong to the log. */
  readonly fault: 'changed' | 'removed' | 'inserted';
  /** What shows it. Contains nothing of the record. */
  readonly message: string;
}

/** Checks the records of the log one after another, in order of id. */
export class ChainCheck {
  /** Revision of the first record; undefined before. */
  first: number | undefined;
  /** Revision of the last record; undefined before. */
  last: number | undefined;
  /** Revision of the first record with a hash; undefined if there was none. */
  chainedFrom: number | undefined;
  /** The hash of the last record. */
  hash: string | undefined;
  /** Number of records. */
  records = 0;
  /** Number of records without a hash, which an earlier release wrote. */
  unhashed = 0;
  /** Number of checkpoints whose seal cannot be opened. Counted by who checks the seals. */
  unproved = 0;
  #lastRow: Row | undefined;
  #reserve: Reserve | undefined;
  /** `foldHash` and number of the reserved records so far; undefined if it is not known, or was compared. */
  #fold: { readonly hash: string; readonly count: number; readonly of: Reserve } | undefined;

  /**
   * Says which records are reserved in the state from which the next ones are read.
   * @param reserve has no `head` if an earlier release wrote the last record: nothing proves any more which ones there were. @param start revision from which these begin
   */
  see(reserve: Reserve | undefined, start: number): void {
    this.#reserve = reserve;
    if (reserve?.head && reserve.first >= start) this.#fold = { hash: reserve.base, count: 0, of: reserve };
    else if (!reserve?.head) this.#fold = undefined;
  }

  #isReserved(revision: number): boolean {
    return this.#reserve !== undefined && revision >= this.#reserve.first && revision < this.#reserve.passed;
  }

  /** @returns what is wrong with the record or before it; undefined if nothing is */
  add(row: Row): RecordFault | undefined {
    const fault = this.#misplaced(row) ?? this.#altered(row) ?? this.#unfounded(row) ?? this.#unlinked(row) ?? this.#unreserved(row);
    if (fault) return fault;
    this.first ??= row.version;
    this.last = row.version;
    this.hash = hashAfter(row);
    if (typeof row.hash === 'string') this.chainedFrom ??= row.version;
    else this.unhashed++;
    this.records++;
    this.#lastRow = row;
    return undefined;
  }

  /** A record that cannot be read, or not as it was written, after those that were added. @param id its id */
  addUnreadable(id: string): RecordFault {
    const revision = Number(id);
    const message = 'the record is no JSON of a record any more, or the indexes do not agree with it';
    return this.#misplaced({ id, version: revision, revision }) ?? { revision, fault: 'changed', message };
  }

  /** Continues after a gap that retention has made since the last record was read. */
  skip(): void {
    this.first = this.last = this.hash = undefined;
  }

  /** Checks the end of the log. @param revision the last revision that was drawn. @param isWhole true if the check began at the oldest record */
  end(revision: number, isWhole: boolean): RecordFault | undefined {
    const { first, last = 0 } = this;
    const extent = this.#lastRow && extentOf(this.#lastRow);
    const oldest = extent?.reserve?.first ?? extent?.oldest;
    if (isWhole && oldest !== undefined && first !== undefined && first > oldest)
      return {
        revision: oldest,
        fault: 'removed',
        message: `the log begins with ${first}, and record ${last} says that it begins with ${oldest}`,
      };
    if (last !== revision)
      return { revision: last + 1, fault: 'removed', message: `the log ends with ${last}, and the last change was ${revision}` };
    if (this.chainedFrom !== undefined && this.#lastRow && typeof this.#lastRow.hash !== 'string')
      return { revision, fault: 'changed', message: 'the last record has no hash: an earlier release wrote it, or it was taken away' };
    return undefined;
  }

  #misplaced({ id, version, revision }: Pick<Row, 'id' | 'version'> & { readonly revision?: unknown }): RecordFault | undefined {
    const expected = this.last === undefined ? undefined : this.#next(this.last, version);
    if (id === changeId(expected ?? Number(id))) return undefined;
    if (expected === undefined || id < changeId(expected) || id !== changeId(Number(id)))
      return {
        revision: Number(revision) || Number(version) || (expected ?? 1),
        fault: 'inserted',
        message: `the record with id ${id} has no place ${this.last === undefined ? 'in the log' : `after record ${this.last}`}`,
      };
    // The first releases dropped records one by one, so their logs have gaps.
    if (this.chainedFrom === undefined) return undefined;
    return { revision: expected, fault: 'removed', message: `record ${Number(id)} follows record ${this.last}` };
  }

  #altered(row: Row): RecordFault | undefined {
    const revision = Number(row.id);
    const isNumbered = row.id === changeId(row.version) && row.revision === row.version;
    if (!isNumbered) return { revision, fault: 'changed', message: 'id, version and revision of the record disagree' };
    if (typeof row.hash !== 'string' && row.previousHash === undefined) return undefined;
    if (row.hash === hashOfRecord(row)) return undefined;
    return { revision, fault: 'changed', message: 'the content of the record does not have the hash of the record' };
  }

  /** The revision that is due after the last one. Between reserved records, and after them, others were dropped. */
  #next(last: number, version: number): number {
    const { passed = 0, first = 0 } = this.#reserve ?? {};
    if (version > last && this.#isReserved(version)) return version;
    return last < passed && last + 1 >= first ? passed : last + 1;
  }

  /** Reserved records have no links to those around them: a hash over theirs shows that they are all there. */
  #unreserved(row: Row): RecordFault | undefined {
    if (this.#isReserved(row.version)) {
      if (row.isReserved !== true) return notReserved(row);
      if (this.#fold) this.#fold = { ...this.#fold, hash: foldHash(this.#fold.hash, row), count: this.#fold.count + 1 };
      return undefined;
    }
    const [fold, reserve] = [this.#fold, this.#reserve];
    if (reserve && row.version < reserve.first) return notReserved(row);
    if (!fold || !reserve || row.version < reserve.passed) return undefined;
    this.#fold = undefined;
    if (fold.hash === reserve.head) return undefined;
    const missing = fold.of.base === reserve.base ? reserve.count - fold.count : 0;
    return {
      revision: reserve.first,
      fault: missing > 0 ? 'removed' : missing < 0 ? 'inserted' : 'changed',
      message: `the records of ${reserve.first} to ${reserve.passed - 1} that are kept for longer are not those that were written`,
    };
  }

  /** A log begins with revision 1, or with a record that has the hash of one before it, which retention has dropped. */
  #unfounded({ version, hash, previousHash, requestId, origin }: Row): RecordFault | undefined {
    const isFirst = this.#lastRow === undefined && version > 1 && typeof hash === 'string' && previousHash === null;
    // An adoption writes no records that it would drop again.
    if (!isFirst || (requestId === ADOPTION.requestId && origin === BY_SYSTEM.origin)) return undefined;
    return {
      revision: version - 1,
      fault: 'removed',
      message: `record ${version} is the first one, and has no hash of a record before it: the log up to there was removed`,
    };
  }

  /** A record that was rewritten together with its hash shows in the next one. */
  #unlinked(row: Row): RecordFault | undefined {
    const isAlone = this.#reserve !== undefined && row.version - 1 !== this.last && row.version <= this.#reserve.passed;
    const isLinked = typeof row.hash !== 'string' || this.hash === undefined || isAlone || row.previousHash === this.hash;
    if (isLinked || (row.previousHash === null && this.chainedFrom === undefined && row.version - 1 !== this.last)) return undefined;
    return { revision: this.last ?? 0, fault: 'changed', message: `record ${row.version} has another hash of it` };
  }
}

const notReserved = ({ version }: Row): RecordFault => ({
  revision: version,
  fault: 'inserted',
  message: 'the record is not one of those that are kept for longer',
});
