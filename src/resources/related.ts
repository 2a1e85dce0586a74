import type { ListQuery } from '../api/kit/list-query.ts';
import type { AnyRow, Kind } from '../api/kit/resource.ts';
import type { Call, Handler } from '../call/call.ts';
import type { Entities } from '../entities/entities.ts';
import { notFound } from '../errors/index.ts';
import { NONE, type Predicate } from '../query/index.ts';
import { writtenRows } from './crud.ts';
import { isVisible } from './granted.ts';

/** Which entities an entity is related to. @param query of the list, beyond what every list takes */
export type Via<Q = unknown> = (entities: Entities, row: AnyRow, query: Q) => Predicate | Promise<Predicate>;

/**
 * The predicate of what an entity is related to. Below a parent that is unknown, or beyond what the caller may see, there is nothing, which is 404 or an
 * empty list, as the parent's kind says.
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

/** The list of the entities that one is related to: `via` says which, and the list is like any other. */
export const relatedList =
  <Q>(parent: Kind, child: Kind, via: Via<Q>): Handler<ListQuery & Q & { readonly id: string }> =>
  (call, { id, ...query }) =>
    call.read(async (entities) => {
      const within = await relatedWithin(entities, parent, id, call, (row) => via(entities, row, query as Q)); // all but the id
      return writtenRows(entities, child, query, call, { within });
    });
