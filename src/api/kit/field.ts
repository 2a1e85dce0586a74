import type * as z from 'zod';
import type { FieldType } from '../../query/predicate.ts';

/**
 * When the field table of a kind lets a client write a field. `required`: needed by create and replace. `optional`: by neither. `requiredOnCreate`,
 * `requiredOnReplace`: by that one alone. `createOnly`, `createOnlyOptional`: taken by create alone. `discriminator`: repeated in every body, and never
 * changed. `never`: read only.
 */
export type WriteMode =
  | 'required'
  | 'optional'
  | 'createOnly'
  | 'createOnlyOptional'
  | 'requiredOnCreate'
  | 'requiredOnReplace'
  | 'discriminator'
  | 'never';

/** How a field is kept and shown: `stored` in the row, `computed` when shown, `input` accepted but not stored, `hidden` stored but not shown. */
export type KeepMode = 'stored' | 'computed' | 'input' | 'hidden';

export interface FieldOptions {
  /** No two entities share a value; null does not count. A clash is 400 with this field. */
  readonly unique?: boolean;
  /** Usable in `filter` and `sort`: by its own name, or by another. */
  readonly filter?: true | string;
  /** Often queried by value: gets an index. References and unique fields have one anyway. */
  readonly index?: boolean;
  /** Left out of answers while it is null or false. Otherwise null is shown. */
  readonly absent?: boolean;
  /** Changing it alone does not draw a revision (activity dates). */
  readonly volatile?: boolean;
  /** For a hidden field that the kind's behaviour may show if a setting allows it. Events and records never have it. */
  readonly disclosable?: boolean;
  /**
   * Its value is a credential, such as an enrollment token. Delegated callers see it with the right to create or update entities of the
   * kind, never with the right to read them, and no event and no record has it.
   */
  readonly credential?: true;
  /** Shows entities of another kind, with their credentials. */
  readonly shows?: string;
  /** For a hidden field that is sealed under the host's secret key: the context of the seal, from the row. A text sealed for one context opens in no other. */
  readonly sealedFor?: (row: Readonly<Record<string, unknown>>) => string;
  /** PATCH changes the leaves that are given, not the whole document; `patch` is the schema of such a partial document. */
  readonly patch?: z.ZodType;
}

export interface Field<W extends WriteMode = WriteMode, K extends KeepMode = KeepMode, In = unknown, Out = unknown> extends FieldOptions {
  readonly write: W;
  readonly keep: K;
  readonly schema: z.ZodType<Out, In>;
  /** The schema in bodies, if it differs from that of answers; default `schema`. */
  readonly input?: z.ZodType;
  /** The value that is stored when a write leaves the field out. */
  readonly default: Out | null;
  /** A single entity of another kind, by id. */
  readonly reference?: Reference;
  /**
   * `attributes`: role attributes (`empty`: how an empty set is shown, default null). `selectors`: `#attribute`, `@id` or `#all`, of entities of a
   * kind. `attributeIndex`: the attributes that another field's selectors name. `keys`: the keys of other fields that are maps. `folded`: the text of
   * another field in case-folded form, if there is one. `references`: ids of
   * entities of a kind, removed from the set when the entity is deleted, unless `restrict` prevents that. `values`: plain strings.
   */
  readonly set?:
    | { readonly of: 'attributes'; readonly empty?: 'list' }
    | { readonly of: 'selectors'; readonly target: string }
    | { readonly of: 'attributeIndex'; readonly from: string }
    | { readonly of: 'keys'; readonly from: readonly string[] }
    | { readonly of: 'folded'; readonly from: string }
    | { readonly of: 'references'; readonly target: string; readonly onDelete?: 'restrict' }
    | { readonly of: 'values' };
  /** A map whose keys are ids of another kind. */
  readonly keys?: string;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Reference {
  readonly target: string;
  /** The effect of deleting the target: refused with 409, deletes this entity too, or clears the field. */
  readonly onDelete: 'restrict' | 'cascade' | 'unset';
  /** How an unknown id is refused: 404; 400 with the field; 400 `REFERENCED_ENTITY_NOT_FOUND`. */
  readonly unknown: 'notFound' | 'invalid' | 'unresolved';
  /** Name of the field in that refusal; default: the field's own. */
  readonly fault?: string;
  /** The id stands alone in answers, without the entity's reference beside it. */
  readonly alone?: true;
  /** The entity's reference also names its collection as `urlName`. */
  readonly urlName?: true;
  /** The reference is null if there is no entity; default: it is omitted. */
  readonly orNull?: true;
  /** Every entity has one. Default: the field may be null. */
  readonly isSet?: true;
  /** Recognises values that stand in for an id and name no entity. */
  readonly standIn?: (value: string) => boolean;
}

type Schema<In, Out> = z.ZodType<Out, In>;

/** A stored field without a default. */
const stored =
  <const W extends WriteMode>(write: W) =>
  <In, Out, O extends FieldOptions>(schema: Schema<In, Out>, options?: O): Field<W, 'stored', In, Out> & Pick<O, 'patch' & keyof O> =>
    ({ ...options, write, keep: 'stored', schema, default: null }) as Field<W, 'stored', In, Out> & O; // with all of the options

/** Needed on create and replace. */
export const required = stored('required');

/** Needed on create, and immutable afterwards. */
export const createOnly = stored('createOnly');

/** Says which variant an entity is: needed in every body, patches included. A value other than the entity's is refused. */
export const discriminator = stored('discriminator');

/** A field that is left out of answers while it is unset. */
type Absent = { readonly absent: true };

/** May be left out: then it is `default` on create and replace (null if no default is given). */
export function optional<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & Absent & { readonly default?: NoInfer<Out> },
): Field<'optional', 'stored', In, Out | null> & Absent;
export function optional<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly default: NoInfer<Out> },
): Field<'optional', 'stored', In, Out>;
export function optional<In, Out>(schema: Schema<In, Out>, options?: FieldOptions): Field<'optional', 'stored', In, Out | null>;
export function optional<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly default?: Out } = {},
): Field<'optional', 'stored', In, Out | null> {
  return { ...options, write: 'optional', keep: 'stored', schema, default: options.default ?? null };
}

