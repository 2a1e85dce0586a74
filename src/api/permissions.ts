import * as z from 'zod';
import { sortedSet } from '../query/order.ts';
import { list, mapOf, optional, type SetField } from './kit/index.ts';
import type { Operation } from './kit/operation.ts';
import type { Action } from './kit/right.ts';
import { shortText } from './shared.ts';

/** Kinds, by the names of their rights, whose rights an identity may hold. */
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

/** The permission of auditors: every right to read, but to what only administrators may see. */
export const AUDITOR = 'admin_readonly';

/**
 * The permissions that an identity may hold. An entity's name gives all rights to entities of its kind, `<entity>.<action>` gives one of them. None implies
 * another: `identity.create` does not read what it created.
 */
export const PERMISSIONS: readonly string[] = sortedSet([
  AUDITOR,
  ...ENTITIES.flatMap((entity) => [entity, ...ACTIONS.map((action) => `${entity}.${action}`)]),
  ...['ops', 'ops.read', 'ops.update', 'ops.delete'],
  ...['controllers', 'controllers.read'],
]);

const known: ReadonlySet<string> = new Set(PERMISSIONS);

/** The valid names in short, for refusals. */
const VALID = `${AUDITOR}, controllers, controllers.read, ops, ops.read, ops.update, ops.delete, or one of ${ENTITIES.join(', ')}, alone or followed by .${ACTIONS.join(', .')}`;

/** Names of permissions, as a set. */
export const permissionNames = list(shortText, 1000)
  .superRefine((names, context) => {
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined)
      context.addIssue({
        code: 'custom',
        message: `invalid permissions '${unknown.slice(0, 100)}': must be ${VALID}`,
        input: unknown,
      });
  })
  .transform(sortedSet)
  .meta({ id: 'Permissions', description: 'Rights to a part of the management API, for an identity that is not an administrator.' });

/** The permissions of an identity: a set. */
export const permissions = (): SetField => ({
  write: 'optional',
  keep: 'stored',
  schema: permissionNames,
  default: [],
  set: { of: 'values', empty: 'list' },
  administratorsOnly: true,
});

/** Entities of which permissions can be scoped: they carry role attributes, or belong to identities, which do. */
const SCOPED: readonly string[] = ['enrollment', 'identity', 'posture-check', 'router', 'service'];

const scope = z
  .object({
    /** The entities within: those that have at least one of these role attributes. An enrollment is within if its identity is. */
    roleAttributes: list(shortText, 100).min(1),
    /** Further role attributes that the holder may give to entities within, and take from them; all others stay as they are. */
    assignableRoleAttributes: list(shortText, 100).nullish(),
  })
  .meta({ id: 'PermissionScope', description: 'The entities to which a permission applies.' });

export type PermissionScope = z.infer<typeof scope>;
/** The scope of each scoped permission. */
export type ScopedPermissions = Readonly<Record<string, PermissionScope>>;

/** Permissions that apply to some entities only, by name. */
export const permissionScopes = mapOf(scope, 100)
  .superRefine((scopes, context) => {
    const unknown = Object.keys(scopes).find((name) => !known.has(name) || !SCOPED.includes(name.split('.')[0] ?? ''));
    if (unknown !== undefined)
      context.addIssue({
        code: 'custom',
        message: `invalid permission '${unknown}': permissions on ${SCOPED.join(', ')} can be scoped`,
        input: unknown,
      });
  })
  .transform((scopes): ScopedPermissions | null => (Object.keys(scopes).length === 0 ? null : scopes))
  .meta({ description: 'An extension: permissions that apply only to entities with some role attributes, by name of the permission.' });

/** The scoped permissions of an identity. PUT without them keeps them, because clients of the published API do not know them. */
export const scopedPermissions = () => optional(permissionScopes, { absent: true, keptByReplace: true, administratorsOnly: true });

/** The permissions that allow an operation; none for one that only administrators may call, and for one that needs no right. */
export const permissionsFor = ({ permission, grantable }: Pick<Operation, 'permission' | 'grantable'>): readonly string[] => {
  const [entity = '', action] = permission.split('.');
  if (action === undefined || grantable === false) return [];
  if (Array.isArray(grantable)) return [...grantable, AUDITOR];
  if (grantable === 'onlyToAuditors') return [AUDITOR];
  const auditors = action === 'read' && grantable !== 'notToAuditors' ? [AUDITOR] : [];
  return [...[entity, permission].filter((name) => known.has(name)), ...auditors];
};

/** The permissions that those held do not include. An entity's name includes its actions, and auditors hold every right to read. */
export const permissionsBeyond = (held: readonly string[]): readonly string[] => PERMISSIONS.filter((name) => !includes(held, name));

/** The permissions that both lists include. */
export const permissionsInBoth = (one: readonly string[], other: readonly string[]): readonly string[] =>
  PERMISSIONS.filter((name) => includes(one, name) && includes(other, name));

/** Rights of an identity or of an API token. */
export interface Rights {
  readonly permissions: readonly string[];
  readonly scopedPermissions: ScopedPermissions;
}

/** The first permission in `asked` that `held` does not include; undefined if there is none. */
export const permissionBeyond = (held: Rights, asked: Rights): string | undefined =>
  asked.permissions.find((name) => !includes(held.permissions, name)) ??
  Object.entries(asked.scopedPermissions).find(([name, scope]) => !includesScoped(held, name, scope))?.[0];

const includesScoped = ({ permissions, scopedPermissions }: Rights, name: string, asked: PermissionScope): boolean => {
  const scopes = [name, name.split('.')[0] ?? ''].flatMap((each) => scopedPermissions[each] ?? []);
  const within = scopes.flatMap(({ roleAttributes }) => roleAttributes);
  const assignable = [...within, ...scopes.flatMap(({ assignableRoleAttributes }) => assignableRoleAttributes ?? [])];
  return (
    includes(permissions, name) ||
    (asked.roleAttributes.every((attribute) => within.includes(attribute)) &&
      (asked.assignableRoleAttributes ?? []).every((attribute) => assignable.includes(attribute)))
  );
};

const includes = (held: readonly string[], name: string): boolean => {
  const [entity = '', action] = name.split('.');
  return held.includes(name) || held.includes(entity) || (action === 'read' && held.includes(AUDITOR));
};
