/**
 * The one evaluator: what policies let an identity do with a service. Pure; lists ask the same of the store, with the predicates of
 * `policy/roles/membership.ts`. Rights are a matter of policies alone: what is permitted, and so listed, does not depend on the endpoint. Whether it
 * may be done now depends on the posture checks of the permitting policies, too.
 */
import type { PolicyType } from '../../../api/policies.ts';
import type { CheckResult, Posture } from '../posture/posture.ts';
import { type Selectable, selects } from '../roles/membership.ts';

/** The fields of a service policy that the evaluator reads. */
export interface AccessPolicy {
  readonly id: string;
  readonly type: PolicyType | 'Invalid';
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly postureCheckRoles: readonly string[];
}

/** Permissions, ignoring posture. */
export interface Permissions<P extends AccessPolicy = AccessPolicy> {
  readonly dial: boolean;
  readonly bind: boolean;
  /** The policies that select both, in the order given. */
  readonly granting: readonly P[];
}

/** Whether a policy selects both an identity and a service. */
export const grants = (
  { semantic, identityRoles, serviceRoles }: Omit<AccessPolicy, 'postureCheckRoles'>,
  identity: Selectable,
  service: Selectable,
): boolean => selects({ semantic, roles: identityRoles }, identity) && selects({ semantic, roles: serviceRoles }, service);

export const evaluatePermissions = <P extends AccessPolicy>(
  policies: readonly P[],
  identity: Selectable,
  service: Selectable,
): Permissions<P> => {
  const granting = policies.filter((policy) => grants(policy, identity, service));
  return {
    dial: granting.some(({ type }) => type === 'Dial'),
    bind: granting.some(({ type }) => type === 'Bind'),
    granting,
  };
};

/** A policy that selects both, and how its posture checks stand. It passes when all do, and so without any. */
export interface PolicyResult<P extends AccessPolicy = AccessPolicy> {
  readonly policy: P;
  readonly isPassing: boolean;
  readonly checks: readonly CheckResult[];
}

/** Access now: `dial` and `bind` are true if some policy of the type permits it and its posture checks pass. */
export interface Access<P extends AccessPolicy = AccessPolicy> {
  readonly permissions: Permissions<P>;
  readonly dial: boolean;
  readonly bind: boolean;
  /** A result for each granting policy, in their order. */
  readonly results: readonly PolicyResult<P>[];
}

export const evaluateAccess = <P extends AccessPolicy>(
  policies: readonly P[],
  identity: Selectable,
  service: Selectable,
  posture: Posture,
): Access<P> => {
  const permissions = evaluatePermissions(policies, identity, service);
  const results = permissions.granting.map((policy) => evaluatePolicy(policy, posture));
  const may = (right: PolicyType) => results.some(({ policy, isPassing }) => policy.type === right && isPassing);
  return { permissions, dial: may('Dial'), bind: may('Bind'), results };
};

export const evaluatePolicy = <P extends AccessPolicy>(policy: P, posture: Posture): PolicyResult<P> => {
  const checks = posture.resultsFor(policy);
  return { policy, isPassing: checks.every(({ isPassing }) => isPassing), checks };
};
