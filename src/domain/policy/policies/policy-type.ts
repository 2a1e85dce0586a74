import type { PolicyType } from '../../../api/policies.ts';

/** The parameter of lists that services and identities have of each other. */
export interface ByPolicyType {
  readonly policyType?: 'dial' | 'bind' | undefined;
}

/** The policy type that a list's `policyType` asks for. */
export const typed = (asked: ByPolicyType['policyType']): PolicyType | undefined =>
  asked === undefined ? undefined : asked === 'dial' ? 'Dial' : 'Bind';
