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

export const roleAttributeLists = group('roleAttributes', 'Role attributes', {
  identities: attributesInUse('/identity-role-attributes', 'listIdentityRoleAttributes', 'identity.read'),
  services: attributesInUse('/service-role-attributes', 'listServiceRoleAttributes', 'service.read'),
  postureChecks: attributesInUse('/posture-check-role-attributes', 'listPostureCheckRoleAttributes', 'posture-check.read'),
  edgeRouters: attributesInUse('/edge-router-role-attributes', 'listEdgeRouterRoleAttributes', 'router.read'),
});
