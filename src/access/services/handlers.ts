import type { ApiSessionActor, ApiTokenActor, IdentityActor } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers, listRows } from '../../call/resources/crud.ts';
import { presentOne } from '../../call/resources/present.ts';
import { identity } from '../../contract/api/identities.ts';
import type { DecodedOf, RowOf } from '../../contract/api/kit/index.ts';
import { service, services } from '../../contract/api/services.ts';
import { notFound, unauthorized } from '../../contract/errors/index.ts';
import { ALL, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { resolveConfigTypes } from './config-data.ts';
import { servicePresenter, viewerOf, visibleTo } from './visibility.ts';

type ListInput = DecodedOf<(typeof services)['operations']['list']>;

/** The actor of a call if it is an identity; undefined for code of the host. */
const identityActor = ({ actor }: Call): ApiSessionActor | ApiTokenActor | IdentityActor | undefined =>
  'identity' in actor ? actor : undefined;

/**
 * The ids of the requested config types. Default: the config types of the login.
 * @param requested names or ids
 */
export const configTypesOfCall = async (entities: Entities, { actor }: Call, requested?: readonly string[]): Promise<readonly string[]> => {
  if (requested !== undefined) return resolveConfigTypes(entities, requested);
  return (actor.kind === 'session' && actor.session.configTypes) || [];
};

const listServices = (call: Call, { asIdentity, configTypes, ...query }: ListInput) =>
  call.read(async (entities) => {
    if (asIdentity !== undefined && call.grant.isDelegated)
      throw unauthorized('only administrators may list the services of another identity');
    // Role filters are for authors of policies, so the list is not limited to the services that the caller may use.
    if (query.roleFilter?.length) return listRows(entities, service, query, call);
    const viewing = asIdentity === undefined ? identityActor(call) : { identity: await requireIdentity(entities, asIdentity) };
    const viewer = await viewerOf(entities, viewing, await configTypesOfCall(entities, call, configTypes));
    const within = asIdentity === undefined ? ALL : await visibleTo(viewer);
    return listRows(entities, service, query, call, { within, presenter: servicePresenter(viewer, {}) });
  });

const requireIdentity = async (entities: Entities, idOrName: string): Promise<RowOf<typeof identity>> => {
  const found = (await entities.get(identity, idOrName)) ?? (await entities.find(identity, equals(stringField('name'), idOrName)));
  if (!found) throw notFound(identity.kind, idOrName);
  return found;
};

export const serviceEntries = implement(services, {
  ...crudHandlers(services, service),
  list: listServices,
  get: (call, { id }) =>
    call.read(async (entities) => {
      const row = await entities.require(service, id);
      const viewer = await viewerOf(entities, identityActor(call), await configTypesOfCall(entities, call));
      return presentOne(entities, service, row, call, servicePresenter(viewer, null));
    }),
});
