import { hasAdministratorRights } from '../../call/actor.ts';
import type { Presenter } from '../../call/behaviour.ts';
import type { identity, service, servicePolicy } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ALL, type Predicate } from '../../query/index.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { evaluatePolicy, type Permissions, permissionsAmong } from '../evaluation/evaluate.ts';
import { policiesOfIdentity, sideOf } from '../policies/traversal.ts';
import type { SessionFacts } from '../posture/facts.ts';
import { loadPosture } from '../posture/load.ts';
import type { Posture } from '../posture/posture.ts';
import { selectedBy } from '../roles/membership.ts';
import { loadConfigData } from './config-data.ts';

type Identity = RowOf<typeof identity>;
type Policy = RowOf<typeof servicePolicy>;

/** The viewer of services, with the policies that select its identity. */
export interface Viewer {
  /** Undefined for code of the host. */
  readonly identity: Identity | undefined;
  /** The viewer's API session; undefined if an administrator lists the services of the identity. */
  readonly session: SessionFacts | undefined;
  readonly policies: readonly Policy[];
  /** Ids of config types, or `all` for every type. */
  readonly configTypes: readonly string[];
}

export const viewerOf = async (
  entities: Entities,
  who: { readonly identity: Identity; readonly session?: SessionFacts } | undefined,
  configTypes: readonly string[],
): Promise<Viewer> => ({
  identity: who?.identity,
  session: who?.session,
  policies: who ? await policiesOfIdentity(entities, who.identity) : [],
  configTypes,
});

/** Selects the services that a viewer sees: all services for an administrator, otherwise those that policies grant. */
export const visibleTo = async ({ identity: who, policies }: Viewer): Promise<Predicate> =>
  !who || hasAdministratorRights(who) ? ALL : selectedBy(policies.map((policy) => sideOf(policy, 'serviceRoles')));

/**
 * Presents services to a viewer, with its permissions, posture queries, and the data of the requested configs.
 * @param noConfig the value of `config` if the viewer requested no config types
 * @param posture for all policies of the viewer, if already loaded
 */
export const servicePresenter = (viewer: Viewer, noConfig: object | null, posture?: Posture): Presenter => ({
  present: async (entities, rows: readonly RowOf<typeof service>[], call) => {
    const { identity: who, session, configTypes } = viewer;
    const configs = configTypes.length === 0 ? undefined : await loadConfigData(entities, rows, who?.id, configTypes);
    const permissions = await permissionsOn(rows, viewer);
    // Many services are granted by the same policies.
    const distinct = new Set(permissions);
    const granting = new Set([...distinct].flatMap((granted) => granted.granting));
    const loadedPosture = posture ?? (who && (await loadPosture(entities, [...granting], { identityId: who.id, session }, call.now())));
    const queriesFor = loadedPosture ? await postureQueriesFor(distinct, await postureQueriesBy(loadedPosture, granting)) : undefined;
    return rows.map((row, i) => {
      const granted = permissions[i] ?? NO_PERMISSIONS;
      return {
        permissions: permissionNames(granted),
        config: configs ? (configs.get(row.id) ?? {}) : noConfig,
        postureQueries: queriesFor?.get(granted) ?? [],
      };
    });
  },
});

/** Number of pairs of a service and a granting policy that are processed before yielding to the event loop. */
const PAIRS_PER_SLICE = 20_000;

const NO_PERMISSIONS: Permissions<Policy> = { dial: false, bind: false, granting: [] };

/** The permissions of a viewer on each service. Services that the same policies grant share one object, as in `permissionsAmong`. */
const permissionsOn = async (
  rows: readonly RowOf<typeof service>[],
  { identity: who, policies }: Viewer,
): Promise<readonly Permissions<Policy>[]> => {
  if (!who) return rows.map(() => NO_PERMISSIONS);
  const permissionsFor = await permissionsAmong(policies, [who], rows);
  const yieldIfDue = createTimeSlice(PAIRS_PER_SLICE);
  const permissions: Permissions<Policy>[] = [];
  for (const row of rows) {
    const granted = permissionsFor(who, row);
    permissions.push(granted);
    await yieldIfDue(1 + granted.granting.length);
  }
  return permissions;
};

const permissionNames = ({ dial, bind }: Permissions): readonly string[] =>
  dial || bind ? [...(bind ? ['Bind'] : []), ...(dial ? ['Dial'] : [])] : ['Invalid'];

/** The posture queries in the answer for a service, by the policy that grants it. */
const postureQueriesBy = async (posture: Posture, granting: Iterable<Policy>): Promise<ReadonlyMap<Policy, object>> => {
  const entries = new Map<Policy, object>();
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  for (const policy of granting) {
    const { isPassing, checks } = evaluatePolicy(policy, posture);
    entries.set(policy, { policyId: policy.id, policyType: policy.type, isPassing, postureQueries: checks.map(posture.queryFor) });
    await yieldIfDue(1 + checks.length);
  }
  return entries;
};

/** The posture queries in the answer for a service, by the permissions on it. */
const postureQueriesFor = async (
  permissions: Iterable<Permissions<Policy>>,
  byPolicy: ReadonlyMap<Policy, object>,
): Promise<ReadonlyMap<Permissions<Policy>, readonly object[]>> => {
  const queries = new Map<Permissions<Policy>, readonly object[]>();
  const yieldIfDue = createTimeSlice(PAIRS_PER_SLICE);
  for (const granted of permissions) {
    queries.set(
      granted,
      granted.granting.flatMap((policy) => byPolicy.get(policy) ?? []),
    );
    await yieldIfDue(1 + granted.granting.length);
  }
  return queries;
};
