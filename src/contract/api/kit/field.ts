import type * as z from 'zod';
import type { FieldType } from '../../../query/predicate.ts';

/**
 * When clients may write a field. `required`: create and replace require it, patch accepts it. `optional`: create, replace and patch accept
 * it. `requiredOnCreate`: create requires it, replace accepts it. `requiredOnReplace`: replace requires it, create and patch accept it.
 * `createOnly`, `createOnlyOptional`: only create requires or accepts it. `discriminator`: every body must repeat it, and it never changes.
 * `never`: read-only.
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

/**
 * `stored`: stored in the row and shown; `computed`: not stored, but computed when shown; `input`: accepted but not stored; `hidden`:
 * stored but not shown.
 */
export type KeepMode = 'stored' | 'computed' | 'input' | 'hidden';

export interface FieldOptions {
  /** Values other than null are unique within the kind. A duplicate is refused with 400, naming this field. */
  readonly unique?: boolean;
  /** Usable in `filter` and `sort`: by its own name if true, otherwise by this name. */
  readonly filter?: true | string;
  /** Indexed, because it is often queried by value. References and unique fields are always indexed. */
  readonly index?: boolean;
  /** Never null: the controller sets it on creation, although no body contains it. */
  readonly neverNull?: true;
  /** Left out of answers while it is null or false. Otherwise null is shown. */
  readonly absent?: boolean;
  /** A write that changes only volatile fields, such as activity dates, takes no revision. */
  readonly volatile?: boolean;
  /** A hidden field that the kind's behaviour may show if a setting allows it. Events and change records never contain it. */
  readonly disclosable?: boolean;
  /**
   * The value is a credential, such as an enrollment token. Delegates can read it only if they may create or update entities of the kind:
   * the right to read is not sufficient. Events and change records never contain it.
   */
  readonly credential?: true;
  /** Permissions never allow a PATCH that contains the field, regardless of its value. */
  readonly administratorsOnly?: true;
  /** The value is the id of an entity of this kind, which does not prevent the deletion of that entity. */
  readonly idOf?: string;
  /** The values are role attributes of entities of this kind. Default for a set of attributes: the field's own kind. */
  readonly attributesOf?: string;
  /** The kind whose entities, including their credentials, this field shows. */
  readonly shows?: string;
  /**
   * A hidden field encrypted with the host's secret key: derives the context from the row. A text sealed for one context cannot be opened
   * in another.
   */
  readonly sealedFor?: (row: Readonly<Record<string, unknown>>) => string;
  /** The release that introduced the field. With an older setting `compat`, answers do not contain the field, and filters reject it. */
  readonly since?: '2.0' | '2.1';
  /** The release that introduced the filter symbol of an older field. */
  readonly filterableSince?: '2.0';
  /** Numbers that filters may contain in place of values of the field, by value. */
  readonly filterNumbers?: Readonly<Record<string, number>>;
  /** The name of the field in filters with the setting `compat` 1.7, where it replaces the field that has this name in later releases. */
  readonly filterIn17?: string;
  /** Computes the value of a hidden field from the fields that change records show, at every write. */
  derivedFrom?(row: Readonly<Record<string, unknown>>): unknown;
  /** For a field that exists only in bodies: the field of the row that stores its value. */
  readonly storedAs?: string;
  /** Never changes after creation, although bodies of PUT and PATCH may contain it. */
  readonly fixed?: true;
  /** Ids within a document: their kind, by path (`extJwt.allowedSigners[]` for a list). */
  readonly idsWithin?: Readonly<Record<string, string>>;
  /** A map with the ends (`validUntil`) of entries of the set with this name. Bodies that change one of the two must contain both. */
  readonly endsOf?: string;
  /** The value if a state document omits the field, although bodies require it. */
  readonly declaredDefault?: unknown;
  /** State documents do not contain entities in which this field is true. */
  readonly undeclared?: true;
  /** A PUT without the field keeps its value. Default: it resets the field. */
  readonly keptByReplace?: true;
  /**
   * PATCH changes only the given leaves, not the whole document; this is the schema of such a partial document, which accepts undefined,
   * and null if that resets the field.
   */
  readonly patch?: z.ZodType;
}

