import * as z from 'zod';
import { group, listQuery, operation, type Permission, page, queryText } from './kit/index.ts';

const attributeQuery = listQuery.extend({
  sort: queryText
    .optional()
    .meta({ description: '`id` or `name`, which are both the attribute itself, and `asc` or `desc`; any other sort is ignored.' }),
});

/** The list of the attributes that entities of a kind carry, each once. Its only filter field is `id`: the attribute itself. */
const inUse = <const P extends string>(path: P, operationId: string, permission: Permission) =>
  operation('GET', path, {
    operationId,
    summary: `List the role attributes in use: ${path.slice(1)}`,
    permission,
    query: attributeQuery,
    answer: page(z.string()),
  });

export const roleAttributeLists = group('roleAttributes', 'Role attributes', {
  identities: inUse('/identity-role-attributes', 'listIdentityRoleAttributes', 'identity.read'),
  services: inUse('/service-role-attributes', 'listServiceRoleAttributes', 'service.read'),
  postureChecks: inUse('/posture-check-role-attributes', 'listPostureCheckRoleAttributes', 'posture-check.read'),
  edgeRouters: inUse('/edge-router-role-attributes', 'listEdgeRouterRoleAttributes', 'router.read'),
});
