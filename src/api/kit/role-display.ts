import * as z from 'zod';

/** An entry of a role array for display: as written, and with the name of the entity in place of its id. */
export const roleDisplay = z
  .object({
    /** The entry as it was written. */
    role: z.string(),
    /** The entry, with a name in place of the id. */
    name: z.string(),
  })
  .meta({ id: 'RoleDisplay' });
export type RoleDisplay = z.infer<typeof roleDisplay>;

/** The field that shows a role array for display: `identityRolesDisplay` beside `identityRoles`. */
export const displayName = (roles: string): string => `${roles}Display`;
