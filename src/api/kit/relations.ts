import type * as z from 'zod';
import { list, mapOf, textUpTo } from './bounded.ts';
import type { Field, FieldOptions, Reference, WriteMode } from './field.ts';
import { hasSign, readSelectors, selectorFault } from './selectors.ts';

/** An id or an entry of a set. What is longer than an index takes is refused when it is written, with the name of its field. */
const word = textUpTo(65_536);

export interface ReferenceOptions extends FieldOptions, Partial<Omit<Reference, 'target'>> {
  /** Default `required`. */
  readonly write?: WriteMode;
  /** Stored when the field is left out, e.g. the id of the default policy. */
  readonly default?: string;
  readonly schema?: z.ZodType<string | null, string>;
}

type ReferenceField<W extends WriteMode, Out> = Field<W, 'stored', string, Out> & { readonly reference: Reference };

/** The id of an entity of kind `target`. In answers the entity's reference stands beside it: `authPolicyId` brings `authPolicy`. */
export function reference(
  target: string,
  options: ReferenceOptions & { readonly write: 'never'; readonly alone: true },
): Field<'never', 'stored', string, string>;
export function reference(target: string, options: ReferenceOptions & { readonly write: 'never' }): ReferenceField<'never', string>;
export function reference(
  target: string,
  options: ReferenceOptions & { readonly write: 'createOnly' },
): ReferenceField<'createOnly', string>;
export function reference(
  target: string,
  options: ReferenceOptions & { readonly write: 'optional'; readonly default: string },
): ReferenceField<'optional', string>;
export function reference(
  target: string,
  options: ReferenceOptions & { readonly write: 'optional' },
): ReferenceField<'optional', string | null>;
export function reference(target: string, options?: ReferenceOptions): ReferenceField<'required', string>;
export function reference(target: string, options: ReferenceOptions = {}): Field<WriteMode, 'stored', string, string | null> {
  const { write = 'required', onDelete = 'restrict', unknown = 'notFound', fault, alone, urlName, schema = word, ...rest } = options;
  return {
    ...rest,
    write,
    keep: 'stored',
    schema,
    default: options.default ?? null,
    index: true,
    reference: { target, onDelete, unknown, ...(fault ? { fault } : {}), ...(alone ? { alone } : {}), ...(urlName ? { urlName } : {}) },
  };
}

/** A hidden id of an entity of kind `target`, or null, set by the controller only: it makes deleting the target take effect here. */
export const hiddenReference = (
  target: string,
  onDelete: Reference['onDelete'],
): Field<'never', 'hidden', string, string | null> & { readonly reference: Reference } => ({
  write: 'never',
  keep: 'hidden',
  schema: word,
  default: null,
  index: true,
  reference: { target, onDelete, unknown: 'unresolved' },
});

/** By code point, as every list of texts is returned. */
export const sortedSet = (values: readonly string[]): readonly string[] => [...new Set(values)].sort(byCodePoint);

/** Order by Unicode code point. JavaScript's own `<` compares UTF-16 units, which differs above U+FFFF. */
export const byCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
};

/** Surrogates stand for code points above all others, yet lie below U+E000 as units: lift them. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** A set of texts: duplicates dropped, returned by code point. */
export const textSet = list(word, 1000)
  .transform(sortedSet)
  .meta({ id: 'TextSet', description: 'A set of texts: duplicates are dropped, the order is by code point.' });

/** Role attributes of one entity, at most. */
const MOST_ATTRIBUTES = 2000;
/** Entries of one role array, and entities that one entity refers to, at most. */
const MOST_ENTRIES = 10_000;

const attributeFault = (value: string): string | undefined => {
  if (value === '') return 'role attributes may not be empty';
  return hasSign(value) ? `role attributes may not be prefixed with ${value[0]}` : undefined;
};

