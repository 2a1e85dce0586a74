import type { RoleAttributeGrants } from '../../../api/grants-with-end.ts';
import type { Field, Kind } from '../../../api/kit/index.ts';
import { fieldsOf } from '../../../api/kit/variants.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A field that documents declare. */
export interface DeclaredField {
  /** Its name in rows and bodies: `authPolicyId`. */
  readonly name: string;
  /** Its name in documents, where it holds a name instead of an id: `authPolicy`. */
  readonly label: string;
  readonly field: Field;
}

/** The fields that documents declare of an entity: those that clients may write, and that are stored. */
export const declaredFieldsOf = (kind: Kind, entity: Values): readonly DeclaredField[] =>
  Object.entries(fieldsOf(kind, entity))
    .filter(
      ([name, { write, keep, disclosable }]) => write !== 'never' && (keep === 'stored' || disclosable || isTypeOfIdentity(kind, name)),
    )
    .map(([name, field]) => ({
      name,
      label: (field.reference || field.idOf !== undefined) && name.endsWith('Id') ? name.slice(0, -2) : name,
      field,
    }));

/** The type of an identity, which is stored as its identity type. */
const isTypeOfIdentity = ({ kind }: Kind, name: string): boolean => kind === 'identity' && name === 'type';

/** Values that a document need not give, although a body must. */
export const IMPLIED: Readonly<Record<string, Values>> = { identity: { type: 'Default', isAdmin: false } };

/**
 * The values that a row has for the fields that documents declare, by name, with `tags`. Two rows are the same for documents if these are equal.
 * @param now ISO text: grants that have ended are left out
 */
export const declaredValues = (kind: Kind, row: Values, now: string): Values => {
  const values: Record<string, unknown> = {};
  for (const { name, field } of declaredFieldsOf(kind, row)) values[name] = plainValue(field, row[name] ?? field.default);
  return { ...values, tags: row.tags ?? {}, ...SPECIAL[kind.kind]?.(row, now) };
};

/** Absent texts are null, and documents that are patched leaf by leaf have no leaves that are null. */
const plainValue = ({ absent, patch }: Field, value: unknown): unknown => {
  if (absent && (value === '' || value === false)) return null;
  return patch ? withoutNullLeaves(value) : value;
};

const withoutNullLeaves = (value: unknown): unknown =>
  isDocument(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, leaf]) => (leaf === null || leaf === undefined ? [] : [[name, withoutNullLeaves(leaf)]])),
      )
    : value;

/** What rows store in another form than documents declare it. */
const SPECIAL: Readonly<Record<string, (row: Values, now: string) => Values>> = {
  identity: ({ typeId, roleAttributes, roleAttributeGrants }, now) => {
    const grants = Object.entries((roleAttributeGrants ?? {}) as RoleAttributeGrants); // as the field declares it
    const open = grants.filter(([, { validUntil }]) => validUntil > now);
    const granted = new Set(open.map(([attribute]) => attribute));
    return {
      type: typeId,
      roleAttributes: (roleAttributes as readonly string[]).filter((each) => !granted.has(each)), // a set of texts
      roleAttributeGrants: open.length === 0 ? null : Object.fromEntries(open),
    };
  },
  servicePolicy: ({ identityRoles, endedIdentityRoles }) => ({ identityRoles: endedIdentityRoles ?? identityRoles }),
};

/** True if a service policy has ended: it selects no identity, and cannot be created. */
export const policyHasEnded = ({ validUntil }: Values, now: string): boolean => typeof validUntil === 'string' && validUntil <= now;

export const isDocument = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
