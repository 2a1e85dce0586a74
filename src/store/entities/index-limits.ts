import type { Kind } from '../../contract/api/kit/resource.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { tableOf } from '../changelog/views.ts';
import { UniqueViolation } from '../storage/errors.ts';
import type { Row } from '../storage/port.ts';

/** Maximum UTF-8 bytes of an indexed text. Every store accepts it in an index (PostgreSQL accepts 2,704 bytes for an entire entry). */
const MAX_BYTES = 2048;

/** The indexed fields of a kind: unique fields, references and sets. */
const indexedFields = (kind: Pick<Kind, 'fields'>): readonly string[] => {
  let fields = memoizedFields.get(kind);
  if (!fields) {
    fields = Object.entries(kind.fields).flatMap(([name, { unique, index, set }]) => (unique || index || set ? [name] : []));
    memoizedFields.set(kind, fields);
  }
  return fields;
};
const memoizedFields = new WeakMap<object, readonly string[]>();

/**
 * Rejects new texts that are too long for the indexes of some store, so that all stores accept the same values.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field
 */
export const checkIndexed = (
  kind: Pick<Kind, 'fields'>,
  row: Readonly<Record<string, unknown>>,
  before?: Readonly<Record<string, unknown>>,
): void => {
  for (const field of indexedFields(kind)) {
    const value = row[field];
    if (value === before?.[field]) continue;
    // Existing texts of an adopted network may be longer.
    const isNewAndTooLong = (text: unknown) => isTooLong(text) && ![before?.[field]].flat().includes(text);
    const tooLong = (Array.isArray(value) ? value : [value]).find(isNewAndTooLong);
    if (tooLong !== undefined) throw invalidField(field, `${field} in body should be at most ${MAX_BYTES} bytes long in UTF-8`, tooLong);
  }
};

const utf8 = new TextEncoder();
/** Does not encode short texts: a UTF-16 unit takes at most three bytes. */
const isTooLong = (value: unknown): boolean =>
  typeof value === 'string' && value.length * 3 > MAX_BYTES && utf8.encode(value).length > MAX_BYTES;

/** Runs a write, and reports a taken unique value as an API error. */
export const rejectTakenValues = async (kind: Kind, row: Row, write: () => Promise<void>) => {
  try {
    await write();
  } catch (error) {
    if (error instanceof UniqueViolation && error.kind === tableOf(kind))
      throw invalidField(error.field, `${error.field} must be unique`, row[error.field]);
    throw error;
  }
};
