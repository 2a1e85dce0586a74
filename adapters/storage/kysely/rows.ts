import { createTimeSlice, type Row } from '../../../src/adapter-kit.ts';
import type { ResultRow } from './result.ts';
import { selectRow } from './select.ts';
import type { TransactionRunner } from './transaction-runner.ts';

/** A row with the number of its document. */
export interface Stored {
  readonly row: Row;
  readonly number: number;
}

/** Caches the rows that a transaction has read by id. */
export class Rows {
  readonly #runner: TransactionRunner;
  readonly #cached = new Map<string, Promise<Stored | undefined>>();

  constructor(runner: TransactionRunner) {
    this.#runner = runner;
  }

  /** Reads a row, once per transaction. The row is not cached if others have joined the transaction, because they may change it. */
  find(kind: string, id: string): Promise<Stored | undefined> {
    if (this.#runner.isShared || this.#runner.isOver) return this.#read(kind, id);
    const key = keyOf(kind, id);
    const stored = this.#cached.get(key) ?? this.#read(kind, id);
    this.#cached.set(key, stored);
    return stored;
  }

  /** Runs a write to a row, and evicts the row from the cache. */
  async changing<T>(kind: string, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#cached.delete(keyOf(kind, id));
    }
  }

  async #read(kind: string, id: string): Promise<Stored | undefined> {
    const [found] = (await this.#runner.run(selectRow(this.#runner.scope, kind, id))).rows;
    return found && { row: rowOf(found), number: Number(found.number) };
  }
}

/** Number of characters of documents to parse per slice of the event loop. */
const PARSE_SLICE = 524_288;

/** The rows of a page, in its order. A page of large documents is parsed in slices, so that it does not block the event loop. */
export const rowsOf = async (found: readonly ResultRow[]): Promise<readonly Row[]> => {
  const timeSlice = createTimeSlice(PARSE_SLICE);
  const rows: Row[] = [];
  for (const each of found) {
    rows.push(rowOf(each));
    const pause = timeSlice(String(each.document).length);
    if (pause) await pause;
  }
  return rows;
};

/** Parses a document, which is the JSON of an inserted row. */
const rowOf = ({ document }: ResultRow): Row => JSON.parse(String(document)) as Row;

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
