import * as z from 'zod';
import { accessPage, accessQuery, matrixQuery } from './access-matrix.ts';
import { comparison, comparisonQuery, previewBody, previewReport } from './access-report.ts';
import { data, entityReference, group, operation, string, timestamp } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';
import { surfaces } from './surfaces/index.ts';

/** One entry of a role array, evaluated for one entity. */
const selector = z
  .object({
    selector: string.meta({ description: 'An entry of the role array: `#attribute`, `@id`, `#all`.' }),
    isMatching: boolean.meta({ description: 'True if the entity has the attribute or the id, or if the entry is `#all`.' }),
    /** When the role attribute of the identity ends or ended, if it was granted with an end. */
    validUntil: timestamp.optional(),
    /** The reason given for that grant. */
    reason: string.optional(),
  })
  .meta({ id: 'ExplainedSelector' });

const side = z
  .object({
    /** True if the role array selects the entity. */
    isSelected: boolean,
    /** The entries of the role array. */
    selectors: z.array(selector),
  })
  .meta({ id: 'ExplainedSide', description: 'A role array of a policy, evaluated for an entity.' });

/** A posture check of a policy, with its result for the identity. */
const explainedCheck = z
  .object({
    /** The check. */
    check: entityReference,
    /** Type of the check. */
    typeId: string,
    /** True if the identity currently passes the check. */
    isPassing: boolean,
    /** The value that the check expects. */
    expectedValue: z.unknown(),
    actualValue: z.unknown().meta({ description: 'The value that the endpoint reported; empty if it reported none.' }),
  })
  .meta({ id: 'ExplainedPostureCheck' });

/** A service policy, evaluated for the identity and the service. */
const explainedPolicy = z
  .object({
    /** The policy. */
    policy: entityReference,
    /** `AllOf`: an entity must have all attributes of a role array; `AnyOf`: any of them. */
    semantic: z.enum(['AllOf', 'AnyOf']),
    isGranting: boolean.meta({ description: 'True if the policy selects both entities, and all its posture checks pass.' }),
    /** When the policy ends, if it has an end. From then on, it selects no identity. */
    validUntil: timestamp.optional(),
    /** The reason given for the policy, if any. */
    reason: string.optional(),
    /** The role array for identities, evaluated for the identity. */
    identity: side,
    /** The role array for services, evaluated for the service. */
    service: side,
    /** The posture checks that the policy selects. */
    postureChecks: z.array(explainedCheck),
  })
  .meta({ id: 'ExplainedPolicy' });

const suggestion = z
  .object({
    /** The suggested change, as a sentence. */
    description: string,
    size: z.int().meta({ description: 'Number of attributes, role entries or policies to add, or of posture checks to pass.' }),
    /** The operation that makes the change. */
    operationId: z.enum(['patchIdentity', 'patchService', 'patchServicePolicy', 'createServicePolicy']).optional(),
    id: string.optional().meta({ description: 'Id of the entity to patch.' }),
    body: z.record(string, z.unknown()).optional().meta({ description: 'The body of that operation.' }),
    postureChecks: z
      .array(entityReference)
      .optional()
      .meta({ description: 'Instead of an operation: the posture checks that the endpoint must pass.' }),
  })
  .meta({ id: 'AccessSuggestion', description: 'A change that would grant the access.' });

