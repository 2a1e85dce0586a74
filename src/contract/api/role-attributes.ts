import * as z from 'zod';
import { group, listQuery, operation, type Permission, page, queryText } from './kit/index.ts';

const attributeQuery = listQuery.extend({
  sort: queryText
    .optional()
    .meta({ description: '`id` or `name`, which both mean the attribute itself, followed by `asc` or `desc`. Anything else is ignored.' }),
});

/** Lists the distinct role attributes of the entities of a kind. The only filter field is `id`: the attribute itself. */
const attributesInUse = <const P extends string>(path: P, operationId: string, permission: Permission) =>
  operation('GET', path, {
    operationId,
    summary: `List the role attributes in use: ${path.slice(1)}`,
    permission,
    query: attributeQuery,
    answer: page(z.string()),
  });

/** Maximum number of attributes per page, and of ids per attribute and kind. */
export const MAX_USES = 100;

const usageQuery = attributeQuery.extend({
  limit: attributeQuery.shape.limit.meta({ description: `Maximum number of attributes to return; default 10, at most ${MAX_USES}.` }),
  withIds: z
    .union([z.boolean(), z.enum(['true', 'false', ''])])
    .transform((value) => value === true || value === 'true')
    .optional()
    .meta({ override: { type: 'boolean' }, description: `True to include ids, at most ${MAX_USES} for each kind.` }),
});

/** The entities of one kind that use a role attribute. */
const roleAttributeUse = z
  .object({
    /** Number of entities that have the attribute, or of policies that select by it. */
    count: z.int(),
    /** Ids of the entities, at most 100; omitted unless requested with `withIds`. */
    ids: z.array(z.string()).optional(),
  })
  .meta({ id: 'RoleAttributeUse' });

/** A role attribute, with the entities that have it and the policies that select by it. */
const roleAttributeUsage = z
  .object({
    /** The role attribute. */
    roleAttribute: z.string(),
    /** The uses of the attribute, by group of the entities: `identities`, `servicePolicies`. */
    usage: z.record(z.string(), roleAttributeUse),
  })
  .meta({ id: 'RoleAttributeUsage' });

/** Lists the role attributes of a kind that entities have or policies select by, with their counts. The only filter field is `id`. */
const attributeUsage = <const P extends string>(path: P, operationId: string, permission: Permission) =>
  operation('GET', path, {
    operationId,
    summary: `List role attributes with the number of entities that have them and of policies that select by them: ${path.slice(1)}`,
    permission,
    query: usageQuery,
    answer: page(roleAttributeUsage),
  });

export const roleAttributeLists = group('roleAttributes', 'Role attributes', {
  identities: attributesInUse('/identity-role-attributes', 'listIdentityRoleAttributes', 'identity.read'),
  services: attributesInUse('/service-role-attributes', 'listServiceRoleAttributes', 'service.read'),
  postureChecks: attributesInUse('/posture-check-role-attributes', 'listPostureCheckRoleAttributes', 'posture-check.read'),
  edgeRouters: attributesInUse('/edge-router-role-attributes', 'listEdgeRouterRoleAttributes', 'router.read'),
  identityUsage: attributeUsage('/identity-role-attribute-usage', 'listIdentityRoleAttributeUsage', 'identity.read'),
  serviceUsage: attributeUsage('/service-role-attribute-usage', 'listServiceRoleAttributeUsage', 'service.read'),
  postureCheckUsage: attributeUsage('/posture-check-role-attribute-usage', 'listPostureCheckRoleAttributeUsage', 'posture-check.read'),
  edgeRouterUsage: attributeUsage('/edge-router-role-attribute-usage', 'listEdgeRouterRoleAttributeUsage', 'router.read'),
});
