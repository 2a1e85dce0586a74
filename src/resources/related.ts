import type { Fields } from '../api/kit/field.ts';
import type { ListQuery } from '../api/kit/list-query.ts';
import type { Page } from '../api/kit/operation.ts';
import type { Detail, Kind, Resource, RowOf } from '../api/kit/resource.ts';
import type { Call, Handler } from '../call/call.ts';
import type { Entities } from '../changes/entities.ts';
import { notFound } from '../errors/index.ts';
import { NONE, type Predicate } from '../query/index.ts';
import { listRows } from './crud.ts';

/**
 * A list below an entity: `via` says which entities have to do with the parent, and the list is like any other. Below an unknown parent
 * there is nothing, which is 404 or an empty list, as the parent's kind says.
 */
export const relatedList =
  <P extends Kind, F extends Fields, Q extends ListQuery & { readonly id: string }>(
    parent: P,
    child: Resource<string, F>,
    via: (entities: Entities, row: RowOf<P>, query: Omit<Q, 'id'>) => Predicate | Promise<Predicate>,
  ): Handler<Q, Page<Detail<F>>> =>
  (call: Call, { id, ...query }) =>
    call.read(async (entities) => {
      const row = await entities.get(parent, id);
      if (!row && parent.unknownParent !== 'emptyList') throw notFound(parent.kind, id);
      return listRows(entities, child, query, call, { within: row ? await via(entities, row, query) : NONE });
    });
