/**
 * Evaluates the access of an identity to a service. Only these pure functions decide it; lists evaluate the same rules in the store, with
 * the predicates of `roles/membership.ts`. Permissions depend only on policies, so lists of services do not depend on the endpoint. Current
 * access also depends on the posture checks of the granting policies.
 */
import type { PolicyType } from '../../contract/api/policies.ts';
import { memoize } from '../../runtime/memoize.ts';
import type { CheckResult, Posture } from '../posture/posture.ts';
import { type Selectable, selects } from '../roles/membership.ts';
import { selectingEach } from '../roles/selection-index.ts';

/** The fields of a service policy that the evaluator reads. */
export interface AccessPolicy {
  readonly id: string;
  readonly type: PolicyType | 'Invalid';
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly postureCheckRoles: readonly string[];
}

/** The permissions of an identity on a service, ignoring posture. */
export interface Permissions<P extends AccessPolicy = AccessPolicy> {
  readonly dial: boolean;
  readonly bind: boolean;
  /** The policies that select both, in their original order. */
  readonly granting: readonly P[];
}

/** True if a policy selects both an identity and a service. */
export const grants = (
  { semantic, identityRoles, serviceRoles }: Omit<AccessPolicy, 'postureCheckRoles'>,
  identity: Selectable,
  service: Selectable,
): boolean => selects({ semantic, roles: identityRoles }, identity) && selects({ semantic, roles: serviceRoles }, service);

export const evaluatePermissions = <P extends AccessPolicy>(
  policies: readonly P[],
  identity: Selectable,
  service: Selectable,
): Permissions<P> => permissionsBy(policies.filter((policy) => grants(policy, identity, service)));

const permissionsBy = <P extends AccessPolicy>(granting: readonly P[]): Permissions<P> => ({
  dial: granting.some(({ type }) => type === 'Dial'),
  bind: granting.some(({ type }) => type === 'Bind'),
  granting,
});

/**
 * Evaluates pairs of many identities and services. The cost depends on the number of policies that select them, not on the total number.
 * @returns a function that often returns the same object for pairs that the same policies grant, so that callers can memoize by it
 */
export const permissionsAmong = async <P extends AccessPolicy, I extends Selectable, S extends Selectable>(
  policies: readonly P[],
  identities: Iterable<I>,
  services: Iterable<S>,
): Promise<(identity: I, service: S) => Permissions<P>> => {
  const ofIdentities = await selectingEach(identities, policies, ({ semantic, identityRoles: roles }) => ({ semantic, roles }));
  const ofServices = await selectingEach(services, policies, ({ semantic, serviceRoles: roles }) => ({ semantic, roles }));
  const ofIdentity = memoize((identity: I) => {
    const own = new Set(ofIdentities.get(identity));
    // Many services are selected by the same policies.
    return memoize((selecting: readonly P[]) =>
      permissionsBy(own.size === policies.length ? selecting : selecting.filter((policy) => own.has(policy))),
    );
  });
  const none: readonly P[] = [];
  return (identity, service) => ofIdentity(identity)(ofServices.get(service) ?? none);
};

/** A policy that selects both, with the results of its posture checks. */
export interface PolicyResult<P extends AccessPolicy = AccessPolicy> {
  readonly policy: P;
  /** True if all checks pass, or if there are none. */
  readonly isPassing: boolean;
  readonly checks: readonly CheckResult[];
}

/** Current access: `dial` and `bind` are true if a granting policy of that type passes its posture checks. */
export interface Access<P extends AccessPolicy = AccessPolicy> {
  readonly permissions: Permissions<P>;
  readonly dial: boolean;
  readonly bind: boolean;
  /** A result for each granting policy, in the same order. */
  readonly results: readonly PolicyResult<P>[];
}

export const evaluateAccess = <P extends AccessPolicy>(
  policies: readonly P[],
  identity: Selectable,
  service: Selectable,
  posture: Posture,
): Access<P> => accessBy(evaluatePermissions(policies, identity, service), posture);

/** Evaluates the posture checks of the granting policies. */
export const accessBy = <P extends AccessPolicy>(permissions: Permissions<P>, posture: Posture): Access<P> => {
  const results = permissions.granting.map((policy) => evaluatePolicy(policy, posture));
  const isGranted = (type: PolicyType) => results.some(({ policy, isPassing }) => policy.type === type && isPassing);
  return { permissions, dial: isGranted('Dial'), bind: isGranted('Bind'), results };
};

export const evaluatePolicy = <P extends AccessPolicy>(policy: P, posture: Posture): PolicyResult<P> => {
  const checks = posture.resultsFor(policy);
  return { policy, isPassing: checks.every(({ isPassing }) => isPassing), checks };
};
