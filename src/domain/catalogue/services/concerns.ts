/** Decides which changes may affect the services that an identity sees, with no false negatives and few false positives. */

import type { KindName } from '../../../api/index.ts';
import { type identity, service, serviceConfig } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { hasAdministratorRights } from '../../../call/actor.ts';
import type { Change } from '../../../changelog/events.ts';
import type { Entities } from '../../../entities/entities.ts';
import { and, equals, has, stringField } from '../../../query/index.ts';
import { isSameJson } from '../../../storage/same-json.ts';
import { selects } from '../../policy/roles/membership.ts';
import { type Viewer, visibleTo } from './visibility.ts';

type Document = Readonly<Record<string, unknown>>;

/** The identity whose list of services may be affected. */
export interface ListOwner {
  readonly identity: RowOf<typeof identity>;
  readonly apiSessionId: string;
  /** The viewer, with the policies that select the identity; loaded only when a change may affect the list through them. */
  viewer(): Promise<Viewer>;
  /** True if one of its services has this config, or the identity has it for one of them. */
  hasConfig(id: string): Promise<boolean>;
}

type Concerns = (change: Change, owner: ListOwner) => boolean | Promise<boolean>;

const statesOf = ({ before, after }: Change): readonly Document[] => [before, after].filter((state) => state !== null);

/** True if the policies of the identity select the entity, before or after the change, by their role array `field`. */
const selectedIn =
  (field: 'serviceRoles' | 'postureCheckRoles'): Concerns =>
  async (change, owner) => {
    const { policies } = await owner.viewer();
    return statesOf(change).some((state) =>
      policies.some(({ semantic, [field]: roles }) =>
        selects({ semantic, roles }, { id: change.entityId, roleAttributes: state.roleAttributes as readonly string[] }),
      ),
    );
  };

const ofIdentity: Concerns = (change, { identity: who }) => statesOf(change).some(({ identityId }) => identityId === who.id);

const changes = (
  { before, after }: { readonly before: Document | null; readonly after: Document | null },
  ...fields: readonly string[]
): boolean => fields.some((field) => !isSameJson(before?.[field], after?.[field]));

/** For each kind, whether a change concerns an identity. Other kinds affect no list of services. */
const concerns: { readonly [K in KindName]?: Concerns } = {
  // Every policy has role arrays and a semantic.
  servicePolicy: (change, { identity: who }) =>
    statesOf(change).some((state) =>
      selects({ semantic: state.semantic, roles: state.identityRoles } as Parameters<typeof selects>[0], who),
    ),
  service: (change, owner) => hasAdministratorRights(owner.identity) || selectedIn('serviceRoles')(change, owner),
  postureCheck: selectedIn('postureCheckRoles'),
  config: ({ entityId }, { hasConfig }) => hasConfig(entityId),
  configType: (change) => change.action === 'update' && changes(change, 'name'),
  serviceConfig: ofIdentity,
  postureData: ({ entityId }, { identity: who }) => entityId === who.id,
  apiSession: ({ action, entityId }, { apiSessionId }) => action === 'update' && entityId === apiSessionId,
  identity: (change, { identity: who }) => change.entityId === who.id && changes(change, 'roleAttributes', 'isAdmin', 'isDefaultAdmin'),
};

/** The kinds whose changes may affect a list of services. */
export const concerningKinds = Object.keys(concerns) as KindName[]; // the keys declared above

export const mayConcern = async (change: Change, owner: ListOwner): Promise<boolean> =>
  (await concerns[change.entity]?.(change, owner)) ?? false;

/** Maximum number of configs that are looked up; if more have changed, the remaining ones count as seen. */
const MAX_CONFIGS = 20;

export const configFinder = (entities: Entities, { id }: RowOf<typeof identity>, viewer: ListOwner['viewer']): ListOwner['hasConfig'] => {
  const seenConfigs = new Map<string, Promise<boolean>>();
  const isSeen = async (config: string) => {
    const own = and(equals(stringField('configId'), config), equals(stringField('identityId'), id));
    if ((await entities.find(serviceConfig, own)) !== undefined) return true;
    return (await entities.find(service, and(has('configs', config), await visibleTo(await viewer())))) !== undefined;
  };
  return async (config) => {
    if (seenConfigs.size >= MAX_CONFIGS && !seenConfigs.has(config)) return true;
    const found = seenConfigs.get(config) ?? isSeen(config);
    seenConfigs.set(config, found);
    return found;
  };
};
