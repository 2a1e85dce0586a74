/**
 * Completes rows that another release has written without the fields that it lacks: derived fields, which may also be stale, and fields
 * whose defaults queries compare.
 */

import { kinds } from '../../contract/api/index.ts';
import {
  derivedFields,
  type Field,
  type Fields,
  fieldsOf,
  isDerived,
  isSameDerived,
  type Kind,
  wrongDerivedFields,
} from '../../contract/api/kit/index.ts';
import { isChangedKind } from '../../contract/changes/events.ts';
import { ALL, or, type Predicate, stringField } from '../../query/index.ts';
import { isInView, tableOf } from '../changelog/views.ts';
import { isUnrecorded } from '../changelog/visible.ts';
import type { Row } from '../storage/port.ts';

type Values = Readonly<Record<string, unknown>>;

const allKinds: readonly Kind[] = Object.values(kinds);

/** True if a row that lacks the field is not found by its default. */
const hasComparedDefault = ({ default: unset, keep, set, unique, filter, filterIn17, index }: Field): boolean =>
  unset !== null &&
  unset !== undefined &&
  !set &&
  (keep === 'stored' || keep === 'hidden') &&
  Boolean(unique || filter || filterIn17 || index);

/** True if this release completes the field in rows of another one. */
const isCompleted = (field: Field): boolean => isDerived(field) || hasComparedDefault(field);

const comparedDefaults = (fields: Fields): readonly (readonly [name: string, value: unknown])[] => {
  let defaults = memoizedDefaults.get(fields);
  if (!defaults) {
    defaults = Object.entries(fields).flatMap(([name, field]) => (hasComparedDefault(field) ? [[name, field.default] as const] : []));
    memoizedDefaults.set(fields, defaults);
  }
  return defaults;
};
const memoizedDefaults = new WeakMap<Fields, readonly (readonly [string, unknown])[]>();

/** The kinds whose rows another release may leave incomplete. */
const completable = allKinds.filter(
  ({ kind, fields, logOnly }) => isChangedKind(kind) && !logOnly && Object.values(fields).some(isCompleted),
);
const byName: ReadonlyMap<string, Kind> = new Map(completable.map((kind) => [kind.kind, kind]));
const byTable: ReadonlyMap<string, readonly Kind[]> = Map.groupBy(completable, tableOf);

/** The kind with this name, if its rows may be incomplete. */
export const kindNamed = (name: string): Kind | undefined => byName.get(name);

/** The rows of a table that may be incomplete. */
export interface CompletableRows {
  readonly table: string;
  readonly where: Predicate;
}

/** Rows that lack a default can be selected by its column. Stale derived fields can only be found by reading every document. */
export const completableRows: readonly CompletableRows[] = [...byTable].map(([table, kindsIn]) => {
  const fields = kindsIn.flatMap(({ fields }) => Object.entries(fields));
  const lacking = fields.flatMap(([name, field]) =>
    hasComparedDefault(field) ? [{ op: 'isNull', field: stringField(name) } as const] : [],
  );
  return { table, where: fields.some(([, field]) => isDerived(field)) ? ALL : or(...lacking) };
});

/** The names of the fields that this release completes, in a stable order. */
export const completedFields: readonly string[] = completable
  .flatMap(({ kind, fields }) => Object.entries(fields).flatMap(([name, field]) => (isCompleted(field) ? [`${kind}.${name}`] : [])))
  .toSorted();

/**
 * Adds the fields that a row lacks.
 * @returns undefined if the row is complete
 */
export const completeRow = (table: string, row: Row): Row | undefined => {
  let complete = row;
  for (const kind of byTable.get(table) ?? []) {
    if (!isInView(kind, complete)) continue;
    const fields = fieldsOf(kind, complete);
    const missing = comparedDefaults(fields).filter(([name]) => complete[name] === undefined);
    const wrong = wrongDerivedFields(fields, complete);
    if (missing.length > 0 || Object.keys(wrong).length > 0) complete = { ...complete, ...Object.fromEntries(missing), ...wrong };
  }
  return complete === row ? undefined : complete;
};

/**
 * True if a row that was complete may be incomplete after a change by another release: such a release keeps unknown fields, but cannot
 * derive them.
 * @param before the row in the change record, without hidden fields; null if it did not exist
 * @param after the same, after the change
 */
export const mayBeIncomplete = (kind: Kind, before: Values | null, after: Values): boolean => {
  const fields = fieldsOf(kind, after);
  if (comparedDefaults(fields).some(([name]) => after[name] === undefined && !isUnrecorded(kind, name))) return true;
  const was: Values = before ? derivedFields(fields, before) : {};
  return Object.entries(derivedFields(fields, after)).some(([name, value]) => !isSameDerived(was[name], value));
};
