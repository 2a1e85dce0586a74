/** The rows that a transaction has read. */
import type { Row } from '../../../src/adapter-kit.ts';
import type { ResultRow } from './result.ts';
import { selectRow } from './select.ts';
import type { Session } from './session.ts';

/** A row with the number of its document. */
export interface Stored {
  readonly row: Row;
  readonly number: number;
}

export class Rows {
  readonly #session: Session;
  readonly #known = new Map<string, Promise<Stored | undefined>>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** A row is read once: nobody else changes it while a transaction of our own runs. In one that others joined, it may change at any time. */
  find(kind: string, id: string): Promise<Stored | undefined> {
    if (this.#session.isShared || this.#session.isOver) return this.#read(kind, id);
    const key = keyOf(kind, id);
    const known = this.#known.get(key) ?? this.#read(kind, id);
    this.#known.set(key, known);
    return known;
  }

  /** Does what may change a row. */
  async changing<T>(kind: string, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#known.delete(keyOf(kind, id));
    }
  }

  async #read(kind: string, id: string): Promise<Stored | undefined> {
    const [found] = (await this.#session.run(selectRow(this.#session.scope, kind, id))).rows;
    return found && { row: rowOf(found), number: Number(found.number) };
  }
}

/** Every document is a row that was handed in. */
export const rowOf = ({ document }: ResultRow): Row => JSON.parse(String(document)) as Row;

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
