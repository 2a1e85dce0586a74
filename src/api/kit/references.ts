import type * as z from 'zod';
import { sortedSet } from '../../query/order.ts';
import { list, mapOf } from './bounded.ts';
import type { Field, FieldOptions, Reference, WriteMode } from './field.ts';
import { type HiddenSetField, hiddenSet, MOST_ENTRIES, type SetField, word } from './sets.ts';

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
    reference: {
      target,
      onDelete,
      unknown,
      ...(fault ? { fault } : {}),
      ...(alone ? { alone } : {}),
      ...(urlName ? { urlName } : {}),
      ...(standIn ? { standIn } : {}),
      ...(write === 'never' && options.default === undefined ? { isSet: true as const } : {}),
    },
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

const idSet = list(word, MOST_ENTRIES)
  .superRefine((values, context) => {
    if (new Set(values).size < values.length) context.addIssue({ code: 'custom', message: 'may name each entity only once', path: [] });
  })
  .transform(sortedSet)
  .meta({ id: 'IdSet', description: 'A set of ids, each named once.' });

/** A set of ids of entities of kind `target`. An unknown id is 404; deleted entities leave the set. */
export const references = (target: string): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: idSet,
  default: [],
  set: { of: 'references', target },
  filter: true,
});

/** The ids of entities of kind `target` in other fields of the row, kept by the kind's behaviour, so that none of them is deleted. */
export const pointers = (target: string): HiddenSetField => hiddenSet({ of: 'references', target, onDelete: 'restrict' });

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
