import { list } from './bounded.ts';
import type { Field } from './field.ts';
import type { Kind } from './resource.ts';
import { hasSign, selectorFault } from './selectors.ts';
import { MOST_ENTRIES, type SetField, sortedSet, word } from './sets.ts';

/** Role attributes of one entity, at most. */
const MOST_ATTRIBUTES = 2000;

const attributeFault = (value: string): string | undefined => {
  if (value === '') return 'role attributes may not be empty';
  return hasSign(value) ? `role attributes may not be prefixed with ${value[0]}` : undefined;
};

const attribute = list(word, MOST_ATTRIBUTES).superRefine((values, context) => {
  const bad = values.find((value) => attributeFault(value) !== undefined);
  if (bad !== undefined) context.addIssue({ code: 'custom', message: attributeFault(bad), path: [] });
});

const roleAttributes = attribute.transform(sortedSet).meta({
  id: 'RoleAttributes',
  description: 'A set of role attributes, by which policies select the entity. No attribute begins with # or @.',
});

const anyAttribute = list(word, MOST_ATTRIBUTES)
  .superRefine((values, context) => {
    if (values.includes('')) context.addIssue({ code: 'custom', message: 'role attributes may not be empty', path: [] });
  })
  .transform(sortedSet)
  .meta({ id: 'PlainRoleAttributes', description: 'A set of role attributes: any texts that are not empty.' });

/** A set of role attributes; none reads back as null. */
export const roles = (): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: roleAttributes,
  default: [],
  set: { of: 'attributes' },
  filter: true,
});

/** As `roles`, but any text is an attribute, filters do not know the set, and none reads back as an empty list. */
export const plainRoles = (): SetField & { readonly set: { readonly of: 'attributes'; readonly empty: 'list' } } => ({
  write: 'optional',
  keep: 'stored',
  schema: anyAttribute,
  default: [],
  set: { of: 'attributes', empty: 'list' },
});

/** Invalid sets are left unsorted, duplicates included, so that the fault is found when the entities are looked up: #all twice is not #all once. */
const selectorSet = list(word, MOST_ENTRIES)
  .transform((values) => (selectorFault(values) === undefined ? sortedSet(values) : values))
  .meta({ id: 'Selectors', description: 'A set of `#attribute` and `@id`, or `#all` alone.' });

type SelectorsField = Field<'optional', 'stored', string[], readonly string[]> & {
  readonly set: { readonly of: 'selectors'; readonly target: string };
};

/** The role array of a policy. In answers its display stands beside it: `identityRoles` brings `identityRolesDisplay`. */
export const selectors = (target: string): SelectorsField => ({
  write: 'optional',
  keep: 'stored',
  schema: selectorSet,
  default: [],
  set: { of: 'selectors', target },
  filter: true,
});

/**
 * The role array by which policies select entities of a kind.
 * @throws TypeError when they select none of them
 */
export const roleArrayOf = ({ kind, fields }: Pick<Kind, 'kind' | 'fields'>, target: Pick<Kind, 'kind'>): string => {
  const found = Object.entries(fields).find(([, { set }]) => set?.of === 'selectors' && set.target === target.kind);
  if (!found) throw new TypeError(`${kind} selects no ${target.kind}`);
  return found[0];
};
