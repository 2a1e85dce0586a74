import type * as z from 'zod';
import type { Fields } from './field.ts';
import type { Names, ResourceDeclaration } from './resource-declaration.ts';
import { type ResourceSchemas, schemasOf } from './resource-schemas.ts';
import type { AnyRow, CreateBody, Detail, PatchBody, ReplaceBody, RowFields, VisibleFields } from './resource-shapes.ts';

/** A kind as generic code sees it. The precise type of its rows is in the phantom `types`, as in `Operation`. */
export interface Kind extends ResourceDeclaration<string, Fields> {
  readonly variants?: { readonly by: string; readonly tables: Readonly<Record<string, Fields>> };
  readonly schemas: ResourceSchemas;
  /** Phantom: the type of the rows; never set. */
  readonly types?: { readonly row: AnyRow };
}

/**
 * A resource kind: its declaration, and the schemas of its bodies and details. If the kind has variants, the type of `fields` is the union
 * of their tables, and its value has the fields of all variants.
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
  /** Phantom: the type of the rows; never set. */
  readonly types?: { readonly row: RowFields<F> };
}

/** The row in the store. */
export type RowOf<R extends Pick<Kind, 'types'>> = NonNullable<R['types']>['row'];
/** The row in change records and events: without hidden fields and credentials. */
export type VisibleRowOf<R> = R extends Resource<string, infer F> ? VisibleFields<F> : never;

export type DetailOf<R> = R extends Resource<string, infer F> ? Detail<F> : never;

/** Derives the schemas of a kind from its declaration. */
export const resource = <const K extends string, const F extends Fields, const N extends Names>(
  declaration: ResourceDeclaration<K, F, N>,
): Resource<K, F, N> => ({
  ...declaration,
  schemas: schemasOf(declaration) as unknown as Resource<K, F>['schemas'], // the types match these shapes: both are computed from the same field table
});
