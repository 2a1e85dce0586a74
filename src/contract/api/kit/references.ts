import type * as z from 'zod';
import { sortedSet } from '../../../query/order.ts';
import { list, mapOf } from './bounded.ts';
import type { Field, FieldOptions, Reference, WriteMode } from './field.ts';
import { type HiddenSetField, hiddenSet, MAX_ENTRIES, type SetField, word } from './sets.ts';

export interface ReferenceOptions extends FieldOptions, Partial<Omit<Reference, 'target'>> {
  /** Default `required`. */
  readonly write?: WriteMode;
  /** The id that is stored if the field is omitted, e.g. that of the default policy. */
  readonly default?: string;
  readonly schema?: z.ZodType<string | null, string>;
}

type ReferenceField<W extends WriteMode, Out> = Field<W, 'stored', string, Out> & { readonly reference: Reference };

/** The id of an entity of kind `target`. Answers also contain a reference to that entity: `authPolicy` for `authPolicyId`. */
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
  options: ReferenceOptions & { readonly write: 'optional'; readonly default: string; readonly alone: true },
): Field<'optional', 'stored', string, string>;
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
  const {
    write = 'required',
    onDelete = 'restrict',
    unknown = 'notFound',
    fault,
    alone,
    urlName,
    standIn,
    schema = word,
    ...rest
  } = options;
  return {
    ...rest,
    write,
    keep: 'stored',
    schema,
    default: options.default ?? null,
    index: true,
    ...(write === 'never' && options.default === undefined ? { neverNull: true as const } : {}),
    reference: {
      target,
      onDelete,
      unknown,
      ...(fault ? { fault } : {}),
      ...(alone ? { alone } : {}),
      ...(urlName ? { urlName } : {}),
      ...(standIn ? { standIn } : {}),
    },
  };
}

/**
 * A hidden id of an entity of kind `target`, or null, which only the controller sets. `onDelete` applies when that entity is deleted.
 */
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

const idSet = list(word, MAX_ENTRIES)
  .superRefine((values, context) => {
    if (new Set(values).size < values.length) context.addIssue({ code: 'custom', message: 'must contain each id only once', path: [] });
  })
  .transform(sortedSet)
  .meta({ id: 'IdSet', description: 'A set of ids without duplicates.' });

/** A set of ids of entities of kind `target`. Unknown ids are rejected with 404; the ids of deleted entities are removed. */
export const references = (target: string): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: idSet,
  default: [],
  set: { of: 'references', target },
  filter: true,
});

/** A hidden copy of the ids of kind `target` in other fields, so that those entities cannot be deleted. The kind's behaviour updates it. */
export const pointers = (target: string): HiddenSetField => hiddenSet({ of: 'references', target, onDelete: 'restrict' });

/**
 * A map of names to values, which PATCH replaces completely. `keys`: the names are ids of this kind, and unknown ids are rejected with 404.
 */
export const map = <In, Out>(
  value: z.ZodType<Out, In>,
  options: FieldOptions & { readonly keys?: string } = {},
): Field<'optional', 'stored', Record<string, In>, Readonly<Record<string, Out>>> => ({
  ...options,
  write: 'optional',
  keep: 'stored',
  schema: mapOf(value, MAX_ENTRIES),
  default: {},
});
