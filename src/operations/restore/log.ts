import { change } from '../../contract/api/changes.ts';
import { changeId } from '../../contract/changes/events.ts';
import { extentOf } from '../../store/changelog/log.ts';
import type { Extent } from '../../store/changelog/trim.ts';
import type { SnapshotRefused } from '../../store/storage/errors.ts';
import type { Row } from '../../store/storage/port.ts';
import { refusedAt } from './lines.ts';

/** A record of the change log, and its line number. */
interface LogRecord {
  readonly line: number;
  readonly revision: number;
  readonly extent: Extent | undefined;
}

/** Checks the change log of a snapshot. It must have one record for each revision up to the last, so that the network can continue it. */
export class ChangeLog {
  #first: LogRecord | undefined;
  #last: LogRecord | undefined;
  /** The last record that does not follow the one before it. */
  #gap: { readonly at: LogRecord; readonly after: number } | undefined;

  /** @throws SnapshotRefused */
  add(line: number, table: string, row: Row): void {
    if (table !== change.kind) return;
    const { id, version, action } = row;
    const revision = Number(row.revision);
    if (id !== changeId(revision) || version !== revision) throw refusedAt(line, 'id, version and revision of a change record must agree');
    if ((row.before === null) !== (action === 'create') || (row.after === null) !== (action === 'delete'))
      throw refusedAt(line, `a change record of '${action}' holds the entity before it, after it, or both, as the action says`);
    const record = { line, revision, extent: extentOf(row) };
    if (this.#last && this.#last.revision + 1 !== revision) {
      this.#gap = { at: record, after: this.#last.revision };
      if (revision <= this.#last.revision) throw hasGap(this.#gap);
    }
    this.#last = record;
    this.#first ??= this.#last;
  }

  /**
   * Checks the log after its last record.
   * @param line the last line of the snapshot
   * @throws SnapshotRefused
   */
  end(line: number, newest: number): void {
    if ((this.#last?.revision ?? 0) !== newest)
      throw refusedAt(line, `the change log ends with revision ${this.#last?.revision ?? 0}, and the snapshot with ${newest}`);
    const { extent } = this.#last ?? {};
    // Reserved records stay when others before the oldest one are dropped.
    if (this.#gap && this.#gap.at.revision > (extent?.oldest ?? 0)) throw hasGap(this.#gap);
    if (!this.#last || !extent) return;
    const { endsAt, oldest, oldestBeginsAt } = extent;
    const isInOrder = (this.#first?.revision ?? 0) <= oldest && oldest <= newest && 0 <= oldestBeginsAt && oldestBeginsAt <= endsAt;
    if (!isInOrder || endsAt > MAX_LOG_BYTES)
      throw refusedAt(this.#last.line, 'the last change record does not say how far the log reaches');
  }
}

const hasGap = ({ at, after }: { readonly at: LogRecord; readonly after: number }): SnapshotRefused =>
  refusedAt(at.line, `change record ${at.revision} follows record ${after}: records must come in order and without gaps`);

/** An upper bound on the total size of all records ever written, which no network reaches. */
const MAX_LOG_BYTES = 2 ** 52;
