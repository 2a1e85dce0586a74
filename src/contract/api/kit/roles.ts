import { sortedSet } from '../../../query/order.ts';
import { list } from './bounded.ts';
import type { Field } from './field.ts';
import type { Kind } from './resource.ts';
import { MAX_ENTRIES, type SetField, word } from './sets.ts';

/** Maximum number of role attributes of one entity. */
export const MAX_ATTRIBUTES = 2000;

/** The reason why a text is not a role attribute; undefined if it is one. */
export const attributeFault = (value: string): string | undefined => {
  if (value === '') return 'role attributes may not be empty';
  return hasSign(value) ? `role attributes may not be prefixed with ${value[0]}` : undefined;
};

const attributes = list(word, MAX_ATTRIBUTES).superRefine((values, context) => {
  const invalid = values.find((value) => attributeFault(value) !== undefined);
  if (invalid !== undefined) context.addIssue({ code: 'custom', message: attributeFault(invalid), path: [] });
});

/** Role attributes to add to an entity or remove from it. They are validated together with the others of the entity. */
export const attributesToEdit = list(word, MAX_ATTRIBUTES);

const roleAttributes = attributes.transform(sortedSet).meta({
  id: 'RoleAttributes',
  description: 'A set of role attributes, by which policies select the entity. Attributes must not begin with # or @.',
});

const anyAttributes = list(word, MAX_ATTRIBUTES)
  .superRefine((values, context) => {
    if (values.includes('')) context.addIssue({ code: 'custom', message: 'role attributes may not be empty', path: [] });
  })
  .transform(sortedSet)
  .meta({ id: 'PlainRoleAttributes', description: 'A set of role attributes: texts that are not empty.' });

/** A set of role attributes. In answers, an empty set is null. */
export const roles = (): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: roleAttributes,
  default: [],
  set: { of: 'attributes' },
  filter: true,
});

/** Like `roles`, but any text is a valid attribute, and an empty set is an empty list in answers. */
export const plainRoles = (): SetField & { readonly set: { readonly of: 'attributes'; readonly empty: 'list' } } => ({
  write: 'optional',
  keep: 'stored',
  schema: anyAttributes,
  default: [],
  set: { of: 'attributes', empty: 'list' },
  filter: true,
  filterableSince: '2.0',
});

/**
 * Invalid sets keep their duplicates, so that the fault is still detected when the entities are looked up: `#all` twice is invalid, unlike
 * a single `#all`.
 */
const selectorSet = list(word, MAX_ENTRIES)
  .transform((values) => (selectorFault(values) === undefined ? sortedSet(values) : values))
  .meta({ id: 'Selectors', description: 'A set of `#attribute` and `@id`, or `#all` alone.' });

type SelectorsField = Field<'optional', 'stored', string[], readonly string[]> & {
  readonly set: { readonly of: 'selectors'; readonly target: string };
};

/** The role array of a policy. Answers also contain it for display: `identityRolesDisplay` for `identityRoles`. */
export const selectors = (target: string): SelectorsField => ({
  write: 'optional',
  keep: 'stored',
  schema: selectorSet,
  default: [],
  set: { of: 'selectors', target },
  filter: true,
});

/**
 * The name of the role array with which policies of a kind select entities of the kind `target`.
 * @throws TypeError if there is none
 */
export const roleArrayOf = ({ kind, fields }: Pick<Kind, 'kind' | 'fields'>, target: Pick<Kind, 'kind'>): string => {
  const found = Object.entries(fields).find(([, { set }]) => set?.of === 'selectors' && set.target === target.kind);
  if (!found) throw new TypeError(`${kind} selects no ${target.kind}`);
  return found[0];
};

/** The entry that selects every entity of the kind; it must be alone. Only this module depends on the syntax of role arrays. */
export const EVERYTHING = '#all';

export const selectorOfAttribute = (attribute: string): string => `#${attribute}`;
export const selectorOfId = (id: string): string => `@${id}`;

/** A parsed role array. `attributes` and `ids` are without `#` and `@`. */
export interface Selection {
  readonly everything: boolean;
  readonly ids: readonly string[];
  /** True if `ids` contains the id; fast for any number of ids. */
  hasId(id: string): boolean;
  readonly attributes: readonly string[];
}

/** Role arrays are read often and never mutated, so each is parsed once. */
const cache = new WeakMap<readonly string[], Selection>();

export const readSelectors = (roles: readonly string[]): Selection => {
  let selection = cache.get(roles);
  if (selection === undefined) cache.set(roles, (selection = parse(roles)));
  return selection;
};

const parse = (roles: readonly string[]): Selection => {
  const ids: string[] = [];
  const attributes: string[] = [];
  for (const entry of roles) {
    if (entry.startsWith('@')) ids.push(entry.slice(1));
    else if (entry.startsWith('#') && entry !== EVERYTHING) attributes.push(entry.slice(1));
  }
  // Created lazily: most callers only need the list of ids.
  let idSet: Set<string> | undefined;
  return { everything: roles.includes(EVERYTHING), ids, hasId: (id) => (idSet ??= new Set(ids)).has(id), attributes };
};

/** The id in an entry `@id`; undefined for other entries. */
export const idOfSelector = (entry: string): string | undefined => (entry.startsWith('@') ? entry.slice(1) : undefined);

export const hasSign = (entry: string): boolean => entry.startsWith('#') || entry.startsWith('@');

/** The reason why a role array is invalid, regardless of existing entities; undefined if it is valid. */
export const selectorFault = (roles: readonly string[]): string | undefined => {
  if (roles.includes(EVERYTHING) && roles.length > 1) return 'if using #all, it should be the only role specified';
  if (roles.every(hasSign)) return undefined;
  return 'role entries must be prefixed with # (to indicate role attributes) or @ (to indicate an id)';
};

/** The field with the attribute index of a role array: `identityWords` for `identityRoles`. The name dates from the first release. */
export const attributeIndexField = (roles: string): string => roles.replace(/Roles$/, 'Words');