export interface Field<W extends WriteMode = WriteMode, K extends KeepMode = KeepMode, In = unknown, Out = unknown> extends FieldOptions {
  readonly write: W;
  readonly keep: K;
  readonly schema: z.ZodType<Out, In>;
  /** The schema in bodies, if it differs from that of answers; default `schema`. */
  readonly input?: z.ZodType;
  /** The value that is stored if a write omits the field. */
  readonly default: Out | null;
  /** A single entity of another kind, by id. */
  readonly reference?: Reference;
  /**
   * `attributes`: role attributes (`empty`: how an empty set is shown, default null). `selectors`: `#attribute`, `@id` or `#all`, of
   * entities of a kind. `attributeIndex`: the attributes in another field's selectors. `keys`: the keys of other fields, which are maps.
   * `folded`: the case-folded text of another field. `references`: ids of entities of a kind; deleting an entity removes its id from the
   * set, unless `restrict` prevents the deletion. `values`: plain strings (`empty` as above).
   */
  readonly set?:
    | { readonly of: 'attributes'; readonly empty?: 'list' }
    | { readonly of: 'selectors'; readonly target: string }
    | { readonly of: 'attributeIndex'; readonly from: string }
    | { readonly of: 'keys'; readonly from: readonly string[] }
    | { readonly of: 'folded'; readonly from: string }
    | { readonly of: 'references'; readonly target: string; readonly onDelete?: 'restrict'; readonly empty?: 'list' }
    | { readonly of: 'values'; readonly empty?: 'list' };
  /** A map whose keys are ids of another kind. */
  readonly keys?: string;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Reference {
  readonly target: string;
  /** When the target is deleted: `restrict` refuses that with 409, `cascade` deletes this entity too, `unset` clears the field. */
  readonly onDelete: 'restrict' | 'cascade' | 'unset';
  /**
   * The answer for an unknown id. `notFound`: 404; `invalid`: 400 for the field; `unresolved`: 400 `REFERENCED_ENTITY_NOT_FOUND`;
   * `byBehaviour`: the behaviour of the kind decides, where the order of checks matters.
   */
  readonly unknown: 'notFound' | 'invalid' | 'unresolved' | 'byBehaviour';
  /** Name of the field in that error; default: its own name. */
  readonly fault?: string;
  /** Answers contain only the id, without a reference to the entity. */
  readonly alone?: true;
  /** The reference in answers also has the collection as `urlName`. */
  readonly urlName?: true;
  /** The reference in answers is null if the field is; default: it is omitted. */
  readonly orNull?: true;
  /** True for values that are valid instead of the id of an entity. */
  readonly standIn?: (value: string) => boolean;
}

type Schema<In, Out> = z.ZodType<Out, In>;

/** A stored field without a default. */
const stored =
  <const W extends WriteMode>(write: W) =>
  <In, Out, O extends FieldOptions>(schema: Schema<In, Out>, options?: O): Field<W, 'stored', In, Out> & Pick<O, 'patch' & keyof O> =>
    ({ ...options, write, keep: 'stored', schema, default: null }) as Field<W, 'stored', In, Out> & O; // the spread keeps all options

/** Required on create and replace. */
export const required = stored('required');

/** Required on create, and immutable afterwards. */
export const createOnly = stored('createOnly');

/** Identifies the variant of an entity. Required in every body, including patches; a value other than the entity's own is refused. */
export const discriminator = stored('discriminator');

/** A field that answers omit while it is unset. */
type Absent = { readonly absent: true };

/** May be omitted: create and replace then set it to `default` (null if no default is given). */
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

/** Required on create. Replace resets it to `default` if it is omitted; patch does not accept it. */
export const requiredOnCreate = <In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly default: NoInfer<Out> },
): Field<'requiredOnCreate', 'stored', In, Out> => ({ ...options, write: 'requiredOnCreate', keep: 'stored', schema });

/** Optional on create, where `default` applies; required on replace. */
export const requiredOnReplace = <In, Out>(
  schema: Schema<In, Out>,
  options: FieldOptions & { readonly default: NoInfer<Out> },
): Field<'requiredOnReplace', 'stored', In, Out> => ({ ...options, write: 'requiredOnReplace', keep: 'stored', schema });

/** Accepted in bodies but not stored: the kind's behaviour stores something derived from it. */
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

/** Accepted in one form on create, and shown in another: bodies contain `input`, and answers a computed value of `schema`. */
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

/** Never accepted in a body. `keep` defaults to `stored`. */
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

/**
 * A secret that is stored encrypted, because it must be read again.
 * @param context see `sealedFor`
 */
export const sealed = <In, Out>(
  schema: Schema<In, Out>,
  context: (row: Readonly<Record<string, unknown>>) => string,
  options: Pick<FieldOptions, 'neverNull'> = {},
): Field<'never', 'hidden', In, Out | null> => readOnly(schema, { ...options, keep: 'hidden', sealedFor: context });

const REQUIRED_ON_CREATE: readonly WriteMode[] = ['required', 'createOnly', 'discriminator'];

/** True if the field is never unset and needs no default. */
export const isAlwaysSet = ({ write, absent, neverNull }: Field): boolean =>
  absent !== true && (REQUIRED_ON_CREATE.includes(write) || neverNull === true);

/** True if an empty set is shown as an empty list, not as null. */
export const showsEmptyList = (set: NonNullable<Field['set']>): boolean => 'empty' in set && set.empty === 'list';

/** The type of the schema in filters. */
export const fieldType = (schema: z.ZodType): FieldType => {
  // zod keeps the type of a schema in `def`. Fields use only the wrappers below.
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
