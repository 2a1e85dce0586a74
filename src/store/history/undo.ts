import { kinds } from '../../contract/api/kinds.ts';
import { withDerived } from '../../contract/api/kit/derived.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { Change } from '../../contract/changes/events.ts';
import { tableOf } from '../changelog/views.ts';
import type { Row } from '../storage/port.ts';

/** The earlier rows of one table, by id; undefined for a row that did not exist. */
export type UndoneRows = ReadonlyMap<string, Row | undefined>;

/** The rows that undoing some changes restores. */
export interface Undo {
  /** The revision of the restored state. Undefined if that state has the revision and the change log of the store. */
  readonly revision?: number | undefined;
  /** By table name. */
  readonly tables: ReadonlyMap<string, UndoneRows>;
}

/** An `Undo` to which changes can be added. */
export interface UndoBuilder extends Undo {
  /** Total number of rows. */
  readonly size: number;
  /** Records the state of a row before a write. Ignored if an earlier state of the row is already recorded. */
  note(table: string, id: string, before: Row | undefined): void;
}

export const createUndo = (revision?: number): UndoBuilder => {
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

/** Records the row that a change replaced. Call it for consecutive changes, oldest first. */
export const noteChange = (undo: UndoBuilder, { entity, entityId, before }: Change): void => {
  // A newer release on the same database may have kinds that this one lacks.
  const kind: Kind | undefined = kinds[entity];
  if (kind) undo.note(tableOf(kind), entityId, before ? restoredRow(kind, before) : undefined);
};

/**
 * Restores a stored row from a change record. Records contain no hidden fields: derived fields are computed again, and the others, such as
 * hashes and reported facts, get their defaults.
 */
export const restoredRow = (kind: Kind, recorded: Row): Row => {
  const defaults = Object.entries(kind.fields).flatMap(([name, field]) => (field.keep === 'hidden' ? [[name, field.default]] : []));
  return withDerived<Row>(kind.fields, { ...Object.fromEntries(defaults), ...recorded });
};
