import * as z from 'zod';
import { list, mapOf, optional } from './kit/index.ts';
import { entityIn, isPermission } from './permissions.ts';
import { shortText } from './shared.ts';

/** Kinds to which permissions can be scoped: their entities have role attributes, or belong to identities, which have them. */
const SCOPED: readonly string[] = ['enrollment', 'identity', 'posture-check', 'router', 'service'];

const scope = z
  .object({
    /** An entity is in scope if it has at least one of these role attributes. An enrollment is in scope if its identity is. */
    roleAttributes: list(shortText, 100).min(1),
    /** Further role attributes that the holder may add to entities within the scope, and remove from them. Others cannot be changed. */
    assignableRoleAttributes: list(shortText, 100).nullish(),
  })
  .meta({ id: 'PermissionScope', description: 'The entities to which a permission applies.' });

export type PermissionScope = z.infer<typeof scope>;
/** The scope of each scoped permission. */
export type ScopedPermissions = Readonly<Record<string, PermissionScope>>;

/** Permissions that apply only to entities with certain role attributes, by name of the permission. */
export const permissionScopes = mapOf(scope, 100)
  .superRefine((scopes, context) => {
    const unknown = Object.keys(scopes).find((name) => !isPermission(name) || !SCOPED.includes(entityIn(name)));
    if (unknown !== undefined)
      context.addIssue({
        code: 'custom',
        message: `invalid permission '${unknown}': only permissions on ${SCOPED.join(', ')} can be scoped`,
        input: unknown,
      });
  })
  .transform((scopes): ScopedPermissions | null => (Object.keys(scopes).length === 0 ? null : scopes))
  .meta({ description: 'An extension: permissions that apply only to entities with certain role attributes, by name of the permission.' });

/** The scoped permissions of an identity. A PUT without them keeps them, because clients of the published API do not know the field. */
export const scopedPermissions = () =>
  optional(permissionScopes, { absent: true, keptByReplace: true, administratorsOnly: true, filterableSince: '2.0' });
