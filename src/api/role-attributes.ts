import * as z from 'zod';
import { group, listQuery, operation, type Permission, page, queryText } from './kit/index.ts';

const attributeQuery = listQuery.extend({
  sort: queryText
    .optional()
    .meta({ description: '`id` or `name`, which are both the attribute itself, and `asc` or `desc`; any other sort is ignored.' }),
});

/** Lists the distinct attributes that entities of a kind carry. The only filter field is `id`: the attribute itself. */
const attributesInUse = <const P extends string>(path: P, operationId: string, permission: Permission) =>
  operation('GET', path, {
    operationId,
    summary: `List the role attributes in use: ${path.slice(1)}`,
    permission,
    query: attributeQuery,
    answer: page(z.string()),
  });

/** Maximum number of attributes of a page of uses, and of ids of one use. */
export const MAX_USES = 100;

const usageQuery = attributeQuery.extend({
  limit: attributeQuery.shape.limit.meta({ description: `Attributes to return at most; default 10, at most ${MAX_USES}.` }),
  withIds: z
    .union([z.boolean(), z.enum(['true', 'false', ''])])
    .transform((value) => value === true || value === 'true')
    .optional()
    .meta({ override: { type: 'boolean' }, description: `True to list ids: at most ${MAX_USES} for each source.` }),
});

/** How one kind of entities uses a role attribute. */
const roleAttributeUse = z
  .object({
    /** Number of entities: those that carry the attribute, or policies that name it. */
    count: z.int(),
    /** Ids of the entities, at most 100; absent unless requested by `withIds`. */
    ids: z.array(z.string()).optional(),
  })
  .meta({ id: 'RoleAttributeUse' });

/** A role attribute, and the entities that carry it or name it in their roles. */
const roleAttributeUsage = z
  .object({
    /** The role attribute. */
    roleAttribute: z.string(),
    /** Its uses, by the entities: `identities`, `servicePolicies`. */
    usage: z.record(z.string(), roleAttributeUse),
  })
  .meta({ id: 'RoleAttributeUsage' });

/** Lists the attributes that entities of a kind carry, or by which policies select them, with their numbers. The only filter field is `id`. */
const attributeUsage = <const P extends string>(path: P, operationId: string, permission: Permission) =>
  operation('GET', path, {
    operationId,
    summary: `List role attributes with the numbers of entities that carry them and of policies that name them: ${path.slice(1)}`,
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
