import { behaviour } from '../../call/behaviour.ts';
import { identity, policyTest, service } from '../../contract/api/kinds.ts';
import { explained, invalidField } from '../../contract/errors/index.ts';
import { ALL } from '../../query/index.ts';
import { MAX_POLICY_TESTS } from './broken-tests.ts';

export const policyTestBehaviour = behaviour(policyTest, {
  check: async (entities, after, before) => {
    const { identityId, identityAttributes, serviceId } = after;
    if (identityId && (identityAttributes?.length ?? 0) > 0)
      throw invalidField(
        'identityAttributes',
        'a policy test must name either an identity or role attributes, not both',
        identityAttributes,
      );
    if (identityId && identityId !== before?.identityId && !(await entities.get(identity, identityId)))
      throw invalidField('identityId', 'identityId must be the id of an identity', identityId);
    if (serviceId !== before?.serviceId && !(await entities.get(service, serviceId)))
      throw invalidField('serviceId', 'serviceId must be the id of a service', serviceId);
    if (!before && (await entities.count(policyTest, ALL)) >= MAX_POLICY_TESTS)
      throw explained('CONFLICT', `a network has at most ${MAX_POLICY_TESTS} policy tests: delete one first`);
    return undefined;
  },
});
