import type { identity } from '../../api/identities.ts';
import type { RowOf } from '../../api/kit/resource.ts';
import type { servicePolicy } from '../../api/policies.ts';
import type { service } from '../../api/services.ts';
import type { Entities } from '../../changes/entities.ts';
import type { Presenter } from '../../resources/behaviours.ts';
import { type Access, evaluateAccess } from '../access/evaluate.ts';
import { policiesOfIdentity } from '../access/through.ts';
import { serviceConfigsSeen } from './config-data.ts';

type Identity = RowOf<typeof identity>;
type Policies = readonly RowOf<typeof servicePolicy>[];

/** Who looks at services: with the policies that select it. The host's own code is nobody. */
export interface Viewer {
  readonly identity: Identity | undefined;
  readonly policies: Policies;
  /** Ids of config types, `all` for every one. */
  readonly configTypes: readonly string[];
}

export const viewerOf = async (entities: Entities, who: Identity | undefined, configTypes: readonly string[]): Promise<Viewer> => ({
  identity: who,
  policies: who ? await policiesOfIdentity(entities, who) : [],
  configTypes,
});

/** Services as somebody sees them: what policies permit, what they ask for, and the data of the configs that were asked for. */
export const seenBy = ({ identity: who, policies, configTypes }: Viewer, noConfig: object | null): Presenter => ({
  present: async (entities, rows: readonly RowOf<typeof service>[]) => {
    const configs = configTypes.length === 0 ? undefined : await serviceConfigsSeen(entities, rows, who?.id, configTypes);
    return rows.map((row) => {
      const access = who ? evaluateAccess(policies, who, row) : NOTHING;
      return {
        permissions: permissionsOf(access),
        config: configs ? (configs.get(row.id) ?? {}) : noConfig,
        postureQueries: queriesOf(access),
      };
    });
  },
});

const NOTHING: Access<Policies[number]> = { dial: false, bind: false, granting: [] };

const permissionsOf = ({ dial, bind }: Access): readonly string[] =>
  dial || bind ? [...(bind ? ['Bind'] : []), ...(dial ? ['Dial'] : [])] : ['Invalid'];

/** One for each policy that grants the service. Without posture checks a policy passes. */
const queriesOf = ({ granting }: Access): readonly object[] =>
  granting.map(({ id, type }) => ({ policyId: id, policyType: type, isPassing: true, postureQueries: [] }));
