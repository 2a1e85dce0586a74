/** The rights of a session, derived from its permissions. They only hide buttons and links: the API enforces the permissions. */
import type { Identity } from '../../client/index.ts';
import { remoteOperations } from '../../client/operations.ts';
import type { Descriptions } from '../descriptions.ts';

export interface Rights {
  /** True if the operation `verb` of `group` is allowed, at least on some entities. */
  readonly may: (group: string, verb: string) => boolean;
  /** True if the operation is allowed on this entity. For enrollments, pass their identity. */
  readonly mayOn: (group: string, verb: string, entity: Readonly<Record<string, unknown>>) => boolean;
  /** True if the session administers anything. */
  readonly hasAny: boolean;
}

/** The groups whose operations scoped permissions allow. */
const SCOPED: readonly string[] = ['identities', 'services', 'edgeRouters', 'postureChecks', 'enrollments'];
/** The groups whose operations are denied on identities with more rights than the caller. */
const OF_IDENTITIES: readonly string[] = ['identities', 'enrollments'];
/** The fields of identities that only administrators may write. */
export const ADMINISTRATORS_ONLY: readonly string[] = ['isAdmin', 'isDefaultAdmin', 'permissions', 'scopedPermissions'];

type Holder = Pick<Identity, 'id' | 'isAdmin' | 'permissions' | 'scopedPermissions'>;

export const rightsOf = (
  { id, isAdmin, permissions, scopedPermissions }: Holder,
  { operations }: Pick<Descriptions, 'operations'>,
): Rights => {
  const held = new Set(permissions);
  const scopes = new Map(Object.entries(scopedPermissions ?? {}));
  const isWithin = (name: string, roleAttributes: unknown): boolean =>
    Array.isArray(roleAttributes) && (scopes.get(name)?.roleAttributes ?? []).some((attribute) => roleAttributes.includes(attribute));
  const allows = (group: string, verb: string, isInScope: (name: string) => boolean): boolean => {
    const operation = remoteOperations[group]?.[verb];
    if (!operation) return false;
    const sufficient = operations[operation.operationId]?.permissions;
    if (sufficient === undefined || isAdmin) return true;
    return sufficient.some((name) => held.has(name) || (SCOPED.includes(group) && isInScope(name)));
  };
  const hasNoMoreRights = (target: Readonly<Record<string, unknown>>): boolean => {
    const targetPermissions = [target['permissions'] ?? [], Object.keys(target['scopedPermissions'] ?? {})].flat();
    return isAdmin || (target['isAdmin'] !== true && targetPermissions.every((name) => held.has(String(name))));
  };
  /** Sessions do not say which rights their identity has, and those of one with more rights are denied. */
  const isEndable = (group: string, session: Readonly<Record<string, unknown>>): boolean =>
    group !== 'apiSessions' || isAdmin || session['identityId'] === id;
  return {
    may: (group, verb) => allows(group, verb, (name) => scopes.has(name)),
    mayOn: (group, verb, entity) =>
      allows(group, verb, (name) => isWithin(name, entity['roleAttributes'])) &&
      (!OF_IDENTITIES.includes(group) || hasNoMoreRights(entity)) &&
      isEndable(group, entity),
    hasAny: isAdmin || held.size > 0 || scopes.size > 0,
  };
};
