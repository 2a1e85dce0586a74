import { behaviour } from '../../call/behaviour.ts';
import { servicePolicy } from '../../contract/api/policies.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { countEnds, policyEnds } from '../expiry/end-counts.ts';
import { reconcilePolicyEnd } from '../expiry/policy-end.ts';
import { resolveSelectedSets } from './selected-sets.ts';

export const servicePolicyBehaviour = behaviour(servicePolicy, {
  resolve: resolveSelectedSets,
  prepare: async (_call, _verb, { type }) => {
    // `Invalid` is a value of the published enumeration that occurs only in answers.
    if (type === 'Invalid') throw invalidField('policyType', 'the type of a service policy must be Dial or Bind, got Invalid', type);
    return {};
  },
  check: (entities, after, before, call) => reconcilePolicyEnd(entities, after, before, call.now()),
  write: (entities, after, before, call) => countEnds(entities, call, 'validUntil', policyEnds(after), policyEnds(before)),
});
