import type { identity } from '../../../api/identities.ts';
import type { RowOf } from '../../../api/kit/resource.ts';
import type { servicePolicy } from '../../../api/policies.ts';
import type { service } from '../../../api/services.ts';
import { hasAdministratorRights } from '../../../call/administrators.ts';
import type { Presenter } from '../../../call/behaviour.ts';
import type { Entities } from '../../../changes/entities.ts';
import { ALL, type Predicate } from '../../../query/index.ts';
import { evaluatePermissions, evaluatePolicy, type Permissions } from '../../policy/access/evaluate.ts';
import { policiesOfIdentity, sideOf } from '../../policy/policies/traversal.ts';
import type { SessionFacts } from '../../policy/posture/facts.ts';
import { loadPosture } from '../../policy/posture/load.ts';
import type { Posture } from '../../policy/posture/posture.ts';
import { selectedBy } from '../../policy/roles/membership.ts';
import { serviceConfigsSeen } from './config-data.ts';

type Identity = RowOf<typeof identity>;
type Policies = readonly RowOf<typeof servicePolicy>[];

/** The viewer of services, with the policies that select it. The host's own code has no identity. */
export interface Viewer {
  readonly identity: Identity | undefined;
  /** The API session in which it looks; undefined for who is only looked at. */
  readonly session: SessionFacts | undefined;
  readonly policies: Policies;
  /** Ids of config types, `all` for every one. */
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

/** The services that a viewer sees: all for an administrator, otherwise those that policies grant. */
export const visibleTo = ({ identity: who, policies }: Viewer): Predicate =>
  !who || hasAdministratorRights(who) ? ALL : selectedBy(policies.map((policy) => sideOf(policy, 'serviceRoles')));

/**
 * Presents services to a viewer: permissions, posture queries, and the data of the requested configs.
 * @param posture of all policies of the viewer, if already loaded
 */
export const seenBy = (
  { identity: who, session, policies, configTypes }: Viewer,
  noConfig: object | null,
  posture?: Posture,
): Presenter => ({
  present: async (entities, rows: readonly RowOf<typeof service>[], call) => {
    const configs = configTypes.length === 0 ? undefined : await serviceConfigsSeen(entities, rows, who?.id, configTypes);
    const permissions = rows.map((row) => (who ? evaluatePermissions(policies, who, row) : NOTHING));
    const granting = [...new Set(permissions.flatMap((each) => each.granting))];
    const known = posture ?? (who && (await loadPosture(entities, granting, { identityId: who.id, session }, call.now())));
    const queries = known ? postureQueriesFor(known, granting, permissions) : [];
    return rows.map((row, i) => ({
      permissions: permissionsOf(permissions[i] ?? NOTHING),
      config: configs ? (configs.get(row.id) ?? {}) : noConfig,
      postureQueries: queries[i] ?? [],
    }));
  },
});

const NOTHING: Permissions<Policies[number]> = { dial: false, bind: false, granting: [] };

const permissionsOf = ({ dial, bind }: Permissions): readonly string[] =>
  dial || bind ? [...(bind ? ['Bind'] : []), ...(dial ? ['Dial'] : [])] : ['Invalid'];

/** For each service of a page, one entry for each policy that grants it. Each policy is worked out once. */
const postureQueriesFor = (
  posture: Posture,
  granting: Policies,
  page: readonly Permissions<Policies[number]>[],
): readonly (readonly object[])[] => {
  const entries = new Map(
    granting.map((policy) => {
      const { isPassing, checks } = evaluatePolicy(policy, posture);
      return [policy, { policyId: policy.id, policyType: policy.type, isPassing, postureQueries: checks.map(posture.queryFor) }];
    }),
  );
  return page.map((permissions) => permissions.granting.flatMap((policy) => entries.get(policy) ?? []));
};
