/** The types of rows, bodies and answers, computed from the table of fields. */
import type * as z from 'zod';
import type { EntityReference, Link, Tags } from './entity.ts';
import type { Field, Fields, KeepMode, WriteMode } from './field.ts';
import type { RoleDisplay } from './role-display.ts';

/** A stored row of any kind. */
export interface AnyRow {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
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
  /** When the entity was created: ISO 8601, UTC. */
  readonly createdAt: string;
  /** Id of the entity: unique within the kind, and assigned by the controller. */
  readonly id: string;
  /** User-defined names with values. */
  readonly tags: Tags;
  /** When the entity last changed: ISO 8601, UTC. */
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
/** The row in the store. */
export type RowFields<F> = F extends Fields ? Expand<BaseRow & { readonly [K in KeysKept<F, 'stored' | 'hidden'>]: Value<F[K]> }> : never;
type KeysOfCredentials<F> = { [K in keyof F]: F[K] extends { readonly credential: true } ? K : never }[keyof F];
/** The row in change records and events: without hidden fields and credentials. */
export type VisibleFields<F> = F extends Fields
  ? Expand<BaseRow & { readonly [K in Exclude<KeysKept<F, 'stored'>, KeysOfCredentials<F>>]: Value<F[K]> }>
  : never;
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
