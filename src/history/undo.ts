import { kinds } from '../api/kinds.ts';
import { withDerived } from '../api/kit/derived.ts';
import type { Kind } from '../api/kit/resource.ts';
import type { Change } from '../changelog/events.ts';
import { tableOf } from '../changelog/views.ts';
import type { Row } from '../storage/port.ts';

/** The rows of one table as they were, by id; undefined for one that did not exist. */
export type UndoneRows = ReadonlyMap<string, Row | undefined>;

/** Changes to be undone: which rows of which tables differ from the store, and what they were. */
export interface Undo {
  /** The revision of the state in which the changes are undone. Without it, that state has the revision and the change log of the store. */
  readonly revision?: number | undefined;
  /** By name of the table. */
  readonly tables: ReadonlyMap<string, UndoneRows>;
}

/** An `Undo` that grows. */
export interface GrowingUndo extends Undo {
  /** Number of rows of all tables. */
  readonly size: number;
  /** Notes what a row was before a write. The first note of each row counts. */
  note(table: string, id: string, before: Row | undefined): void;
}

export const growingUndo = (revision?: number): GrowingUndo => {
  const tables = new Map<string, Map<string, Row | undefined>>();
  let size = 0;
  return {
    revision,
    tables,
    get size() {
      return size;
    },
    note: (table, id, before) => {
      const rows = tables.get(table) ?? new Map<string, Row | undefined>();
      if (rows.size === 0) tables.set(table, rows);
      if (rows.has(id)) return;
      rows.set(id, before);
      size++;
    },
  };
};

/**
 * The state before some changes.
 * @param changes consecutive, oldest first
 * @param revision the revision before the first of them. Default: that of the first change, minus one; undefined without changes
 */
export const undoOf = (changes: readonly Change[], revision: number | undefined = before(changes)): Undo => {
  const undo = growingUndo(revision);
  for (const change of changes) noteChange(undo, change);
  return undo;
};

const before = ([first]: readonly Change[]): number | undefined => first && first.revision - 1;

/** Notes what a change replaced. Call it for consecutive changes, oldest first. */
export const noteChange = (undo: GrowingUndo, { entity, entityId, before }: Change): void => {
  // A newer release on the same database may have kinds that this one does not know.
  const kind: Kind | undefined = kinds[entity];
  if (kind) undo.note(tableOf(kind), entityId, before ? restoredRow(kind, before) : undefined);
};

/**
 * A row as its kind stores it, from what a change record says of it. Records contain no hidden fields: what can be computed is computed again, and the others,
 * such as hashes and reported facts, have their defaults.
 */
export const restoredRow = (kind: Kind, recorded: Row): Row => {
  const defaults = Object.entries(kind.fields).flatMap(([name, field]) => (field.keep === 'hidden' ? [[name, field.default]] : []));
  return withDerived<Row>(kind.fields, { ...Object.fromEntries(defaults), ...recorded });
};
