import { faultsOf } from '../../call/resources/faults.ts';
import { isInView } from '../../store/changelog/views.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { refusedAt } from './lines.ts';
import { kindsIn } from './row.ts';

/** Number of rows whose references are checked together. */
const PAGE = 100;
/** Maximum number of entities that are referenced but have not been read yet. */
const MAX_UNRESOLVED = 1_000_000;

/** A reference to an entity that has not been read yet. */
interface UnresolvedReference {
  /** The line of the referring row. */
  readonly line: number;
  readonly description: string;
}

/** Checks that every reference in a snapshot refers to an entity of the snapshot, which may precede or follow the referring row. */
export class References {
  readonly #entities: Entities;
  readonly #unresolved = new Map<string, UnresolvedReference>();
  #table = '';
  #page: { readonly line: number; readonly row: Row }[] = [];

  /** @param entities the entities of the transaction in which the rows are inserted */
  constructor(entities: Entities) {
    this.#entities = entities;
  }

  /**
   * Adds a row. May check earlier rows.
   * @throws SnapshotRefused with the line of an invalid one
   */
  async add(line: number, table: string, row: Row): Promise<void> {
    for (const kind of kindsIn(table)) if (isInView(kind, row)) this.#unresolved.delete(keyOf(kind.kind, row.id));
    if (table !== this.#table || this.#page.length === PAGE) await this.#checkPage();
    this.#table = table;
    this.#page.push({ line, row });
  }

  /**
   * Checks the remaining references after the last row.
   * @throws SnapshotRefused
   */
  async end(): Promise<void> {
    await this.#checkPage();
    const [first] = [...this.#unresolved.values()].sort((a, b) => a.line - b.line);
    if (first) throw refusedAt(first.line, first.description);
  }

  async #checkPage(): Promise<void> {
    const page = this.#page;
    this.#page = [];
    const lines = new Map(page.map(({ line, row }) => [row.id, line]));
    for (const kind of kindsIn(this.#table)) {
      const rows = page.flatMap(({ row }) => (isInView(kind, row) ? [row] : []));
      for (const { id, description, missing } of await faultsOf(this.#entities, kind, rows)) {
        const line = lines.get(id) ?? 0; // never 0: all faults are in rows of the page
        if (!missing) throw refusedAt(line, description);
        const key = keyOf(missing.target, missing.id);
        if (!this.#unresolved.has(key)) this.#unresolved.set(key, { line, description });
        if (this.#unresolved.size > MAX_UNRESOLVED)
          throw refusedAt(line, `more than ${MAX_UNRESOLVED} entities are referenced before they appear`);
      }
    }
  }
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
