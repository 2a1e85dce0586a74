import { surfaces as known } from '../surfaces/index.ts';
import type { Surface } from '../surfaces/surface.ts';
import type { Fields } from './field.ts';
import { listQuery } from './list-query.ts';
import { nounsOf, nounWithArticle } from './nouns.ts';
import { operation, type Permission, page } from './operation.ts';
import type { Resource } from './resource.ts';

interface RelatedOptions<Q> {
  readonly operationId: string;
  /** Default: what every list takes. */
  readonly query?: Q;
  /** Last part of the path, where it is not the child's collection. */
  readonly at?: string;
  /** Default: management. */
  readonly surfaces?: readonly Surface[];
}

/** The list of the entities of one kind that have to do with one entity of another: `GET /<parents>/{id}/<children>`. */
export const related = <F extends Fields, Q extends typeof listQuery = typeof listQuery>(
  parent: Pick<Resource, 'kind' | 'collection' | 'names' | 'nouns'>,
  child: Resource<string, F>,
  { operationId, query = listQuery as Q, at = child.collection, surfaces = [known.management] }: RelatedOptions<Q>,
) => {
  const [, many] = nounsOf(child);
  const path: `/${string}/{id}/${string}` = `/${parent.collection}/{id}/${at}`;
  return operation('GET', path, {
    operationId,
    summary: `List the ${many} of ${nounWithArticle(parent)}`,
    permission: `${parent.kind}.read` as Permission,
    surfaces,
    query,
    answer: page(child.schemas.detail),
  });
};
