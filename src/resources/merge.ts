import type { WriteMode } from '../api/kit/field.ts';
import type { Kind, RowOf } from '../api/kit/resource.ts';
import { fieldsOf } from '../api/kit/variants.ts';
import type { WriteVerb } from '../call/behaviour.ts';
import type { NewRow } from '../entities/entities.ts';
import { invalidField } from '../errors/index.ts';
import type { Row } from '../storage/port.ts';

type Values = Readonly<Record<string, unknown>>;

/** The stored fields of a new entity: those given, and the default of every other. */
export const rowFields = (kind: Kind, body: Values): Values => {
  const row: Record<string, unknown> = { tags: body.tags ?? {} };
  for (const [name, field] of Object.entries(fieldsOf(kind, body))) {
    if (field.keep === 'stored' || field.keep === 'hidden') row[name] = (field.write === 'never' ? undefined : body[name]) ?? field.default;
  }
  return row;
};

/** All fields of a row that the controller itself makes: those given, the defaults of the others, and what only the controller may set. */
export const newRow = <R extends Kind>(kind: R, given: Partial<RowOf<R>>, own: Partial<RowOf<R>>): NewRow<R> =>
  ({ ...rowFields(kind, given), ...own }) as NewRow<R>; // `rowFields` gives every field of the table

/**
 * The fields that a replace or patch changes. Replace resets writable fields that are not given to their defaults and leaves all
 * others alone; patch changes what is given, in documents with a `patch` schema leaf by leaf.
 */
export const mergeBody = (kind: Kind, verb: WriteVerb, before: Row, body: Values): Values => {
  const changes: Record<string, unknown> = {};
  if (verb === 'replace' || body.tags !== undefined) changes.tags = body.tags ?? {};
  for (const [name, field] of Object.entries(fieldsOf(kind, before))) {
    const { write, keep } = field;
    if (!CHANGED_BY[verb].includes(write) || keep === 'input') continue;
    if (verb === 'replace') changes[name] = body[name] ?? field.default;
    else if (name in body) changes[name] = field.patch ? mergeLeaves(before[name], body[name]) : body[name];
  }
  return changes;
};

/** True if a patch names a field that it may change or, in a document that is patched leaf by leaf, a leaf. */
export const givesAnything = (kind: Kind, body: Values): boolean =>
  Object.entries(body).some(([name, value]) => {
    const field = kind.fields[name];
    return name === 'tags' || (field !== undefined && field.write !== 'discriminator' && (field.patch ? hasLeaf(value) : true));
  });

/** @throws ApiError `COULD_NOT_VALIDATE` with the field when a body has another discriminator than the entity */
export const refuseChangeOfFixed = (kind: Kind, before: Row, body: Values): void => {
  for (const [name, { write }] of Object.entries(kind.fields)) {
    if (write === 'discriminator' && body[name] !== before[name])
      throw invalidField(name, `${name} of this ${kind.kind} is ${before[name]} and cannot be changed`, body[name]);
  }
};

const hasLeaf = (value: unknown): boolean => (isDocument(value) ? Object.values(value).some(hasLeaf) : value !== undefined);

/** Documents are merged leaf by leaf; a leaf that is not given stays, and a document without any is not given itself. */
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
