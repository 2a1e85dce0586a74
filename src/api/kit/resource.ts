import * as z from 'zod';
import type { FieldType } from '../../query/predicate.ts';
import { type EntityReference, entityBase, entityReference, type Link, shownTags, type Tags, tags } from './entity.ts';
import { type Field, type Fields, type KeepMode, showsEmptyList, type WriteMode } from './field.ts';
import { preprocess } from './preprocess.ts';
import { displayName, type RoleDisplay, roleDisplay } from './role-display.ts';

/** Singular and plural of a kind, e.g. `['Identity', 'Identities']`. */
export type Names = readonly [singular: string, plural: string];

/** The declaration of a kind. Bodies, details, storage, filter symbols and links are derived from it. */
export interface ResourceDeclaration<K extends string, F extends Fields, N extends Names = Names> {
  /** Singular, as in error messages: `identity`, `configType`. */
  readonly kind: K;
  /** Collection in paths, links and references: `identities`. */
  readonly collection: string;
  /** Singular and plural as in operation names: `['Identity', 'Identities']`. */
  readonly names: N;
  /** Singular and plural in sentences; default: `names` as words. */
  readonly nouns?: Names;
  /** Name of the body, which the error for a missing body contains; default: the kind. */
  readonly bodyName?: string;
  /** Name in rights, if it differs from the kind's name: all kinds of routers share `router`. */
  readonly right?: string;
  /** One sentence for the reference documentation. */
  readonly about: string;
  readonly fields: F;
  /** A view, without a table: the rows of the kind `of` whose hidden field `where` is true. The two kinds share ids and unique values. */
  readonly view?: { readonly of: string; readonly where: string };
  /** An entity has the same id as an entity of another kind while its field has the given value. */
  readonly idOf?: { readonly kind: string; readonly while: readonly [field: string, value: string] };
  /** The entities are credentials of identities: delegated callers do not see those of identities with more rights. */
  readonly isCredential?: true;
  /** Internal state of controllers: writes draw no revision and leave no change record. */
  readonly unrecorded?: true;
  /** Only the change log has them: an insert appends a record, and writes no row. */
  readonly logOnly?: true;
  /** The answer for related lists of an unknown entity; default: 404. */
  readonly unknownParent?: 'emptyList';
  /** Paths relative to the entity that `_links` contains: `['services']` adds `./identities/{id}/services`. */
  readonly subLinks?: readonly string[];
  /** Other links: addresses by name, with `{field}` for a field of the row. A link may depend on a flag of the row. */
  readonly links?: Readonly<Record<string, string | { readonly at: string; readonly while: readonly [flag: string, is: boolean] }>>;
  /**
   * Filter symbols that are not top-level fields. `path`: a path into the document. `secret`: allows only tests for equality, with the value whose hash
   * is in `hashedAs` (without it, nothing matches). `selectedBy`: the ids that a role array selects. `computed`: a symbol that only the kind's behaviour
   * can evaluate, and that is not sortable; `shownAs` is the field of answers that shows it.
   */
  readonly symbols?: Readonly<
    Record<
      string,
      | { readonly path: string; readonly type: Exclude<FieldType, 'tag'> }
      | { readonly secret: Exclude<FieldType, 'tag'>; readonly hashedAs?: string }
      | { readonly selectedBy: string }
      | { readonly computed: Exclude<FieldType, 'tag'>; readonly shownAs: string }
    >
  >;
}

