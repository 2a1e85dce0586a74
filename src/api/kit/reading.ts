import type * as z from 'zod';
import type { Surface } from '../surfaces/surface.ts';
import { type ListQuery, listQuery } from './list-query.ts';
import { nounsOf, nounWithArticle } from './nouns.ts';
import { data, type Operation, operation, type Page, type Permission, page } from './operation.ts';
import type { Names } from './resource.ts';

export interface ReadOptions {
  /** In paths: `routers`. */
  readonly collection: string;
  /** In the names of the operations: `['Router', 'Routers']`. */
  readonly names: Names;
  readonly permission: Permission;
  readonly surfaces: readonly Surface[];
  /** See `Answer`: the kind whose entities are listed. */
  readonly of?: string;
}

/** A type, not an interface: groups take records. */
export type ReadOperations<T> = {
  readonly list: Operation<z.input<typeof listQuery>, Page<T>, ListQuery>;
  readonly get: Operation<{ readonly id: string }, T>;
};

/** The two operations that read entities shown in a different form. */
export const readOperations = <T>(schema: z.ZodType<T>, { collection, names, of, ...common }: ReadOptions): ReadOperations<T> => ({
  list: operation('GET', `/${collection}`, {
    operationId: `list${names[1]}`,
    summary: `List ${nounsOf({ names })[1]}`,
    query: listQuery,
    answer: page(schema, of === undefined ? {} : { of }),
    ...common,
  }),
  get: operation('GET', `/${collection}/{id}`, {
    operationId: `detail${names[0]}`,
    summary: `Get ${nounWithArticle({ names })}`,
    answer: data(schema),
    ...common,
  }),
});
