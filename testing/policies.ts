import { selectorsOf, type TestEntity, type TestRoles } from './entity.ts';
import type { Kit } from './kit.ts';
import type { TestSession } from './session.ts';

type Type = 'Dial' | 'Bind';

/** The subject of an access check: an identity, or a session, whose verified MFA codes satisfy MFA checks. */
export type TestSubject = TestEntity | TestSession;

/** Creates policies, and checks the access that they grant. */
export const policiesOf = ({ controller }: Kit) => {
  const { servicePolicies, edgeRouterPolicies, serviceEdgeRouterPolicies, access } = controller.api;
  let serial = 0;
  const semantic = 'AnyOf' as const;

  return {
    grant: async (type: Type, identities: TestRoles, services: TestRoles, checks: TestRoles): Promise<TestEntity> => {
      const name = `${type} policy ${++serial}`;
      const roles = { identityRoles: selectorsOf(identities), serviceRoles: selectorsOf(services), postureCheckRoles: selectorsOf(checks) };
      return { id: (await servicePolicies.create({ body: { name, type, semantic, ...roles } })).id, name };
    },
    route: async (identities: TestRoles, services: TestRoles, edgeRouters: TestRoles): Promise<void> => {
      const name = `route ${++serial}`;
      const edgeRouterRoles = selectorsOf(edgeRouters);
      await edgeRouterPolicies.create({ body: { name, semantic, identityRoles: selectorsOf(identities), edgeRouterRoles } });
      await serviceEdgeRouterPolicies.create({ body: { name, semantic, serviceRoles: selectorsOf(services), edgeRouterRoles } });
    },
    isAllowed: async (type: Type, who: TestSubject, { id: serviceId }: TestEntity): Promise<boolean> => {
      const subject = 'token' in who ? { identityId: who.identityId, apiSessionId: who.id } : { identityId: who.id };
      return (await access.explain({ ...subject, serviceId, type })).isAllowed;
    },
  };
};