const attribute = list(word, MOST_ATTRIBUTES).superRefine((values, context) => {
  const bad = values.find((value) => attributeFault(value) !== undefined);
  if (bad !== undefined) context.addIssue({ code: 'custom', message: attributeFault(bad), path: [] });
});

export const roleAttributes = attribute.transform(sortedSet).meta({
  id: 'RoleAttributes',
  description: 'A set of role attributes, by which policies select the entity. No attribute begins with # or @.',
});

const anyAttribute = list(word, MOST_ATTRIBUTES)
  .superRefine((values, context) => {
    if (values.includes('')) context.addIssue({ code: 'custom', message: 'role attributes may not be empty', path: [] });
  })
  .transform(sortedSet)
  .meta({ id: 'PlainRoleAttributes', description: 'A set of role attributes: any texts that are not empty.' });

type SetField = Field<'optional', 'stored', string[], readonly string[]> & Required<Pick<Field, 'set'>>;

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

type DerivedField = Field<'never', 'hidden', string[], readonly string[]> & Required<Pick<Field, 'set'>>;

const derived = (set: NonNullable<Field['set']>): DerivedField => ({
  write: 'never',
  keep: 'hidden',
  schema: textSet,
  default: [],
  set,
});

/** Texts that only the controller itself reads and writes: entities are found by them. */
export const notes = (): DerivedField => derived({ of: 'values' });

/** The attributes that the role array `from` names: kept beside it by every write, so that policies are found by them. */
export const attributeIndex = (from: string): DerivedField => derived({ of: 'attributeIndex', from });

/** The ids that are keys of the maps `from`, which are of one kind: kept beside them by every write, so that entities are found by them. */
export const keysOf = (...from: readonly string[]): DerivedField => derived({ of: 'keys', from });

/** The fields of a row with those that follow from others: what `attributeIndex` and `keysOf` say. */
export const withDerived = <R extends Readonly<Record<string, unknown>>>(fields: Readonly<Record<string, Field>>, row: R): R => {
  const following = Object.entries(fields).flatMap(([name, { set }]) => {
    // Role arrays are lists of texts, and maps are objects.
    if (set?.of === 'attributeIndex') return [[name, sortedSet(readSelectors((row[set.from] ?? []) as readonly string[]).attributes)]];
    return set?.of === 'keys' ? [[name, sortedSet(set.from.flatMap((map) => Object.keys((row[map] ?? {}) as object)))]] : [];
  });
  return following.length === 0 ? row : { ...row, ...Object.fromEntries(following) };
};

const idSet = list(word, MOST_ENTRIES)
  .superRefine((values, context) => {
    if (new Set(values).size < values.length) context.addIssue({ code: 'custom', message: 'may name each entity only once', path: [] });
  })
  .transform(sortedSet)
  .meta({ id: 'IdSet', description: 'A set of ids, each named once.' });

/** A set of ids of entities of kind `target`. An unknown id is 404; what is deleted leaves the set. */
export const references = (target: string): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: idSet,
  default: [],
  set: { of: 'references', target },
  filter: true,
});

/** A set of plain texts; none reads back as null. */
export const texts = (): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: textSet,
  default: [],
  set: { of: 'values' },
  filter: true,
});

/** The ids of entities of kind `target` that stand elsewhere in the row: kept beside it by the kind's behaviour, so that none of them is deleted. */
export const pointers = (target: string): DerivedField => derived({ of: 'references', target, onDelete: 'restrict' });

/** A map of names to values, replaced as a whole by PATCH. `keys`: the names are ids of that kind (unknown: 404). */
export const map = <In, Out>(
  value: z.ZodType<Out, In>,
  options: FieldOptions & { readonly keys?: string } = {},
): Field<'optional', 'stored', Record<string, In>, Readonly<Record<string, Out>>> => ({
  ...options,
  write: 'optional',
  keep: 'stored',
  schema: mapOf(value, MOST_ENTRIES),
  default: {},
});
