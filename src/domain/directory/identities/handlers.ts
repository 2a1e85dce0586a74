import { authenticator } from '../../../api/authenticators.ts';
import { enrollment } from '../../../api/enrollments.ts';
import { identities, identity } from '../../../api/identities.ts';
import { edgeRouterPolicy, servicePolicy } from '../../../api/policies.ts';
import { edgeRouter } from '../../../api/routers.ts';
import { service } from '../../../api/services.ts';
import type { Handlers } from '../../../call/implement.ts';
import { equals, stringField } from '../../../query/index.ts';
import { crudHandlers, listRows } from '../../../resources/crud.ts';
import { relatedList } from '../../../resources/related.ts';
import { grantedTo, viewerOf } from '../../catalogue/services/visibility.ts';
import { typed } from '../../policy/policies/policy-type.ts';
import { identityToRouters, reachedFrom } from '../../policy/policies/traversal.ts';
import { selecting } from '../../policy/roles/membership.ts';
import { endMfa, mfaOf } from '../mfa/record.ts';
import { disableIdentity, enableIdentity, refuseDefaultAdministrator } from './disable.ts';
import { assignServiceConfigs, listServiceConfigs, removeServiceConfigs } from './service-configs.ts';

/** The operations of the group that need no higher floor. */
export const identityHandlers = {
  ...crudHandlers(identities, identity),
  disable: async (call, { id, body }) => {
    await call.write(async (entities) => {
      const row = await entities.require(identity, id);
      refuseDefaultAdministrator(row);
      await disableIdentity(entities, row, body.durationMinutes, call.now());
    });
    return {};
  },
  enable: async (call, { id }) => {
    await call.write(async (entities) => enableIdentity(entities, await entities.require(identity, id)));
    return {};
  },
  deleteMfa: async (call, { id }) => {
    await call.write(async (entities) => {
      await entities.require(identity, id);
      const enrolled = await mfaOf(entities, id);
      if (enrolled) await endMfa(entities, enrolled);
    });
    return {};
  },
  listAuthenticators: (call, { id, ...query }) =>
    call.read(async (entities) => {
      await entities.require(identity, id);
      return listRows(entities, authenticator, query, call, { within: equals(stringField('identityId'), id) });
    }),
  listEnrollments: relatedList(identity, enrollment, (_, { id }) => equals(stringField('identityId'), id)),
  listServices: (call, { id, policyType, ...query }) =>
    call.read(async (entities) => {
      const row = await entities.require(identity, id);
      const viewer = await viewerOf(entities, { identity: row }, []);
      return listRows(entities, service, query, call, { within: grantedTo(viewer, typed(policyType)) });
    }),
  listServicePolicies: relatedList(identity, servicePolicy, (_, row) => selecting('identityRoles', row)),
  listEdgeRouterPolicies: relatedList(identity, edgeRouterPolicy, (_, row) => selecting('identityRoles', row)),
  listEdgeRouters: relatedList(identity, edgeRouter, (entities, row) => reachedFrom(entities, identityToRouters, row)),
  listServiceConfigs,
  assignServiceConfigs,
  removeServiceConfigs,
} satisfies Partial<Handlers<(typeof identities)['operations']>>;
