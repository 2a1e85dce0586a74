import type { identity, service, servicePolicy } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { hasAdministratorRights } from '../../../call/actor.ts';
import type { Presenter } from '../../../call/behaviour.ts';
import { createTimeSlice, ENTRIES_AT_ONCE } from '../../../concurrency/event-loop.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ALL, type Predicate } from '../../../query/index.ts';
import { evaluatePolicy, type Permissions, permissionsAmong } from '../../policy/access/evaluate.ts';
import { policiesOfIdentity, sideOf } from '../../policy/policies/traversal.ts';
import type { SessionFacts } from '../../policy/posture/facts.ts';
import { loadPosture } from '../../policy/posture/load.ts';
import type { Posture } from '../../policy/posture/posture.ts';
import { selectedBy } from '../../policy/roles/membership.ts';
import { serviceConfigsSeen } from './config-data.ts';

type Identity = RowOf<typeof identity>;
type Policies = readonly RowOf<typeof servicePolicy>[];

/** The viewer of services, with the policies that select it. The host's code has no identity. */
export interface Viewer {
  readonly identity: Identity | undefined;
  /** The viewer's API session; undefined if another caller inspects what the identity sees. */
  readonly session: SessionFacts | undefined;
  readonly policies: Policies;
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

/** The services that a viewer sees: all of them for an administrator, otherwise those that policies grant. */
export const visibleTo = async ({ identity: who, policies }: Viewer): Promise<Predicate> =>
  !who || hasAdministratorRights(who) ? ALL : selectedBy(policies.map((policy) => sideOf(policy, 'serviceRoles')));

/**
 * Presents services to a viewer: permissions, posture queries, and the data of the requested configs.
 * @param posture for all policies of the viewer, if already loaded
 */
export const seenBy = (
  { identity: who, session, policies, configTypes }: Viewer,
  noConfig: object | null,
  posture?: Posture,
): Presenter => ({
  present: async (entities, rows: readonly RowOf<typeof service>[], call) => {
    const configs = configTypes.length === 0 ? undefined : await serviceConfigsSeen(entities, rows, who?.id, configTypes);
    const permissionsFor = who && (await permissionsAmong(policies, [who], rows));
    const yieldIfDue = createTimeSlice(PAIRS_PER_SLICE);
    const permissions: Permissions<Policies[number]>[] = [];
    const granting = new Set<Policies[number]>();
    // Many services are granted by the same policies.
    const queriesOf = new Map<Permissions<Policies[number]>, readonly object[]>();
    for (const row of rows) {
      const granted = who && permissionsFor ? permissionsFor(who, row) : NOTHING;
      permissions.push(granted);
      if (queriesOf.has(granted)) continue;
      queriesOf.set(granted, []);
      for (const policy of granted.granting) granting.add(policy);
      await yieldIfDue(1 + granted.granting.length);
    }
    const loadedPosture = posture ?? (who && (await loadPosture(entities, [...granting], { identityId: who.id, session }, call.now())));
    const queryOf = loadedPosture ? await postureQueriesBy(loadedPosture, granting) : new Map<Policies[number], object>();
    for (const granted of queriesOf.keys()) {
      queriesOf.set(
        granted,
        granted.granting.flatMap((policy) => queryOf.get(policy) ?? []),
      );
      await yieldIfDue(1 + granted.granting.length);
    }
    const shown: Readonly<Record<string, unknown>>[] = [];
    for (const [i, row] of rows.entries()) {
      const granted = permissions[i] ?? NOTHING;
      shown.push({
        permissions: permissionsOf(granted),
        config: configs ? (configs.get(row.id) ?? {}) : noConfig,
        postureQueries: queriesOf.get(granted) ?? [],
      });
      await yieldIfDue(1);
    }
    return shown;
  },
});

/** Pairs of a service and a granting policy that are processed before yielding to the event loop. */
const PAIRS_PER_SLICE = 20_000;

const NOTHING: Permissions<Policies[number]> = { dial: false, bind: false, granting: [] };

const permissionsOf = ({ dial, bind }: Permissions): readonly string[] =>
  dial || bind ? [...(bind ? ['Bind'] : []), ...(dial ? ['Dial'] : [])] : ['Invalid'];

/** The posture queries shown with a service, for each policy that grants it. */
const postureQueriesBy = async (posture: Posture, granting: Iterable<Policies[number]>): Promise<ReadonlyMap<Policies[number], object>> => {
  const entries = new Map<Policies[number], object>();
  const yieldIfDue = createTimeSlice(ENTRIES_AT_ONCE);
  for (const policy of granting) {
    const { isPassing, checks } = evaluatePolicy(policy, posture);
    entries.set(policy, { policyId: policy.id, policyType: policy.type, isPassing, postureQueries: checks.map(posture.queryFor) });
    await yieldIfDue(1 + checks.length);
  }
  return entries;
};