/** A stored row of any kind. */
export interface AnyRow {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

/** A kind for generic code, without precise types. The phantom `types` carries those, as in `Operation`. */
export interface Kind extends ResourceDeclaration<string, Fields> {
  readonly variants?: { readonly by: string; readonly tables: Readonly<Record<string, Fields>> };
  readonly schemas: Readonly<Record<'create' | 'replace' | 'patch' | 'detail', z.ZodType>>;
  /** Carries the type of the rows; never set. */
  readonly types?: { readonly row: AnyRow };
}

/**
 * A resource kind: its declaration, and the schemas of its bodies and details. If the kind has variants, the type of `fields` is the union of their
 * tables, and its value has the fields of all variants.
 */
export interface Resource<K extends string = string, F extends Fields = Fields, N extends Names = Names>
  extends ResourceDeclaration<K, F, N> {
  readonly variants?: { readonly by: string; readonly tables: Readonly<Record<string, Fields>> };
  readonly schemas: {
    readonly create: z.ZodType<CreateBody<F>>;
    readonly replace: z.ZodType<ReplaceBody<F>>;
    readonly patch: z.ZodType<PatchBody<F>>;
    readonly detail: z.ZodType<Detail<F>>;
  };
  /** Carries the type of the rows; never set. */
  readonly types?: { readonly row: RowFields<F> };
}

export interface BaseRow {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tags: Tags;
  readonly isSystem?: boolean;
}

export interface BaseDetail {
  /** Relative addresses of the entity and of related resources. */
  readonly _links: Readonly<Record<string, Link>>;
  /** When it was created: ISO 8601, UTC. */
  readonly createdAt: string;
  /** Unique within the kind, and assigned by the controller. */
  readonly id: string;
  /** User-defined names with values. */
  readonly tags: Tags;
  /** When it last changed: ISO 8601, UTC. */
  readonly updatedAt: string;
}

type In<X> = X extends Field<WriteMode, KeepMode, infer I, unknown> ? I : never;
/** The value of a field in a patch: a partial document if the field is patched leaf by leaf. */
type Patched<X> = X extends { readonly patch: z.ZodType<unknown, infer P> } ? P : In<X>;
/** A required set may be null, because answers show an empty set as null. */
type Needed<X> = X extends { readonly set: object } ? In<X> | null : In<X>;
type KeysWritten<F, W extends WriteMode> = { [K in keyof F]: F[K] extends { readonly write: W } ? K : never }[keyof F];
type KeysKept<F, M extends KeepMode> = { [K in keyof F]: F[K] extends { readonly keep: M } ? K : never }[keyof F];
type Value<X> = X extends Field<WriteMode, KeepMode, infer _I, infer O> ? O : never;
type Expand<T> = { [K in keyof T]: T[K] };
type TagsInput = {
  /** User-defined names with values: text, boolean or null; numbers with the setting `numericTags`. */
  readonly tags?: Tags | null | undefined;
};

// Conditional, so that it distributes over a union of tables.
export type CreateBody<F extends Fields> = F extends Fields
  ? Expand<
      { readonly [K in KeysWritten<F, 'required' | 'createOnly' | 'requiredOnCreate' | 'discriminator'>]: Needed<F[K]> } & {
        readonly [K in KeysWritten<F, 'optional' | 'createOnlyOptional' | 'requiredOnReplace'>]?: In<F[K]> | null | undefined;
      } & TagsInput
    >
  : never;
export type ReplaceBody<F extends Fields> = F extends Fields
  ? Expand<
      { readonly [K in KeysWritten<F, 'required' | 'requiredOnReplace' | 'discriminator'>]: Needed<F[K]> } & {
        readonly [K in KeysWritten<F, 'optional' | 'requiredOnCreate'>]?: In<F[K]> | null | undefined;
      } & TagsInput
    >
  : never;
export type PatchBody<F extends Fields> = F extends Fields
  ? Expand<
      { readonly [K in KeysWritten<F, 'discriminator'>]: In<F[K]> } & {
        readonly [K in KeysWritten<F, 'required' | 'optional' | 'requiredOnReplace'>]?: Patched<F[K]> | null | undefined;
      } & TagsInput
    >
  : never;
type RowFields<F> = F extends Fields ? Expand<BaseRow & { readonly [K in KeysKept<F, 'stored' | 'hidden'>]: Value<F[K]> }> : never;
/** The row in the store. */
export type RowOf<R extends Pick<Kind, 'types'>> = NonNullable<R['types']>['row'];
type KeysOfCredentials<F> = { [K in keyof F]: F[K] extends { readonly credential: true } ? K : never }[keyof F];
type VisibleFields<F> = F extends Fields
  ? Expand<BaseRow & { readonly [K in Exclude<KeysKept<F, 'stored'>, KeysOfCredentials<F>>]: Value<F[K]> }>
  : never;
/** The row in change records and events: without hidden fields and credentials. */
export type VisibleRowOf<R> = R extends Resource<string, infer F> ? VisibleFields<F> : never;
/** Hidden fields that answers may nevertheless show. */
type KeysDisclosable<F> = { [K in keyof F]: F[K] extends { readonly keep: 'hidden'; readonly disclosable: true } ? K : never }[keyof F];
type KeysAbsent<F> = { [K in keyof F]: F[K] extends { readonly absent: true } ? K : never }[keyof F];
/** The value of a field in answers: an empty set is shown as null, unless its declaration says otherwise. */
type Shown<X> = X extends { readonly set: { readonly empty: 'list' } }
  ? Value<X>
  : X extends { readonly set: object }
    ? Value<X> | null
    : Value<X>;
/** The entity in answers. */
export type Detail<F extends Fields> = F extends Fields ? DetailFields<F> : never;
type DetailFields<F extends Fields> = Expand<
  BaseDetail & { readonly [K in Exclude<KeysKept<F, 'stored' | 'computed'>, KeysAbsent<F>>]: Shown<F[K]> } & {
    readonly [K in Extract<KeysKept<F, 'stored' | 'computed'>, KeysAbsent<F>>]?: NonNullable<Value<F[K]>>;
  } & { readonly [K in KeysDisclosable<F>]?: Value<F[K]> } & {
    readonly [K in keyof F as F[K] extends { readonly reference: object; readonly keep: 'stored' }
      ? K extends `${infer Base}Id`
        ? Base
        : never
      : never]?: F[K] extends { readonly reference: { readonly orNull: true } } ? EntityReference | null : EntityReference;
  } & {
    readonly [K in keyof F as F[K] extends { readonly set: { readonly of: 'selectors' } }
      ? `${K & string}Display`
      : never]: readonly RoleDisplay[];
  }
>;

export type DetailOf<R> = R extends Resource<string, infer F> ? Detail<F> : never;

/** Derives the schemas of a kind from its declaration. */
export const resource = <const K extends string, const F extends Fields, const N extends Names>(
  declaration: ResourceDeclaration<K, F, N>,
): Resource<K, F, N> => {
  const { fields } = declaration;
  const entries = Object.entries(fields);
  const body = (shape: readonly (readonly [string, z.ZodType])[], id: string) =>
    z.object({ ...Object.fromEntries(shape), tags: tags.optional() }).meta({ id });
  const written = (partial: boolean, required: readonly WriteMode[], ...optional: WriteMode[]) =>
    entries
      .filter(([, { write }]) => required.includes(write) || optional.includes(write))
      .map(([key, { write, patch, schema, set, input = schema }]) => {
        const accepted = fields[`${key}Id`]?.reference ? idOrReference(input) : input;
        if (partial && write !== 'discriminator') return [key, patch ?? accepted.optional()] as const;
        if (!required.includes(write)) return [key, accepted.optional()] as const;
        return [key, set ? accepted.nullable() : accepted] as const;
      });
  const [singular] = declaration.names;
  return {
    ...declaration,
    schemas: {
      create: body(
        written(
          false,
          ['required', 'createOnly', 'requiredOnCreate', 'discriminator'],
          'createOnlyOptional',
          'optional',
          'requiredOnReplace',
        ),
        `${singular}Create`,
      ),
      replace: body(
        written(false, ['required', 'requiredOnReplace', 'discriminator'], 'optional', 'requiredOnCreate'),
        `${singular}Update`,
      ),
      patch: body(written(true, ['required', 'discriminator'], 'optional', 'requiredOnReplace'), `${singular}Patch`),
      detail: detailSchema(fields, `${singular}Detail`),
    } as unknown as Resource<K, F>['schemas'], // the types match these shapes: both are computed from the same field table
  };
};

/** For a field that is an id in bodies and a reference in answers: accepts both, so that an answer can be sent back. */
const idOrReference = (id: z.ZodType): z.ZodType =>
  preprocess((given) => {
    const reference = shownReference.safeParse(given);
    return reference.success ? reference.data.id : given;
  }, id);

const shownReference = z.object({ entity: z.string(), id: z.string() });

const detailSchema = (fields: Fields, id: string) => {
  const shown = Object.entries(fields).filter(([, { keep, disclosable }]) => keep === 'stored' || keep === 'computed' || disclosable);
  const shape = shown.flatMap(([key, field]) => {
    const plain = outputOf(field.schema);
    if (field.disclosable) return [[key, plain.nullish()]];
    const value = field.absent ? plain.optional() : mayBeNull(field) ? plain.nullable() : plain;
    if (field.set?.of === 'selectors')
      return [
        [key, value],
        [displayName(key), z.array(roleDisplay)],
      ];
    return field.reference && !field.reference.alone && key.endsWith('Id')
      ? [
          [key, value],
          [key.slice(0, -2), (field.reference.orNull ? entityReference.nullable() : entityReference).optional()],
        ]
      : [[key, value]];
  });
  return z
    .object({
      ...entityBase,
      tags: shownTags,
      ...Object.fromEntries(shape),
    })
    .meta({ id });
};

/** True if answers may show null for the field: for an empty set, or for a stored field that is unset. */
const mayBeNull = ({ keep, write, set, default: unset }: Field): boolean =>
  set !== undefined
    ? !showsEmptyList(set)
    : keep === 'stored' && unset === null && (write === 'optional' || write === 'createOnlyOptional' || write === 'never');

/** The schema of a field in answers: the output schema of a pipe, or its input schema if a transform has no output schema. */
const outputOf = (schema: z.ZodType): z.ZodType => {
  if (!(schema instanceof z.ZodPipe)) return schema;
  return schema.out instanceof z.ZodTransform ? outputOf(schema.in as z.ZodType) : (schema.out as z.ZodType); // the two parts are zod schemas
};
