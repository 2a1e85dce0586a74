import { sortedSet } from '../../query/order.ts';
import { list, type SetField } from './kit/index.ts';
import type { Operation } from './kit/operation.ts';
import type { Action } from './kit/right.ts';
import { shortText } from './shared.ts';

/** Names of the kinds to which identities may hold rights. */
const ENTITIES = [
  'auth-policy',
  'ca',
  'config',
  'config-type',
  'edge-router-policy',
  'enrollment',
  'external-jwt-signer',
  'identity',
  'posture-check',
  'router',
  'service',
  'service-edge-router-policy',
  'service-policy',
  'terminator',
];
const ACTIONS: readonly Action[] = ['read', 'create', 'update', 'delete'];

/** Permissions that do not concern entities. */
const OTHERS = ['controllers', 'controllers.read', 'ops', 'ops.read', 'ops.update', 'ops.delete'];

/** The permission of auditors: every right to read, except what only administrators may read. */
export const AUDITOR = 'admin_readonly';

/**
 * The permissions that an identity may hold. `<entity>` grants all rights to entities of the kind, `<entity>.<action>` a single one. No
 * right implies another: `identity.create` does not include reading the created identity.
 */
export const PERMISSIONS: readonly string[] = sortedSet([
  AUDITOR,
  ...ENTITIES.flatMap((entity) => [entity, ...ACTIONS.map((action) => `${entity}.${action}`)]),
  ...OTHERS,
]);

const known: ReadonlySet<string> = new Set(PERMISSIONS);

/** True for the name of a permission. */
export const isPermission = (name: string): boolean => known.has(name);

/** Summary of the valid names, for error messages. */
const VALID = `${AUDITOR}, ${OTHERS.join(', ')}, or one of ${ENTITIES.join(', ')}, alone or followed by .${ACTIONS.join(', .')}`;

/** Names of permissions, as a set. */
export const permissionNames = list(shortText, 1000)
  .superRefine((names, context) => {
    const unknown = names.find((name) => !isPermission(name));
    if (unknown !== undefined)
      context.addIssue({
        code: 'custom',
        message: `invalid permissions '${unknown.slice(0, 100)}': must be ${VALID}`,
        input: unknown,
      });
  })
  .transform(sortedSet)
  .meta({ id: 'Permissions', description: 'Rights to parts of the management API, for an identity that is not an administrator.' });

/** The permissions of an identity: a set. */
export const permissions = (): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: permissionNames,
  default: [],
  set: { of: 'values', empty: 'list' },
  administratorsOnly: true,
});

/** The permissions that allow an operation; empty if only administrators may call it, or if it requires no right. */
export const permissionsFor = ({
  permission,
  acceptedPermissions,
}: Pick<Operation, 'permission' | 'acceptedPermissions'>): readonly string[] => {
  const [entity = '', action] = permission.split('.');
  if (action === undefined) return [];
  return acceptedPermissions ?? [...[entity, permission].filter(isPermission), ...(action === 'read' ? [AUDITOR] : [])];
};

/** The entity part of a right or permission: `identity` for `identity.update`. */
export const entityIn = (right: string): string => right.split('.')[0] ?? '';
