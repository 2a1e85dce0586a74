import * as z from 'zod';
import { upsert } from './edits.ts';
import { endOfGrants, grantEnd, grantReason, nextPolicyEnd, nextUnannouncedPolicyEnd } from './grants-with-end.ts';
import { attributeIndex, crud, group, optional, readOnly, required, resource, selectors, timestamp } from './kit/index.ts';
import { boolean, name } from './shared.ts';

/**
 * `AllOf`: an entity must have all attributes of a role array; `AnyOf`: any of them. Both also select the entities with ids in the array.
 */
const semantic = z.enum(['AllOf', 'AnyOf']);

/** The numbers of policy types. Filters of release 1.7 use them, and those of later releases accept them, too. */
export const policyTypeNumbers = { Dial: 1, Bind: 2 } as const;
export type PolicyType = keyof typeof policyTypeNumbers;

const numberOfType = (type: unknown): number | null => (type === 'Dial' || type === 'Bind' ? policyTypeNumbers[type] : null);

export const servicePolicy = resource({
  kind: 'servicePolicy',
  collection: 'service-policies',
  names: ['ServicePolicy', 'ServicePolicies'],
  bodyName: 'policy',
  about:
    'A service policy allows the identities that it selects to dial or bind the services that it selects, as long as the posture checks that it selects pass.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** The right that the policy grants: to dial or to bind services. */
    type: required(z.enum(['Dial', 'Bind', 'Invalid']), {
      filter: true,
      filterableSince: '2.0',
      filterNumbers: policyTypeNumbers,
    }),
    /** The type as a number, for filters of release 1.7. */
    typeNumber: readOnly(z.int(), { keep: 'hidden', filterIn17: 'type', derivedFrom: ({ type }) => numberOfType(type) }),
    /** `AllOf`: an entity must have all attributes of a role array; `AnyOf`: any of them. */
    semantic: required(semantic, { filter: true }),
    /** Identities that the policy selects: `#attribute`, `@id`, or `#all` alone. */
    identityRoles: selectors('identity'),
    identityWords: attributeIndex('identityRoles'),
    /** Services that the policy selects: `#attribute`, `@id`, or `#all` alone. */
    serviceRoles: selectors('service'),
    serviceWords: attributeIndex('serviceRoles'),
    /** Posture checks that must pass: `#attribute`, `@id`, or `#all` alone. */
    postureCheckRoles: selectors('postureCheck'),
    postureCheckWords: attributeIndex('postureCheckRoles'),
    /**
     * An extension: when the policy ends; it then selects no identities. Fractions of a second are dropped. A PUT without the field keeps
     * its value.
     */
    validUntil: optional(grantEnd, { absent: true, keptByReplace: true }),
    /** An extension: the reason for the policy; at most 1,000 characters. A PUT without the field keeps its value. */
    reason: optional(grantReason, { absent: true, keptByReplace: true }),
    /** The `identityRoles` of a policy that has ended. Setting a new `validUntil` restores them. */
    endedIdentityRoles: readOnly(z.array(z.string()), { absent: true }),
    /** The end that an event has announced. */
    announcedEnd: readOnly(timestamp, { absent: true }),
    grantsEndAt: endOfGrants(nextPolicyEnd),
    unannouncedEndAt: endOfGrants(nextUnannouncedPolicyEnd),
  },
  ends: { at: 'validUntil', of: 'identityRoles', keptIn: 'endedIdentityRoles' },
  symbols: { identities: { selectedBy: 'identityRoles' }, services: { selectedBy: 'serviceRoles' } },
  subLinks: ['services', 'identities', 'posture-checks'],
  unknownParent: 'emptyList',
});

export const edgeRouterPolicy = resource({
  kind: 'edgeRouterPolicy',
  collection: 'edge-router-policies',
  names: ['EdgeRouterPolicy', 'EdgeRouterPolicies'],
  bodyName: 'policy',
  about: 'An edge router policy allows the identities that it selects to use the edge routers that it selects.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** `AllOf`: an entity must have all attributes of a role array; `AnyOf`: any of them. */
    semantic: required(semantic, { filter: true }),
    /** Identities that the policy selects: `#attribute`, `@id`, or `#all` alone. */
    identityRoles: selectors('identity'),
    identityWords: attributeIndex('identityRoles'),
    /** Edge routers that the policy selects: `#attribute`, `@id`, or `#all` alone. */
    edgeRouterRoles: selectors('edgeRouter'),
    edgeRouterWords: attributeIndex('edgeRouterRoles'),
    /** True for the policy that allows the identity of an edge router with a tunneler to use that router. */
    isSystem: readOnly(boolean, { default: false, undeclared: true }),
  },
  subLinks: ['edge-routers', 'identities'],
});

export const serviceEdgeRouterPolicy = resource({
  kind: 'serviceEdgeRouterPolicy',
  collection: 'service-edge-router-policies',
  names: ['ServiceEdgeRouterPolicy', 'ServiceEdgeRouterPolicies'],
  bodyName: 'policy',
  about: 'A service edge router policy makes the services that it selects reachable through the edge routers that it selects.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** `AllOf`: an entity must have all attributes of a role array; `AnyOf`: any of them. */
    semantic: required(semantic, { filter: true }),
    /** Services that the policy selects: `#attribute`, `@id`, or `#all` alone. */
    serviceRoles: selectors('service'),
    serviceWords: attributeIndex('serviceRoles'),
    /** Edge routers that the policy selects: `#attribute`, `@id`, or `#all` alone. */
    edgeRouterRoles: selectors('edgeRouter'),
    edgeRouterWords: attributeIndex('edgeRouterRoles'),
  },
  subLinks: ['edge-routers', 'services'],
});

export const servicePolicies = group('servicePolicies', 'Service policies', { ...crud(servicePolicy), ...upsert(servicePolicy) });
export const edgeRouterPolicies = group('edgeRouterPolicies', 'Edge router policies', {
  ...crud(edgeRouterPolicy),
  ...upsert(edgeRouterPolicy),
});
export const serviceEdgeRouterPolicies = group('serviceEdgeRouterPolicies', 'Service edge router policies', {
  ...crud(serviceEdgeRouterPolicy),
  ...upsert(serviceEdgeRouterPolicy),
});
