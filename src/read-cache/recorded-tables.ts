import { kinds } from '../api/index.ts';
import type { Field } from '../api/kit/field.ts';
import type { Kind } from '../api/kit/resource.ts';
import { isChangedKind } from '../changelog/events.ts';
import { tableOf } from '../changelog/views.ts';

/** A table whose writes draw a revision and leave a change record, except writes of its volatile fields. */
export interface RecordedTable {
  /** Fields whose writes leave no record. */
  readonly volatile: readonly string[];
  /** Fields that refer to other entities, and stand in the records. */
  readonly references: readonly string[];
  /** True if it has sealed fields. */
  readonly isSealed: boolean;
}

const allKinds: readonly Kind[] = Object.values(kinds);

const tables: ReadonlyMap<string, RecordedTable> = new Map(
  [...Map.groupBy(allKinds, tableOf)].flatMap(([table, its]) => {
    const fields = its.flatMap(({ fields }) => Object.entries(fields));
    const named = (is: (field: Field) => unknown) => fields.flatMap(([name, field]) => (is(field) ? [name] : []));
    const references = named(({ reference, keep, volatile }) => reference && keep === 'stored' && !volatile);
    const about = { volatile: named(({ volatile }) => volatile), references, isSealed: named(({ sealedFor }) => sealedFor).length > 0 };
    return its.every(({ kind }) => isChangedKind(kind)) ? [[table, about]] : [];
  }),
);

/** Undefined for a table without change records: nothing that is read from it can be cached. */
export const recordedTable = (table: string): RecordedTable | undefined => tables.get(table);

/** True if every write to a table draws a revision, so that its whole rows can be cached. */
export const isRecordedWholly = (table: string): boolean => tables.get(table)?.volatile.length === 0;
