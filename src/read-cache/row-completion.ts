/**
 * What a release that does not know some fields of a kind leaves out of its rows: those that are derived from others, which may also be out of date, and the
 * defaults of those that queries compare.
 */
import { kinds } from '../api/index.ts';
import {
  derivedFields,
  type Field,
  type Fields,
  fieldsOf,
  isDerived,
  isSameDerived,
  type Kind,
  wrongDerivedFields,
} from '../api/kit/index.ts';
import { isChangedKind } from '../changelog/events.ts';
import { isInView, tableOf } from '../changelog/views.ts';
import { isUnrecorded } from '../changelog/visible.ts';
import { ALL, or, type Predicate, stringField } from '../query/index.ts';
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
  let defaults = known.get(fields);
  if (!defaults) {
    defaults = Object.entries(fields).flatMap(([name, field]) => (hasComparedDefault(field) ? [[name, field.default] as const] : []));
    known.set(fields, defaults);
  }
  return defaults;
};
const known = new WeakMap<Fields, readonly (readonly [string, unknown])[]>();

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

/** Rows without a default are found by its column. Whether a field is derived correctly shows in the document alone. */
export const completableRows: readonly CompletableRows[] = [...byTable].map(([table, kindsIn]) => {
  const fields = kindsIn.flatMap(({ fields }) => Object.entries(fields));
  const lacking = fields.flatMap(([name, field]) =>
    hasComparedDefault(field) ? [{ op: 'isNull', field: stringField(name) } as const] : [],
  );
  return { table, where: fields.some(([, field]) => isDerived(field)) ? ALL : or(...lacking) };
});

/** The names of the fields that this release completes, in an order that does not change. */
export const completedFields: readonly string[] = completable
  .flatMap(({ kind, fields }) => Object.entries(fields).flatMap(([name, field]) => (isCompleted(field) ? [`${kind}.${name}`] : [])))
  .toSorted();

/** A row with what it lacks; undefined if it lacks nothing. */
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
 * Whether a row may be incomplete after a change by an unknown release, if it was complete before: such a release drops no field, but does not know how to
 * derive it. @param before as the change shows it, without hidden fields; `after` too
 */
export const mayBeIncomplete = (kind: Kind, before: Values | null, after: Values): boolean => {
  const fields = fieldsOf(kind, after);
  if (comparedDefaults(fields).some(([name]) => after[name] === undefined && !isUnrecorded(kind, name))) return true;
  const was: Values = before ? derivedFields(fields, before) : {};
  return Object.entries(derivedFields(fields, after)).some(([name, value]) => !isSameDerived(was[name], value));
};
