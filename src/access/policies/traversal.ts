import { edgeRouter, edgeRouterPolicy, identity, service, serviceEdgeRouterPolicy, servicePolicy } from '../../contract/api/kinds.ts';
import { type Kind, type PolicyPath, policyPath, type RowOf } from '../../contract/api/kit/index.ts';
import { type PolicyType, policyTypeNumbers } from '../../contract/api/policies.ts';
import { ALL, and, equals, type Predicate } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { Row } from '../../store/storage/port.ts';
import { type Selectable, type Side, selectedBy, selecting } from '../roles/membership.ts';

export const identityToRouters = policyPath(edgeRouterPolicy, identity, edgeRouter);
export const serviceToRouters = policyPath(serviceEdgeRouterPolicy, service, edgeRouter);

/**
 * One side of a policy.
 * @param field the role array
 */
export const sideOf = (policy: Readonly<Record<string, unknown>>, field: string): Side => ({
  semantic: policy.semantic as Side['semantic'], // every kind of policy has these fields
  roles: policy[field] as readonly string[],
});

/**
 * Selects the entities that policies relate to `start`. Runs one query.
 * @param which the policies to consider
 */
export const reachedFrom = async (
  entities: Entities,
  { policies, from, to }: PolicyPath,
  start: Selected,
  which: Predicate = ALL,
): Promise<Predicate> => {
  const rows =
    which === ALL
      ? await policiesOf(entities, policies, from, start)
      : await entities.list(policies, { where: and(which, selecting(from, start)) });
  return selectedBy(rows.map((row) => sideOf(row, to)));
};

/** A row that a policy can select. */
export type Selected = Selectable & Pick<Row, 'version'>;

/** The policies that select a row by their role array `field`. */
const policiesOf = <R extends Kind>(entities: Entities, policies: R, field: string, row: Selected): Promise<readonly RowOf<R>[]> =>
  entities.listFor(policies, field, row, () => selecting(field, row));

/** Selects the service policies of a type, or all if it is undefined. */
export const ofType = (type: PolicyType | undefined): Predicate =>
  type === undefined ? ALL : equals({ path: ['typeNumber'], type: 'number' }, policyTypeNumbers[type]);

/** The service policies that select an identity. */
export const policiesOfIdentity = (entities: Entities, row: RowOf<typeof identity>): Promise<readonly RowOf<typeof servicePolicy>[]> =>
  policiesOf(entities, servicePolicy, 'identityRoles', row);

/**
 * The service policies that select both. Intersects two lists that may be cached, in which case this is faster than `policiesBetween`.
 */
export const policiesOfBoth = async (
  entities: Entities,
  from: RowOf<typeof identity>,
  to: RowOf<typeof service>,
): Promise<readonly RowOf<typeof servicePolicy>[]> => {
  const ofService = await policiesOf(entities, servicePolicy, 'serviceRoles', to);
  const ids = new Set(ofService.map(({ id }) => id));
  return (await policiesOfIdentity(entities, from)).filter(({ id }) => ids.has(id));
};

/** The service policies that select both, from one query. */
export const policiesBetween = (
  entities: Entities,
  from: RowOf<typeof identity>,
  to: RowOf<typeof service>,
): Promise<readonly RowOf<typeof servicePolicy>[]> =>
  entities.list(servicePolicy, { where: and(selecting('identityRoles', from), selecting('serviceRoles', to)) });

/**
 * The first rows that satisfy a predicate (at most `max`; default all), and their total count, which needs a query only if there may be
 * more rows.
 */
export const firstOf = async <R extends Kind>(
  entities: Entities,
  kind: R,
  where: Predicate,
  max = Infinity,
): Promise<{ readonly rows: readonly RowOf<R>[]; readonly count: number }> => {
  const rows = await entities.list(kind, { where, ...(max === Infinity ? {} : { limit: max }) });
  return { rows, count: rows.length < max ? rows.length : await entities.count(kind, where) };
};

/**
 * The edge routers between an identity and a service: the number that each may use, and those that both may use (at most `max`; default
 * all).
 * @param visible the routers to consider
 */
export const routersBetween = async (
  entities: Entities,
  from: RowOf<typeof identity>,
  to: RowOf<typeof service>,
  visible: Predicate,
  max?: number,
) => {
  const ofIdentity = and(await reachedFrom(entities, identityToRouters, from), visible);
  const ofService = and(await reachedFrom(entities, serviceToRouters, to), visible);
  return {
    identityRouterCount: await entities.count(edgeRouter, ofIdentity),
    serviceRouterCount: await entities.count(edgeRouter, ofService),
    common: await firstOf(entities, edgeRouter, and(ofIdentity, ofService), max),
  };
};
