import { servicePolicy } from '../../../api/policies.ts';
import { behaviour } from '../../../call/behaviour.ts';
import { invalidField } from '../../../errors/index.ts';
import { countEnds, policyEnds } from '../expiry/end-counts.ts';
import { rolesUntilEnd } from '../expiry/policy-end.ts';
import { resolveSelected } from './selected-sets.ts';

export const servicePolicyBehaviour = behaviour(servicePolicy, {
  resolve: resolveSelected,
  prepare: async (_call, _verb, { type }) => {
    // A value of the enumeration that occurs only in answers.
    if (type === 'Invalid') throw invalidField('policyType', 'the type of a service policy must be Dial or Bind, got Invalid', type);
    return {};
  },
  check: (entities, after, before, call) => rolesUntilEnd(entities, after, before, call.now()),
  write: (entities, after, before, call) => countEnds(entities, call, 'validUntil', policyEnds(after), policyEnds(before)),
});
