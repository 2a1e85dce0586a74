import type { WriteMode } from '../../contract/api/kit/field.ts';
import type { Kind, RowOf } from '../../contract/api/kit/resource.ts';
import { fieldsOf } from '../../contract/api/kit/variants.ts';
import { invalidField } from '../../contract/errors/index.ts';
import type { NewRow } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import type { WriteVerb } from '../behaviour.ts';

type Values = Readonly<Record<string, unknown>>;

/** The stored fields of a new entity: the given ones, and defaults for all others. */
export const rowFields = (kind: Kind, body: Values): Values => {
  const row: Record<string, unknown> = { tags: body.tags ?? {} };
  const fields = fieldsOf(kind, body);
  for (const name in fields) {
    const field = fields[name];
    if (field?.keep === 'stored' || field?.keep === 'hidden')
      row[name] = (field.write === 'never' ? undefined : body[name]) ?? field.default;
  }
  return row;
};

/**
 * All fields of a row that the controller itself creates: the given ones, those that only the controller may set (`own`), and defaults for
 * all others.
 */
export const newRow = <R extends Kind>(kind: R, given: Partial<RowOf<R>>, own: Partial<RowOf<R>>): NewRow<R> =>
  Object.assign(rowFields(kind, given), own) as NewRow<R>; // `rowFields` gives every field of the table, in an object of its own

/**
 * The fields that a replace or patch changes. Replace resets the writable fields that are not given to their defaults. Patch changes only
 * the given fields, and only the given leaves of documents with a `patch` schema.
 */
export const mergeBody = (kind: Kind, verb: WriteVerb, before: Row, body: Values): Values => {
  const changes: Record<string, unknown> = {};
  if (verb === 'replace' || body.tags !== undefined) changes.tags = body.tags ?? {};
  const fields = fieldsOf(kind, before);
  for (const name in fields) {
    const field = fields[name];
    if (!field || !CHANGED_BY[verb].includes(field.write) || field.keep === 'input') continue;
    if (verb === 'replace') changes[name] = body[name] ?? (field.keptByReplace ? before[name] : field.default);
    else if (name in body) changes[name] = field.patch ? mergeLeaves(before[name], body[name]) : body[name];
  }
  return changes;
};

/** True if a patch contains a field to change or, for a document that is patched leaf by leaf, at least one leaf. */
export const givesAnything = (kind: Kind, body: Values): boolean =>
  Object.entries(body).some(([name, value]) => {
    const field = kind.fields[name];
    return name === 'tags' || (field !== undefined && field.write !== 'discriminator' && (field.patch ? hasLeaf(value) : true));
  });

/** @throws ApiError `COULD_NOT_VALIDATE` with the field if the body has a different discriminator than the entity */
export const refuseChangeOfFixed = (kind: Kind, before: Row, body: Values): void => {
  for (const name in kind.fields) {
    if (kind.fields[name]?.write === 'discriminator' && body[name] !== before[name])
      throw invalidField(name, `${name} of this ${kind.kind} is ${before[name]} and cannot be changed`, body[name]);
  }
};

const hasLeaf = (value: unknown): boolean => (isDocument(value) ? Object.values(value).some(hasLeaf) : value !== undefined);

/** Merges documents leaf by leaf. Leaves that are not given stay as they are, and a document without leaves counts as not given. */
const mergeLeaves = (before: unknown, given: unknown): unknown => {
  if (!hasLeaf(given)) return before;
  if (!isDocument(before) || !isDocument(given)) return given;
  const merged: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(given)) merged[key] = mergeLeaves(before[key], value);
  return merged;
};

const CHANGED_BY: Readonly<Record<WriteVerb, readonly WriteMode[]>> = {
  create: [],
  replace: ['required', 'optional', 'requiredOnReplace', 'requiredOnCreate'],
  patch: ['required', 'optional', 'requiredOnReplace'],
};

const isDocument = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