/** Needed on create. Replace resets it when it is left out; patch does not accept it. */
export const requiredOnCreate = <In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly default: NoInfer<Out> },
): Field<'requiredOnCreate', 'stored', In, Out> => ({ ...options, write: 'requiredOnCreate', keep: 'stored', schema });

/** Optional on create (then `default`), needed on replace. */
export const requiredOnReplace = <In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly default: NoInfer<Out> },
): Field<'requiredOnReplace', 'stored', In, Out> => ({ ...options, write: 'requiredOnReplace', keep: 'stored', schema });

/** Accepted in a body for the kind's behaviour, which stores something derived from it. */
export function writeOnly<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly required: true },
): Field<'required', 'input', In, Out>;
export function writeOnly<In, Out>(schema: Schema<In, Out>, options?: FieldOptions): Field<'optional', 'input', In, Out | null>;
export function writeOnly<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly required?: true } = {},
): Field<WriteMode, 'input', In, Out | null> {
  return { ...options, write: options.required ? 'required' : 'optional', keep: 'input', schema, default: null };
}

/** Accepted in one form on create, shown in another: bodies hold `input`, answers compute `schema`. */
export const convertedOnCreate = <In, Out>(
  input: z.ZodType<unknown, In>,
  schema: z.ZodType<Out>,
): Field<'createOnlyOptional', 'computed', In, Out> => ({
  write: 'createOnlyOptional',
  keep: 'computed',
  input,
  schema: schema as Schema<In, Out>, // bodies are read with `input`, so the input type of `schema` never matters
  default: null,
});

/** Never accepted in a body. `keep` defaults to `stored`; `computed`: when shown; `hidden`: stored and never shown. */
export function readOnly<In, Out>(schema: Schema<In, Out>): Field<'never', 'stored', In, Out | null>;
export function readOnly<In, Out>(schema: Schema<In, Out>, options: { readonly keep: 'computed' }): Field<'never', 'computed', In, Out>;
export function readOnly<In, Out, K extends KeepMode>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly keep: K; readonly default?: Out },
): Field<'never', K, In, Out | null>;
export function readOnly<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & Absent & { readonly default?: Out },
): Field<'never', 'stored', In, Out | null> & Absent;
export function readOnly<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly default: NoInfer<Out> },
): Field<'never', 'stored', In, Out>;
export function readOnly<In, Out>(schema: Schema<In, Out>, options: FieldOptions): Field<'never', 'stored', In, Out | null>;
export function readOnly<In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly keep?: KeepMode; readonly default?: Out } = {},
): Field<'never', KeepMode, In, Out | null> {
  return { ...options, write: 'never', keep: options.keep ?? 'stored', schema, default: options.default ?? null };
}

/** A secret that must be read again. @param place as `sealedFor` */
export const sealed = <In, Out>(
  schema: Schema<In, Out>,
  place: (row: Readonly<Record<string, unknown>>) => string,
): Field<'never', 'hidden', In, Out | null> => readOnly(schema, { keep: 'hidden', sealedFor: place });

const NEEDED: readonly WriteMode[] = ['required', 'createOnly', 'discriminator'];

/** True if every entity has a value of the field, without a default. */
export const isAlwaysSet = ({ write, absent, reference }: Field): boolean =>
  absent !== true && (NEEDED.includes(write) || reference?.isSet === true);

/** True if an empty set is shown as an empty list, not as null. */
export const showsEmptyList = (set: NonNullable<Field['set']>): boolean => 'empty' in set && set.empty === 'list';

/** The type that a filter compares the field as, derived from its schema. */
export const fieldType = (schema: z.ZodType): FieldType => {
  // zod keeps the kind of a schema in `def`; only these few wrappers occur around the value of a field.
  const { def } = schema as z.ZodType & { def: { type: string; format?: string; innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType } };
  switch (def.type) {
    case 'number':
    case 'int':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'optional':
    case 'nullable':
      return fieldType(def.innerType as z.ZodType);
    case 'pipe':
      return fieldType(def.in as z.ZodType);
    case 'string':
      return def.format === 'datetime' ? 'date' : 'string';
    default:
      return 'string';
  }
};
