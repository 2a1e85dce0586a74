import { selectorsOf, type TestEntity, type TestRoles } from './entity.ts';
import type { Kit } from './kit.ts';
import type { TestSession } from './session.ts';

type Type = 'Dial' | 'Bind';

/** The subject of an access check: an identity, or a session, whose verified MFA codes satisfy MFA checks. */
export type TestSubject = TestEntity | TestSession;

/** Policies, and what they grant. */
export const policiesOf = ({ controller }: Kit) => {
  const { servicePolicies, edgeRouterPolicies, serviceEdgeRouterPolicies, access } = controller.api;
  let serial = 0;
  const semantic = 'AnyOf' as const;

  return {
    grant: async (type: Type, of: TestRoles, to: TestRoles, checks: TestRoles): Promise<TestEntity> => {
      const name = `${type} policy ${++serial}`;
      const roles = { identityRoles: selectorsOf(of), serviceRoles: selectorsOf(to), postureCheckRoles: selectorsOf(checks) };
      return { id: (await servicePolicies.create({ body: { name, type, semantic, ...roles } })).id, name };
    },
    route: async (of: TestRoles, to: TestRoles, through: TestRoles): Promise<void> => {
      const name = `route ${++serial}`;
      const edgeRouterRoles = selectorsOf(through);
      await edgeRouterPolicies.create({ body: { name, semantic, identityRoles: selectorsOf(of), edgeRouterRoles } });
      await serviceEdgeRouterPolicies.create({ body: { name, semantic, serviceRoles: selectorsOf(to), edgeRouterRoles } });
    },
    isAllowed: async (type: Type, who: TestSubject, { id: serviceId }: TestEntity): Promise<boolean> => {
      const subject = 'token' in who ? { identityId: who.identityId, apiSessionId: who.id } : { identityId: who.id };
      return (await access.explain({ ...subject, serviceId, type })).isAllowed;
    },
  };
};
