import type * as z from 'zod';
import type { Surface } from '../surfaces/surface.ts';
import { type ListQuery, listQuery } from './list-query.ts';
import { nounsOf, nounWithArticle } from './nouns.ts';
import { data, type Operation, operation, type Page, type Permission, page } from './operation.ts';
import type { Names } from './resource-declaration.ts';

export interface ReadOptions {
  /** Collection in paths: `routers`. */
  readonly collection: string;
  /** Singular and plural in operation names: `['Router', 'Routers']`. */
  readonly names: Names;
  readonly permission: Permission;
  readonly acceptedPermissions?: NonNullable<Operation['acceptedPermissions']>;
  readonly surfaces: readonly Surface[];
  /** The kind whose entities are listed, see `Answer`. */
  readonly of?: string;
  readonly belongsTo?: NonNullable<Operation['belongsTo']>;
}

/** A type, not an interface: a group takes a record of operations, and interfaces have no index signature. */
export type ReadOperations<T> = {
  readonly list: Operation<z.input<typeof listQuery>, Page<T>, ListQuery>;
  readonly get: Operation<{ readonly id: string }, T>;
};

/** The list and get operations of entities whose representation differs from the details of their kind. */
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
