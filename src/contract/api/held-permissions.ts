/** Comparisons of permissions that are held. */
import type { PermissionScope, ScopedPermissions } from './permission-scopes.ts';
import { AUDITOR, entityIn, PERMISSIONS } from './permissions.ts';

/** The permissions that the given ones do not include. */
export const missingPermissions = (held: readonly string[]): readonly string[] => PERMISSIONS.filter((name) => !includes(held, name));

/** The permissions that both lists include. */
export const intersection = (one: readonly string[], other: readonly string[]): readonly string[] =>
  PERMISSIONS.filter((name) => includes(one, name) && includes(other, name));

/** Rights of an identity or of an API token. */
export interface Rights {
  readonly permissions: readonly string[];
  readonly scopedPermissions: ScopedPermissions;
}

/** The first of the `required` permissions that `held` does not include; undefined if there is none. */
export const firstMissing = (held: Rights, required: Rights): string | undefined =>
  required.permissions.find((name) => !includes(held.permissions, name)) ??
  Object.entries(required.scopedPermissions).find(
    ([name, scope]) => !includes(held.permissions, name) && !includesScope(held, name, scope),
  )?.[0];

const includesScope = ({ scopedPermissions }: Rights, name: string, required: PermissionScope): boolean => {
  const scopes = [name, entityIn(name)].flatMap((permission) => scopedPermissions[permission] ?? []);
  const selecting = scopes.flatMap(({ roleAttributes }) => roleAttributes);
  const assignable = [...selecting, ...scopes.flatMap(({ assignableRoleAttributes }) => assignableRoleAttributes ?? [])];
  return (
    required.roleAttributes.every((attribute) => selecting.includes(attribute)) &&
    (required.assignableRoleAttributes ?? []).every((attribute) => assignable.includes(attribute))
  );
};

/** An entity's name includes its actions, and auditors hold every right to read. */
const includes = (held: readonly string[], name: string): boolean =>
  held.includes(name) || held.includes(entityIn(name)) || (name.endsWith('.read') && held.includes(AUDITOR));
