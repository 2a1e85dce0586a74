import type { ListQuery } from '../../contract/api/kit/list-query.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import type { AnyRow } from '../../contract/api/kit/resource-shapes.ts';
import { notFound } from '../../contract/errors/index.ts';
import { NONE, type Predicate } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Call } from '../call.ts';
import type { Handler } from '../entry.ts';
import { serializedRows } from './crud.ts';
import { isVisible } from './granted.ts';

/**
 * The predicate of the entities to which an entity is related.
 * @param query the parameters that the list has beyond those of every list
 */
export type Via<Q = unknown> = (entities: Entities, row: AnyRow, query: Q) => Predicate | Promise<Predicate>;

/**
 * The predicate of the entities to which a parent is related. If the parent does not exist, or the caller may not see it, its kind
 * determines whether the list is empty or the request is refused.
 * @throws ApiError `NOT_FOUND`
 */
export const relatedWithin = async (
  entities: Entities,
  parent: Kind,
  id: string,
  call: Call,
  via: (row: AnyRow) => Predicate | Promise<Predicate>,
): Promise<Predicate> => {
  const row = (await isVisible(entities, parent, id, call)) ? await entities.get(parent, id) : undefined;
  if (!row && parent.unknownParent !== 'emptyList') throw notFound(parent.kind, id);
  return row ? via(row) : NONE;
};

/** The handler of a related list: a list like any other, restricted by the predicate that `via` returns. */
export const relatedList =
  <Q>(parent: Kind, child: Kind, via: Via<Q>): Handler<ListQuery & Q & { readonly id: string }> =>
  (call, { id, ...query }) =>
    call.read(async (entities) => {
      const within = await relatedWithin(entities, parent, id, call, (row) => via(entities, row, query as Q)); // all but the id
      return serializedRows(entities, child, query, call, { within });
    });
