import { changeId } from '../../contract/changes/events.ts';
import type { Row } from '../storage/port.ts';
import { foldHash, hashAfter, hashOfRecord } from './chain.ts';
import { ADOPTION, BY_SYSTEM, extentOf } from './log.ts';
import type { Reserve } from './trim.ts';

/** The first fault in the log. */
export interface RecordFault {
  readonly revision: number;
  /** `changed`: the record was altered; `removed`: it is missing; `inserted`: it does not belong to the log. */
  readonly fault: 'changed' | 'removed' | 'inserted';
  /** The evidence of the fault. Does not include the content of the record. */
  readonly message: string;
}

/** Checks the records of the log one after another, in order of id. */
export class ChainCheck {
  /** Revision of the first record; undefined until one has been added. */
  first: number | undefined;
  /** Revision of the last record; undefined until one has been added. */
  last: number | undefined;
  /** Revision of the first record with a hash; undefined if there was none. */
  chainedFrom: number | undefined;
  /** The hash of the last record. */
  hash: string | undefined;
  /** Number of records. */
  records = 0;
  /** Number of records without a hash, which an earlier release wrote. */
  unhashed = 0;
  /** Number of checkpoints that cannot be unsealed. The caller checks and counts them. */
  unproved = 0;
  #lastRow: Row | undefined;
  #reserve: Reserve | undefined;
  /** `foldHash` and number of the reserved records so far; undefined if unknown or already compared. */
  #fold: { readonly hash: string; readonly count: number; readonly of: Reserve } | undefined;

  /**
   * Sets the records that are reserved in the state from which the next ones are read.
   * @param reserve has no `head` if an earlier release wrote the last record: the reserved records can no longer be verified
   * @param start revision of the first record to be read
   */
  setReserve(reserve: Reserve | undefined, start: number): void {
    this.#reserve = reserve;
    if (reserve?.head && reserve.first >= start) this.#fold = { hash: reserve.base, count: 0, of: reserve };
    else if (!reserve?.head) this.#fold = undefined;
  }

