import { OWNER_TAG, type SectionName } from '../../../api/declared-kinds.ts';
import type { Field, Kind } from '../../../api/kit/index.ts';
import { compareText } from '../../../query/order.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { builtinConfigTypes } from '../../catalogue/configs/builtin.ts';
import { type Rename, renamed } from './names.ts';
import { type DeclaredField, declaredFieldsOf, IMPLIED, isDocument, policyHasEnded, type Values } from './values.ts';

/** How an entity is shown in a document. */
export interface DocumentOptions {
  /** Gives the name of an entity by its id. */
  readonly nameOf: Rename;
  /** True to show fields that only a setting discloses. */
  readonly disclosing: boolean;
  /** True to leave out the owner label, which the document has. */
  readonly withoutOwner: boolean;
}

/**
 * An entity as documents declare it: its name first, the other fields in the order of their table, without those that have their default.
 * @param values see `declaredValues`
 */
export const declarationOf = (kind: Kind, values: Values, options: DocumentOptions): Values => {
  const shown: Record<string, unknown> = { name: values.name };
  for (const declared of declaredFieldsOf(kind, values)) {
    const { name, label, field } = declared;
    if (isOmitted(kind, declared, values[name]) || (field.disclosable && !options.disclosing)) continue;
    shown[label] = ordered(renamed(kind, name, field, values[name], options.nameOf));
  }
  const { [OWNER_TAG]: owner, ...tags } = values.tags as Values; // tags are an object
  const shownTags = options.withoutOwner || owner === undefined ? tags : { ...tags, [OWNER_TAG]: owner };
  return Object.keys(shownTags).length === 0 ? shown : { ...shown, tags: ordered(shownTags) };
};

/** True for a value that a document need not give. */
const isOmitted = ({ kind }: Kind, { name, field }: DeclaredField, value: unknown): boolean => {
  const implied = IMPLIED[kind]?.[name];
  if (implied !== undefined) return value === implied;
  if (value === null || value === undefined) return true;
  return ALWAYS_GIVEN.includes(field.write) ? false : isSameJson(value, field.default);
};

/** Bodies that create an entity must have these fields. */
const ALWAYS_GIVEN: readonly Field['write'][] = ['required', 'requiredOnCreate', 'createOnly', 'discriminator'];

/** The value with the keys of its objects sorted, because not all stores keep their order. */
export const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isDocument(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, each]) => [key, ordered(each)]),
  );
};

/** True if every network has the entity as it is, or it cannot be created any more: documents do not declare it. */
export const isUndeclared = (section: SectionName, row: Values, now: string): boolean =>
  section === 'configTypes' ? isBuiltIn(row) : section === 'servicePolicies' && policyHasEnded(row, now);

const isBuiltIn = ({ id, name, schema, target, tags }: Values): boolean =>
  builtinConfigTypes.some(
    (type) =>
      type.id === id &&
      type.name === name &&
      isSameJson(type.schema, schema) &&
      (type.target ?? 'service') === (target ?? 'service') &&
      isSameJson(tags ?? {}, {}),
  );
