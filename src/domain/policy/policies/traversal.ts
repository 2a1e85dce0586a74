import { edgeRouter, edgeRouterPolicy, identity, service, serviceEdgeRouterPolicy, servicePolicy } from '../../../api/kinds.ts';
import { type Kind, type PolicyPath, policyPath, type RowOf } from '../../../api/kit/index.ts';
import { type PolicyType, policyTypeNumbers } from '../../../api/policies.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ALL, and, equals, type Predicate } from '../../../query/index.ts';
import type { Row } from '../../../storage/port.ts';
import { type Selectable, type Side, selectedBy, selecting } from '../roles/membership.ts';

export const identityToRouters = policyPath(edgeRouterPolicy, identity, edgeRouter);
export const serviceToRouters = policyPath(serviceEdgeRouterPolicy, service, edgeRouter);

/** One side of a policy's row. */
export const sideOf = (policy: Readonly<Record<string, unknown>>, field: string): Side => ({
  semantic: policy.semantic as Side['semantic'], // every kind of policy has these fields
  roles: policy[field] as readonly string[],
});

/** The entities that policies relate to `start`: two queries, however many policies there are. */
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

/** A row that policies may select. */
export type Selected = Selectable & Pick<Row, 'version'>;

/** The policies that select a row by their role array `field`. */
const policiesOf = <R extends Kind>(entities: Entities, policies: R, field: string, row: Selected): Promise<readonly RowOf<R>[]> =>
  entities.listFor(policies, field, row, () => selecting(field, row));

/** Service policies of a type; all if the type is undefined. */
export const ofType = (type: PolicyType | undefined): Predicate =>
  type === undefined ? ALL : equals({ path: ['typeNumber'], type: 'number' }, policyTypeNumbers[type]);

/** The service policies that select an identity. */
export const policiesOfIdentity = (entities: Entities, row: RowOf<typeof identity>): Promise<readonly RowOf<typeof servicePolicy>[]> =>
  policiesOf(entities, servicePolicy, 'identityRoles', row);

/** The service policies that select both: the intersection of two lists, which the cache may hold and which then cost less than a joint query. */
export const policiesOfBoth = async (
  entities: Entities,
  from: RowOf<typeof identity>,
  to: RowOf<typeof service>,
): Promise<readonly RowOf<typeof servicePolicy>[]> => {
  const ofService = await policiesOf(entities, servicePolicy, 'serviceRoles', to);
  const ids = new Set(ofService.map(({ id }) => id));
  return (await policiesOfIdentity(entities, from)).filter(({ id }) => ids.has(id));
};

/** The service policies that grant one service to one identity. */
export const policiesBetween = (
  entities: Entities,
  from: RowOf<typeof identity>,
  to: RowOf<typeof service>,
): Promise<readonly RowOf<typeof servicePolicy>[]> =>
  entities.list(servicePolicy, { where: and(selecting('identityRoles', from), selecting('serviceRoles', to)) });

/** The first rows that satisfy a predicate (at most `max`, default all), and their total count. The count takes a query only if the page is full. */
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
 * The edge routers through which an identity may reach a service: counts for each side, and those that both may use (at most `max`; default all).
 * @param visible those that count
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
