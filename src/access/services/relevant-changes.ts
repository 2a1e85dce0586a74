/** Finds the changes that may affect the list of services of an identity, with no false negatives and few false positives. */

import { hasAdministratorRights } from '../../call/actor.ts';
import type { KindName } from '../../contract/api/index.ts';
import { type identity, service, serviceConfig } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { Change } from '../../contract/changes/events.ts';
import { and, equals, has, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { isSameJson } from '../../store/storage/same-json.ts';
import { sideOf } from '../policies/traversal.ts';
import { selects } from '../roles/membership.ts';
import { type Viewer, visibleTo } from './visibility.ts';

type Document = Readonly<Record<string, unknown>>;

/** The API session whose list of services may be affected. */
export interface ListOwner {
  readonly identity: RowOf<typeof identity>;
  readonly apiSessionId: string;
  /** Loads the viewer with its policies, at the first call. */
  viewer(): Promise<Viewer>;
  /** True if one of its services has this config, or the identity overrides a config with it. */
  hasConfig(configId: string): Promise<boolean>;
}

type Concerns = (change: Change, owner: ListOwner) => boolean | Promise<boolean>;

const statesOf = ({ before, after }: Change): readonly Document[] => [before, after].filter((state) => state !== null);

/** True if a policy of the identity selects the entity, before or after the change, by its role array `field`. */
const selectedBy =
  (field: 'serviceRoles' | 'postureCheckRoles'): Concerns =>
  async (change, owner) => {
    const { policies } = await owner.viewer();
    return statesOf(change).some(
      (state) =>
        policies.some((policy) =>
          selects(sideOf(policy, field), { id: change.entityId, roleAttributes: state.roleAttributes as readonly string[] }),
        ), // both kinds have role attributes
    );
  };

const isAboutIdentity: Concerns = (change, { identity: who }) => statesOf(change).some(({ identityId }) => identityId === who.id);

const changesAnyOf = ({ before, after }: Change, fields: readonly string[]): boolean =>
  fields.some((field) => !isSameJson((before as Document | null)?.[field], (after as Document | null)?.[field]));

/** By kind, whether a change may affect the list. Other kinds do not affect lists of services. */
const concerns: { readonly [K in KindName]?: Concerns } = {
  servicePolicy: (change, { identity: who }) => statesOf(change).some((state) => selects(sideOf(state, 'identityRoles'), who)),
  service: (change, owner) => hasAdministratorRights(owner.identity) || selectedBy('serviceRoles')(change, owner),
  postureCheck: selectedBy('postureCheckRoles'),
  config: ({ entityId }, { hasConfig }) => hasConfig(entityId),
  configType: (change) => change.action === 'update' && changesAnyOf(change, ['name']),
  serviceConfig: isAboutIdentity,
  postureData: ({ entityId }, { identity: who }) => entityId === who.id,
  apiSession: ({ action, entityId }, { apiSessionId }) => action === 'update' && entityId === apiSessionId,
  identity: (change, { identity: who }) =>
    change.entityId === who.id && changesAnyOf(change, ['roleAttributes', 'isAdmin', 'isDefaultAdmin']),
};

/** The kinds whose changes may affect a list of services. */
export const concerningKinds = Object.keys(concerns) as KindName[]; // the keys declared above

export const mayConcern = async (change: Change, owner: ListOwner): Promise<boolean> =>
  (await concerns[change.entity]?.(change, owner)) ?? false;

/** Maximum number of configs to look up. Any others are assumed to be in use. */
const MAX_CONFIGS = 20;

/** Creates `ListOwner.hasConfig`, which looks up each config once. */
export const createConfigLookup = (
  entities: Entities,
  { id }: RowOf<typeof identity>,
  viewer: ListOwner['viewer'],
): ListOwner['hasConfig'] => {
  const lookups = new Map<string, Promise<boolean>>();
  const isInUse = async (configId: string) => {
    const override = and(equals(stringField('configId'), configId), equals(stringField('identityId'), id));
    if ((await entities.find(serviceConfig, override)) !== undefined) return true;
    return (await entities.find(service, and(has('configs', configId), await visibleTo(await viewer())))) !== undefined;
  };
  return async (configId) => {
    if (lookups.size >= MAX_CONFIGS && !lookups.has(configId)) return true;
    const lookup = lookups.get(configId) ?? isInUse(configId);
    lookups.set(configId, lookup);
    return lookup;
  };
};