  #isReserved(revision: number): boolean {
    return this.#reserve !== undefined && revision >= this.#reserve.first && revision < this.#reserve.passed;
  }

  /** @returns a fault of the record or of the log before it; undefined if there is none */
  add(row: Row): RecordFault | undefined {
    const fault =
      this.#checkOrder(row) ?? this.#checkContent(row) ?? this.#checkFirst(row) ?? this.#checkLink(row) ?? this.#checkReserve(row);
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

  /** Adds a record that cannot be read, or only in another form than it was written. */
  addUnreadable(id: string): RecordFault {
    const revision = Number(id);
    const message = 'the record is not valid JSON of a record, or the indexes disagree with it';
    return this.#checkOrder({ id, version: revision, revision }) ?? { revision, fault: 'changed', message };
  }

  /** Continues after a gap: records after the last one read have meanwhile been dropped. */
  skip(): void {
    this.first = this.last = this.hash = undefined;
  }

  /**
   * Checks the end of the log.
   * @param revision the last revision of the store
   * @param isWhole true if the check began with the oldest record
   */
  end(revision: number, isWhole: boolean): RecordFault | undefined {
    const { first, last = 0 } = this;
    const extent = this.#lastRow && extentOf(this.#lastRow);
    const oldest = extent?.reserve?.first ?? extent?.oldest;
    if (isWhole && oldest !== undefined && first !== undefined && first > oldest)
      return {
        revision: oldest,
        fault: 'removed',
        message: `the log begins with ${first}, but according to record ${last} it begins with ${oldest}`,
      };
    if (last !== revision)
      return { revision: last + 1, fault: 'removed', message: `the log ends with ${last}, but the last change was ${revision}` };
    if (this.chainedFrom !== undefined && this.#lastRow && typeof this.#lastRow.hash !== 'string')
      return { revision, fault: 'changed', message: 'the last record has no hash: an earlier release wrote it, or the hash was removed' };
    return undefined;
  }

  #checkOrder({ id, version, revision }: Pick<Row, 'id' | 'version'> & { readonly revision?: unknown }): RecordFault | undefined {
    const expected = this.last === undefined ? undefined : this.#expectedAfter(this.last, version);
    if (id === changeId(expected ?? Number(id))) return undefined;
    if (expected === undefined || id < changeId(expected) || id !== changeId(Number(id)))
      return {
        revision: Number(revision) || Number(version) || (expected ?? 1),
        fault: 'inserted',
        message: `the record with id ${id} does not belong ${this.last === undefined ? 'in the log' : `after record ${this.last}`}`,
      };
    // The first releases dropped records one by one, so their logs have gaps.
    if (this.chainedFrom === undefined) return undefined;
    return { revision: expected, fault: 'removed', message: `record ${Number(id)} follows record ${this.last}` };
  }

  #checkContent(row: Row): RecordFault | undefined {
    const revision = Number(row.id);
    const isNumbered = row.id === changeId(row.version) && row.revision === row.version;
    if (!isNumbered) return { revision, fault: 'changed', message: 'id, version and revision of the record disagree' };
    if (typeof row.hash !== 'string' && row.previousHash === undefined) return undefined;
    if (row.hash === hashOfRecord(row)) return undefined;
    return { revision, fault: 'changed', message: 'the hash of the record does not match its content' };
  }

  /** The revision that must follow the last one. Between reserved records and after them, other records were dropped. */
  #expectedAfter(last: number, version: number): number {
    const { passed = 0, first = 0 } = this.#reserve ?? {};
    if (version > last && this.#isReserved(version)) return version;
    return last < passed && last + 1 >= first ? passed : last + 1;
  }

  /** Reserved records are not linked to their neighbours: a hash over their hashes proves that they are complete. */
  #checkReserve(row: Row): RecordFault | undefined {
    if (this.#isReserved(row.version)) {
      if (row.isReserved !== true) return notReservedFault(row);
      if (this.#fold) this.#fold = { ...this.#fold, hash: foldHash(this.#fold.hash, row), count: this.#fold.count + 1 };
      return undefined;
    }
    const [fold, reserve] = [this.#fold, this.#reserve];
    if (reserve && row.version < reserve.first) return notReservedFault(row);
    if (!fold || !reserve || row.version < reserve.passed) return undefined;
    this.#fold = undefined;
    if (fold.hash === reserve.head) return undefined;
    const missing = fold.of.base === reserve.base ? reserve.count - fold.count : 0;
    return {
      revision: reserve.first,
      fault: missing > 0 ? 'removed' : missing < 0 ? 'inserted' : 'changed',
      message: `the reserved records from ${reserve.first} to ${reserve.passed - 1} are not those that were written`,
    };
  }

  /** A log begins with revision 1, or with a record that contains the hash of an earlier one, which was dropped. */
  #checkFirst({ version, hash, previousHash, requestId, origin }: Row): RecordFault | undefined {
    const isFirst = this.#lastRow === undefined && version > 1 && typeof hash === 'string' && previousHash === null;
    // An adoption does not write records that would be dropped again.
    if (!isFirst || (requestId === ADOPTION.requestId && origin === BY_SYSTEM.origin)) return undefined;
    return {
      revision: version - 1,
      fault: 'removed',
      message: `record ${version} is the first one, but has no hash of a previous record: the log before it was removed`,
    };
  }

  /** If a record was rewritten together with its hash, the next record does not match. */
  #checkLink(row: Row): RecordFault | undefined {
    const isAlone = this.#reserve !== undefined && row.version - 1 !== this.last && row.version <= this.#reserve.passed;
    const isLinked = typeof row.hash !== 'string' || this.hash === undefined || isAlone || row.previousHash === this.hash;
    if (isLinked || (row.previousHash === null && this.chainedFrom === undefined && row.version - 1 !== this.last)) return undefined;
    return { revision: this.last ?? 0, fault: 'changed', message: `record ${row.version} contains another hash for this record` };
  }
}

const notReservedFault = ({ version }: Row): RecordFault => ({
  revision: version,
  fault: 'inserted',
  message: 'the record is not one of the reserved records',
});
