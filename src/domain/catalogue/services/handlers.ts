import { identity } from '../../../api/identities.ts';
import type { DecodedOf, RowOf } from '../../../api/kit/index.ts';
import { service, services } from '../../../api/services.ts';
import type { ApiSessionActor, ApiTokenActor, IdentityActor } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { notFound, unauthorized } from '../../../errors/index.ts';
import { ALL, equals, stringField } from '../../../query/index.ts';
import { crudHandlers, listRows } from '../../../resources/crud.ts';
import { presentOne } from '../../../resources/present.ts';
import { requestedConfigTypes } from './config-data.ts';
import { seenBy, viewerOf, visibleTo } from './visibility.ts';

type ListInput = DecodedOf<(typeof services)['operations']['list']>;

/** The calling identity, with its session if it has one; undefined for the host's code. */
const callingIdentity = ({ actor }: Call): ApiSessionActor | ApiTokenActor | IdentityActor | undefined =>
  'identity' in actor ? actor : undefined;

/** The config types named in the request, or else those named at login. */
export const configTypesOfCall = async (entities: Entities, { actor }: Call, named?: readonly string[]): Promise<readonly string[]> =>
  named === undefined ? ((actor.kind === 'session' ? actor.session.configTypes : null) ?? []) : requestedConfigTypes(entities, named);

const listServices = (call: Call, { asIdentity, configTypes, ...query }: ListInput) =>
  call.read(async (entities) => {
    if (asIdentity !== undefined && call.grant.isDelegated) throw unauthorized('only an administrator may see what another identity sees');
    // Lists by role are for authors of policies, so access to the listed services is not evaluated.
    if (query.roleFilter?.length) return listRows(entities, service, query, call);
    const who = asIdentity === undefined ? callingIdentity(call) : { identity: await identityNamed(entities, asIdentity) };
    const viewer = await viewerOf(entities, who, await configTypesOfCall(entities, call, configTypes));
    const within = asIdentity === undefined ? ALL : await visibleTo(viewer);
    return listRows(entities, service, query, call, { within, presenter: seenBy(viewer, {}) });
  });

const identityNamed = async (entities: Entities, idOrName: string): Promise<RowOf<typeof identity>> => {
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
      const viewer = await viewerOf(entities, callingIdentity(call), await configTypesOfCall(entities, call));
      return presentOne(entities, service, row, call, seenBy(viewer, null));
    }),
});
