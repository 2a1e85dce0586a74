import * as z from 'zod';

/** A selector of a role array, as shown to people. */
export const roleDisplay = z
  .object({
    /** The entry as it was written. */
    role: z.string(),
    /** The entry, with the name of the entity instead of its id. */
    name: z.string(),
  })
  .meta({ id: 'RoleDisplay' });
export type RoleDisplay = z.infer<typeof roleDisplay>;

/** The name of the field that shows a role array to people: `identityRolesDisplay` for `identityRoles`. */
export const displayField = (roles: string): string => `${roles}Display`;
