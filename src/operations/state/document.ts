import { builtinConfigTypes } from '../../access/configs/builtin.ts';
import { OWNER_TAG, type SectionName } from '../../contract/api/declared-kinds.ts';
import type { Field, Kind } from '../../contract/api/kit/index.ts';
import { compareText } from '../../query/order.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { kindIn } from './lookup.ts';
import { type Rename, renameReferences } from './names.ts';
import { declaredFieldsOf, entityHasEnded, isDocument, type Values } from './values.ts';

/** The form in which a document declares entities. */
export interface DocumentOptions {
  /** Returns the name of an entity by its id. */
  readonly nameOf: Rename;
  /** True to include fields that only a setting discloses. */
  readonly disclosing: boolean;
  /** True to omit the owner label, because the document contains it. */
  readonly withoutOwner: boolean;
}

/**
 * Declares an entity: its name first, then the other fields in the order of their table, except default values.
 * @param values see `declaredValues`
 */
export const declarationOf = (kind: Kind, values: Values, options: DocumentOptions): Values => {
  const shown: Record<string, unknown> = { name: values.name };
  for (const { name, label, field } of declaredFieldsOf(kind, values)) {
    if (isOmitted(field, values[name]) || (field.disclosable && !options.disclosing)) continue;
    shown[label] = sortKeys(renameReferences(field, values[name], options.nameOf));
  }
  const { [OWNER_TAG]: owner, ...tags } = values.tags as Values; // tags are an object
  const shownTags = options.withoutOwner || owner === undefined ? tags : { ...tags, [OWNER_TAG]: owner };
  return Object.keys(shownTags).length === 0 ? shown : { ...shown, tags: sortKeys(shownTags) };
};

/** True for a value that a document may omit. */
const isOmitted = (field: Field, value: unknown): boolean => {
  if (field.declaredDefault !== undefined) return value === field.declaredDefault;
  if (value === null || value === undefined) return true;
  return ALWAYS_DECLARED.includes(field.write) ? false : isSameJson(value, field.default);
};

/** Bodies that create an entity must have these fields. */
const ALWAYS_DECLARED: readonly Field['write'][] = ['required', 'requiredOnCreate', 'createOnly', 'discriminator'];

/** Sorts the keys of all objects in a value, because not all stores preserve their order. */
export const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isDocument(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, each]) => [key, sortKeys(each)]),
  );
};

/** True for an entity that documents omit: a built-in one that is unchanged, or one that has ended and cannot be created again. */
export const isUndeclared = (section: SectionName, row: Values, now: string): boolean =>
  section === 'configTypes' ? isBuiltIn(row) : entityHasEnded(kindIn(section), row, now);

const isBuiltIn = ({ id, name, schema, target, tags }: Values): boolean =>
  builtinConfigTypes.some(
    (type) =>
      type.id === id &&
      type.name === name &&
      isSameJson(type.schema, schema) &&
      (type.target ?? 'service') === (target ?? 'service') &&
      isSameJson(tags ?? {}, {}),
  );
