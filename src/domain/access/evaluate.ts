/** The one evaluator: what policies let an identity do with a service. Pure; lists ask the same of the store, with the predicates of `roles/membership.ts`. */
import type { PolicyType } from '../../api/policies.ts';
import { type Selectable, selects } from '../roles/membership.ts';

/** What counts of a service policy. */
export interface AccessPolicy {
  readonly id: string;
  readonly type: PolicyType | 'Invalid';
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}

export interface Access<P extends AccessPolicy = AccessPolicy> {
  readonly dial: boolean;
  readonly bind: boolean;
  /** The policies that grant it, in the order given. */
  readonly granting: readonly P[];
}

/** Whether a policy grants a service to an identity. */
export const grants = ({ semantic, identityRoles, serviceRoles }: AccessPolicy, identity: Selectable, service: Selectable): boolean =>
  selects({ semantic, roles: identityRoles }, identity) && selects({ semantic, roles: serviceRoles }, service);

export const evaluateAccess = <P extends AccessPolicy>(policies: readonly P[], identity: Selectable, service: Selectable): Access<P> => {
  const granting = policies.filter((policy) => grants(policy, identity, service));
  return {
    dial: granting.some(({ type }) => type === 'Dial'),
    bind: granting.some(({ type }) => type === 'Bind'),
    granting,
  };
};
