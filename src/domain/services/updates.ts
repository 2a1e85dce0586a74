/** When something last changed about the services that an identity may use: clients ask every few seconds, and list services again when it moved. */

import { identity } from '../../api/identities.ts';
import type { KindName } from '../../api/index.ts';
import type { RowOf } from '../../api/kit/resource.ts';
import type { servicePolicy } from '../../api/policies.ts';
import { service } from '../../api/services.ts';
import { sessionOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import type { Entities } from '../../changes/entities.ts';
import type { Change } from '../../changes/events.ts';
import { and, has } from '../../query/index.ts';
import { policiesOfIdentity } from '../access/through.ts';
import { selectedBy, selects } from '../roles/membership.ts';
import { isSameJson } from '../same-json.ts';

type Document = Readonly<Record<string, unknown>>;

type Policies = readonly RowOf<typeof servicePolicy>[];

/** Whom it is asked for. */
interface Asking {
  readonly who: RowOf<typeof identity>;
  readonly apiSessionId: string;
  /** Those that select the identity; asked for only where a change may concern somebody by them. */
  policies(): Promise<Policies>;
  /** Whether one of its services has this config. */
  hasConfig(id: string): Promise<boolean>;
}

type Concerns = (change: Change, asking: Asking) => boolean | Promise<boolean>;

const statesOf = ({ before, after }: Change): readonly Document[] => [before, after].filter((state) => state !== null);

/** Whether the entity, as it was or is, stands among what the policies of the identity select by their role array `field`. */
const selectedIn =
  (field: 'serviceRoles' | 'postureCheckRoles'): Concerns =>
  async (change, asking) => {
    const policies = await asking.policies();
    return statesOf(change).some((state) =>
      policies.some(({ semantic, [field]: roles }) =>
        selects({ semantic, roles }, { id: change.entityId, roleAttributes: state.roleAttributes as readonly string[] }),
      ),
    );
  };

const ofIdentity: Concerns = (change, { who }) => statesOf(change).some(({ identityId }) => identityId === who.id);

/** By kind, whom a change concerns. Other kinds concern nobody's services. */
const concerns: { readonly [K in KindName]?: Concerns } = {
  // Role arrays and semantic, as every policy has them.
  servicePolicy: (change, { who }) =>
    statesOf(change).some((state) =>
      selects({ semantic: state.semantic, roles: state.identityRoles } as Parameters<typeof selects>[0], who),
    ),
  service: selectedIn('serviceRoles'),
  postureCheck: selectedIn('postureCheckRoles'),
  config: ({ entityId }, { hasConfig }) => hasConfig(entityId),
  configType: ({ action }) => action === 'update',
  serviceConfig: ofIdentity,
  postureData: ({ entityId }, { who }) => entityId === who.id,
  apiSession: ({ action, entityId }, { apiSessionId }) => action === 'update' && entityId === apiSessionId,
  identity: (change, { who }) => change.entityId === who.id && !isSameJson(change.before?.roleAttributes, change.after?.roleAttributes),
};

/** The kinds of which changes may concern somebody. */
export const concerningKinds = Object.keys(concerns) as KindName[]; // as they are declared above

/** Configs that are looked for, at most; with more changed at once, they count as seen. */
const MOST_CONFIGS = 20;

const configFinder = (entities: Entities, policies: Asking['policies']): Asking['hasConfig'] => {
  const known = new Map<string, Promise<boolean>>();
  const isSeen = async (id: string) => {
    const visible = selectedBy((await policies()).map(({ semantic, serviceRoles: roles }) => ({ semantic, roles })));
    return (await entities.find(service, and(has('configs', id), visible))) !== undefined;
  };
  return async (id) => {
    if (known.size >= MOST_CONFIGS && !known.has(id)) return true;
    const found = known.get(id) ?? isSeen(id);
    known.set(id, found);
    return found;
  };
};

/** The time of the last change, or of the beginning of the API session where none is known since. */
export const lastServiceChange = (call: Call): Promise<{ readonly lastChangeAt: string }> =>
  call.read(async (entities) => {
    const { session, identity: actor } = sessionOf(call.actor);
    const { recentChanges } = call.core;
    const { since, changes } = call.isJoined ? recentChanges.known() : await recentChanges.catchUp(entities);
    const start = [since, session.createdAt].toSorted().at(-1) ?? since;
    const who = await entities.require(identity, actor.id);
    let found: Promise<Policies> | undefined;
    const policies = () => (found ??= policiesOfIdentity(entities, who));
    const asking = { who, apiSessionId: session.id, policies, hasConfig: configFinder(entities, policies) };
    for (const change of changes.toReversed()) {
      if (change.at <= start) break;
      if (await concerns[change.entity]?.(change, asking)) return { lastChangeAt: change.at };
    }
    return { lastChangeAt: start };
  });
