import type { Surface } from '../api/surfaces/surface.ts';
import type { Destination, Observation } from '../observability/observation.ts';
import { type Actor, isAdministrator } from './actor.ts';
import type { Credentials, Entry } from './call.ts';

/** Sets the actor of an observed call. */
export const observeActor = (observation: Observation, actor: Actor): void => {
  const identityId = 'identity' in actor ? actor.identity.id : undefined;
  if (actor.kind === 'anonymous' || actor.kind === 'system') observation.setActor(actor.kind, identityId);
  else observation.setActor(isAdministrator(actor) ? 'administrator' : 'identity', identityId);
};

/** The operation of a call, for observers. */
export const destinationOf = ({ group, verb, operation }: Entry, surface: Surface, credentials: Credentials): Destination => ({
  operationId: operation.operationId,
  operation: `${group}.${verb}`,
  surface: surface.name,
  route: `${surface.prefix === '/' ? '' : surface.prefix}${operation.path}`,
  presentsToken: credentials.kind === 'token',
});
