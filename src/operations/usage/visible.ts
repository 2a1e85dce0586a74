/** Limits the journal and usage to the identities and services that the caller may read. */
import type { Call } from '../../call/call.ts';
import { granted, visibleIds } from '../../call/resources/granted.ts';
import { rowsById } from '../../call/resources/references.ts';
import { identity, router, service } from '../../contract/api/kinds.ts';
import { ALL, and, dateField, oneOf, type Predicate, rewrite, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** The times between which something is asked for. ISO texts */
export interface Between {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Selects the rows that began within a time, and whose identity and service the caller may read. */
export const visibleBetween = async (entities: Entities, call: Call, { from, to }: Between): Promise<Predicate> =>
  and(
    await ofVisible(entities, identity, 'identityId', call),
    await ofVisible(entities, service, 'serviceId', call),
    from === undefined ? ALL : { op: 'compare', field: dateField('begin'), is: '>=', value: from },
    to === undefined ? ALL : { op: 'compare', field: dateField('begin'), is: '<', value: to },
  );

const ofVisible = async (
  entities: Entities,
  kind: typeof identity | typeof service | typeof router,
  field: string,
  call: Call,
): Promise<Predicate> => {
  const where = await granted(entities, kind, call);
  if (where.op === 'all') return ALL;
  return oneOf(
    stringField(field),
    (await entities.list(kind, { where })).map(({ id }) => id),
  );
};

/** A condition that says nothing about routers that the caller may not see. */
export const withoutHiddenRouters = async (entities: Entities, where: Predicate, call: Call): Promise<Predicate> => {
  const visible = await ofVisible(entities, router, 'routerId', call);
  if (visible.op === 'all') return where;
  return rewrite(where, async (node) => ('field' in node && node.field.path[0] === 'routerId' ? and(node, visible) : node));
};

/** The names of the routers that the caller may see, by id; of one that is deleted, an empty one. */
export const visibleRouters = async (entities: Entities, ids: readonly string[], call: Call): Promise<ReadonlyMap<string, string>> => {
  const all = [...new Set(ids)];
  const [visible, rows] = [await visibleIds(entities, router, all, call), await rowsById(entities, router, all)];
  return new Map(all.filter((id) => visible.has(id)).map((id) => [id, rows.get(id)?.name ?? '']));
};
