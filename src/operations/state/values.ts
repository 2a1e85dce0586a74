import type { RoleAttributeGrants } from '../../contract/api/grants-with-end.ts';
import type { Field, Kind } from '../../contract/api/kit/index.ts';
import { fieldsOf } from '../../contract/api/kit/variants.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A field that documents can declare. */
interface DeclaredField {
  /** Its name in rows and bodies: `authPolicyId`. */
  readonly name: string;
  /** Its name in documents, in which references are names instead of ids: `authPolicy`. */
  readonly label: string;
  readonly field: Field;
}

/** The fields of an entity that documents declare: stored fields that clients may write. */
export const declaredFieldsOf = (kind: Kind, entity: Values): readonly DeclaredField[] =>
  Object.entries(fieldsOf(kind, entity))
    .filter(
      ([, { write, keep, disclosable, storedAs }]) => write !== 'never' && (keep === 'stored' || disclosable || storedAs !== undefined),
    )
    .map(([name, field]) => ({
      name,
      label: (field.reference || field.idOf !== undefined) && name.endsWith('Id') ? name.slice(0, -2) : name,
      field,
    }));

/**
 * The values of the declared fields of a row, by name, with `tags`. Documents do not distinguish rows with equal values.
 * @param now ISO text: ended grants are omitted
 */
export const declaredValues = (kind: Kind, row: Values, now: string): Values => {
  const values: Record<string, unknown> = { tags: row.tags ?? {} };
  const declared = declaredFieldsOf(kind, row);
  for (const { name, field } of declared) values[name] = normalizeValue(field, row[field.storedAs ?? name] ?? field.default);
  for (const { name, field } of declared)
    if (field.endsOf !== undefined) Object.assign(values, withoutEnded(values, name, field.endsOf, now));
  if (kind.ends) values[kind.ends.of] = row[kind.ends.keptIn] ?? values[kind.ends.of];
  return values;
};

/** The grants that have not ended, and the entries of their set that do not end. */
const withoutEnded = (values: Values, name: string, set: string, now: string): Values => {
  const grants = Object.entries((values[name] ?? {}) as RoleAttributeGrants); // as fields with `endsOf` are declared
  const open = grants.filter(([, { validUntil }]) => validUntil > now);
  const granted = new Set(open.map(([entry]) => entry));
  return {
    [set]: (values[set] as readonly string[]).filter((each) => !granted.has(each)), // a set of texts
    [name]: open.length === 0 ? null : Object.fromEntries(open),
  };
};

/** Replaces absent texts by null, and removes null leaves from values that are patched leaf by leaf. */
const normalizeValue = ({ absent, patch }: Field, value: unknown): unknown => {
  if (absent && (value === '' || value === false)) return null;
  return patch ? withoutNullLeaves(value) : value;
};

const withoutNullLeaves = (value: unknown): unknown =>
  isDocument(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, leaf]) => (leaf === null || leaf === undefined ? [] : [[name, withoutNullLeaves(leaf)]])),
      )
    : value;

/** True for an entity that has ended, so that it grants nothing and cannot be created again. */
export const entityHasEnded = ({ ends }: Kind, values: Values, now: string): boolean => {
  const end = ends && values[ends.at];
  return typeof end === 'string' && end <= now;
};

export const isDocument = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
