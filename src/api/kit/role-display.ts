import * as z from 'zod';

/** An entry of a role array as people read it: `role` as it was written, and `@<name>` for an id. */
export const roleDisplay = z
  .object({
    /** The entry as it was written. */
    role: z.string(),
    /** The entry, with a name in place of the id. */
    name: z.string(),
  })
  .meta({ id: 'RoleDisplay' });
export type RoleDisplay = z.infer<typeof roleDisplay>;

/** The field that shows a role array: `identityRolesDisplay` beside `identityRoles`. */
export const displayName = (roles: string): string => `${roles}Display`;
