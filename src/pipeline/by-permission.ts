import type { Operation } from '../api/kit/operation.ts';
import { permissionsFor } from '../api/permissions.ts';
import { surfaces } from '../api/surfaces/index.ts';
import { type Actor, isAdministrator, permissionsOf } from '../call/actor.ts';
import type { Call } from '../call/call.ts';

/**
 * True if permissions of the caller's identity grant the operation. An administrator needs none, and on the client API they mean nothing. A session that owes
 * a factor is refused elsewhere.
 */
export const isGrantedByPermission = (
  { surface }: Pick<Call, 'surface'>,
  actor: Actor,
  { permission, ofAll, grantable }: Pick<Operation, 'permission' | 'ofAll' | 'grantable'>,
): boolean => {
  if (surface === surfaces.client || !('identity' in actor) || isAdministrator(actor)) return false;
  const held = permissionsOf(actor.identity);
  if (held.length === 0) return false;
  return permissionsFor({ permission: ofAll ?? permission, ...(grantable === undefined ? {} : { grantable }) }).some((name) =>
    held.includes(name),
  );
};

/** True if these permissions include a right to create or update, given by its name: who may do that may also see what these entities enroll with. */
export const mayShowCredentials = (held: readonly string[], right = ''): boolean =>
  held.includes(right) || held.includes(right.split('.')[0] ?? '');