/** Why an identity may or may not dial or bind a service, and what would grant it. */
export const explanation = z
  .object({
    /** The type of access. */
    type: z.enum(['Dial', 'Bind']),
    isAllowed: boolean.meta({ description: 'True if a policy selects both, and all its posture checks pass.' }),
    isPermitted: boolean.meta({
      description: 'True if a policy selects both, ignoring posture checks, as in lists and policy advice.',
    }),
    /** The identity. */
    identity: entityReference,
    /** The service. */
    service: entityReference,
    policies: z
      .array(explainedPolicy)
      .meta({ description: 'Policies of the type that select the identity, the service or both; granting ones first.' }),
    morePolicies: z.int().meta({ description: 'Number of further such policies, which are not shown.' }),
    otherPolicies: z.int().meta({ description: 'Number of policies of the type that select neither.' }),
    /** Number of edge routers that the identity may use. */
    identityRouterCount: z.int(),
    /** Number of edge routers through which the service can be reached. */
    serviceRouterCount: z.int(),
    commonRouters: z
      .array(entityReference)
      .meta({ description: 'Edge routers that both may use. Without one, no session can be created.' }),
    moreCommonRouters: z.int().meta({ description: 'Number of further such routers, which are not shown.' }),
    sessions: z
      .array(string)
      .meta({ description: 'Ids of the current sessions of the type between the identity and the service, in all its API sessions.' }),
    moreSessions: z.int().meta({ description: 'Number of further such sessions, which are not shown.' }),
    suggestions: z
      .array(suggestion)
      .meta({ description: 'If access is denied: the smallest changes that would grant it, smallest first.' }),
  })
  .meta({ id: 'AccessExplanation' });

/** The kinds of entities that a report contains, besides identities. */
const REPORTED = ['service', 'servicePolicy', 'postureCheck', 'edgeRouter', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy', 'session'];

export const access = group('access', 'Access', {
  explain: operation('GET', '/identities/{identityId}/services/{serviceId}/explain', {
    operationId: 'explainAccess',
    summary: 'Explain why an identity may or may not dial or bind a service, and what would grant it',
    permission: 'identity.read',
    shows: ['servicePolicy', 'postureCheck', 'edgeRouter', 'session', 'apiSession'],
    surfaces: [surfaces.extensions],
    query: z.object({
      /** The type of access. Default: `Dial`. */
      type: z.enum(['Dial', 'Bind']).default('Dial'),
      apiSessionId: shortText.optional().meta({
        description: 'An API session of the identity, for posture checks that require MFA. Without it, they fail.',
      }),
    }),
    answer: data(explanation),
  }),
  matrix: operation('GET', '/access/matrix', {
    operationId: 'listAccess',
    summary: 'List the identities that may dial or bind each service, with the policies, ignoring posture checks',
    permission: 'identity.read',
    shows: ['service', 'servicePolicy', 'postureCheck'],
    surfaces: [surfaces.extensions],
    query: matrixQuery,
    answer: data(accessPage),
    errors: ['INVALID_FILTER'],
  }),
  whoCan: operation('GET', '/services/{serviceId}/who-can', {
    operationId: 'listWhoCan',
    summary: 'List the identities that may dial or bind a service, with the policies, ignoring posture checks',
    permission: 'identity.read',
    shows: ['servicePolicy', 'postureCheck'],
    surfaces: [surfaces.extensions],
    query: accessQuery,
    answer: data(accessPage),
  }),
  reach: operation('GET', '/identities/{identityId}/reach', {
    operationId: 'listReach',
    summary: 'List the services that an identity may dial or bind, with the policies, ignoring posture checks',
    permission: 'identity.read',
    shows: ['service', 'servicePolicy', 'postureCheck'],
    surfaces: [surfaces.extensions],
    query: accessQuery,
    answer: data(accessPage),
  }),
  preview: operation('POST', '/access/preview', {
    operationId: 'previewAccess',
    summary: 'Preview the access that identities would gain or lose through a list of operations, which are run and rolled back',
    permission: 'identity.read',
    shows: REPORTED,
    standalone: 'it changes nothing',
    surfaces: [surfaces.extensions],
    body: { schema: previewBody, name: 'preview' },
    answer: data(previewReport),
  }),
  compare: operation('GET', '/access/compare', {
    operationId: 'compareAccess',
    summary: 'Compare the access of identities at two revisions, ignoring posture checks',
    permission: 'change.read',
    shows: ['identity', ...REPORTED],
    surfaces: [surfaces.extensions],
    presentOnly: true,
    query: comparisonQuery,
    answer: data(comparison),
    errors: ['CURSOR_EXPIRED'],
  }),
});
