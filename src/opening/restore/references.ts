import { isInView } from '../../changelog/views.ts';
import type { Entities } from '../../entities/entities.ts';
import { faultsOf } from '../../resources/faults.ts';
import type { Row } from '../../storage/port.ts';
import { refusedAt } from './lines.ts';
import { kindsIn } from './row.ts';

/** Number of rows whose references are checked together. */
const PAGE = 100;
/** Maximum number of entities that have been referenced but not yet read. */
const MAX_AWAITED = 1_000_000;

/** A reference to a missing entity, and its line. */
interface Awaited {
  readonly line: number;
  readonly description: string;
}

/** Checks that every reference in a snapshot is to one of its rows, before or after the referring row. */
export class References {
  readonly #entities: Entities;
  readonly #awaited = new Map<string, Awaited>();
  #table = '';
  #page: { readonly line: number; readonly row: Row }[] = [];

  /** @param entities the entities of the transaction in which the rows are inserted */
  constructor(entities: Entities) {
    this.#entities = entities;
  }

  /** @throws SnapshotRefused for an earlier row, with its line */
  async add(line: number, table: string, row: Row): Promise<void> {
    for (const kind of kindsIn(table)) if (isInView(kind, row)) this.#awaited.delete(keyOf(kind.kind, row.id));
    if (table !== this.#table || this.#page.length === PAGE) await this.#checkPage();
    this.#table = table;
    this.#page.push({ line, row });
  }

  /** Checks the remaining references after the last row. @throws SnapshotRefused */
  async end(): Promise<void> {
    await this.#checkPage();
    const [first] = [...this.#awaited.values()].sort((a, b) => a.line - b.line);
    if (first) throw refusedAt(first.line, first.description);
  }

  async #checkPage(): Promise<void> {
    const page = this.#page;
    this.#page = [];
    const lines = new Map(page.map(({ line, row }) => [row.id, line]));
    for (const kind of kindsIn(this.#table)) {
      const rows = page.flatMap(({ row }) => (isInView(kind, row) ? [row] : []));
      for (const { id, description, missing } of await faultsOf(this.#entities, kind, rows)) {
        const line = lines.get(id) ?? 0;
        if (!missing) throw refusedAt(line, description);
        const key = keyOf(missing.target, missing.id);
        if (!this.#awaited.has(key)) this.#awaited.set(key, { line, description });
        if (this.#awaited.size > MAX_AWAITED) throw refusedAt(line, `more than ${MAX_AWAITED} entities are referenced before they appear`);
      }
    }
  }
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
