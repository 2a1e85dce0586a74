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
    isMatching: boolean.meta({ description: 'Whether the entity carries the attribute, has the id, or everything is selected.' }),
    /** The end of the role attribute, if the identity has it, or had it, until a time. */
    validUntil: timestamp.optional(),
    /** Why the identity has, or had, the role attribute until that time. */
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
  .meta({ id: 'ExplainedSide', description: 'One role array of a policy, held against one entity.' });

/** A posture check of a policy, with its result for the identity. */
const explainedCheck = z
  .object({
    /** The check. */
    check: entityReference,
    /** Type of the check. */
    typeId: string,
    /** True if the identity satisfies it now. */
    isPassing: boolean,
    /** The value that the check expects. */
    expectedValue: z.unknown(),
    actualValue: z.unknown().meta({ description: 'What the endpoint reported; empty where it reported nothing.' }),
  })
  .meta({ id: 'ExplainedPostureCheck' });

/** A service policy, evaluated for the identity and the service. */
const explainedPolicy = z
  .object({
    /** The policy. */
    policy: entityReference,
    /** `AllOf`: an entity must carry all attributes of a role array; `AnyOf`: any of them. */
    semantic: z.enum(['AllOf', 'AnyOf']),
    isGranting: boolean.meta({ description: 'It selects both, and all its posture checks pass.' }),
    /** The end of the policy, if it has one. From then on, it selects no identity. */
    validUntil: timestamp.optional(),
    /** Why the policy exists, if it says so. */
    reason: string.optional(),
    /** Its role array for identities, evaluated for the identity. */
    identity: side,
    /** Its role array for services, evaluated for the service. */
    service: side,
    /** The posture checks that it selects. */
    postureChecks: z.array(explainedCheck),
  })
  .meta({ id: 'ExplainedPolicy' });

const suggestion = z
  .object({
    /** The suggested change, as a sentence. */
    description: string,
    size: z.int().meta({ description: 'How many attributes, role entries or policies it adds, or posture checks it is about.' }),
    /** The operation that makes the change. */
    operationId: z.enum(['patchIdentity', 'patchService', 'patchServicePolicy', 'createServicePolicy']).optional(),
    id: string.optional().meta({ description: 'Of the entity to patch.' }),
    body: z.record(string, z.unknown()).optional().meta({ description: 'The body of that operation.' }),
    postureChecks: z
      .array(entityReference)
      .optional()
      .meta({ description: 'Instead of an operation: what the endpoint itself must come to satisfy, and tell.' }),
  })
  .meta({ id: 'AccessSuggestion', description: 'A change that would grant the access. Carrying it out does.' });

/** Why an identity may or may not dial or bind a service, and what would grant it. */
export const explanation = z
  .object({
    /** The type of access. */
    type: z.enum(['Dial', 'Bind']),
    isAllowed: boolean.meta({ description: 'A policy grants it, and all its posture checks pass.' }),
    isPermitted: boolean.meta({ description: 'A policy selects both, posture aside: what lists and policy advice tell.' }),
    /** The identity. */
    identity: entityReference,
    /** The service. */
    service: entityReference,
    policies: z
      .array(explainedPolicy)
      .meta({ description: 'Policies of the type that select the identity, the service or both; granting ones first.' }),
    morePolicies: z.int().meta({ description: 'Policies of the type that select one of the two and are not shown.' }),
    otherPolicies: z.int().meta({ description: 'Policies of the type that select neither.' }),
    /** Number of edge routers that the identity may use. */
    identityRouterCount: z.int(),
    /** Number of edge routers through which the service can be reached. */
    serviceRouterCount: z.int(),
    commonRouters: z.array(entityReference).meta({ description: 'Edge routers that both may use: without one, no session can be made.' }),
    moreCommonRouters: z.int().meta({ description: 'Edge routers that both may use and are not shown.' }),
    sessions: z
      .array(string)
      .meta({ description: 'Ids of the sessions of the type that the identity has to the service now, in all its API sessions.' }),
    moreSessions: z.int().meta({ description: 'Such sessions that are not shown.' }),
    suggestions: z.array(suggestion).meta({ description: 'For a denial the smallest changes that would grant it, smallest first.' }),
  })
  .meta({ id: 'AccessExplanation' });

/** The kinds that a report is about, besides identities. */
const REPORTED = ['service', 'servicePolicy', 'postureCheck', 'edgeRouter', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'];

export const access = group('access', 'Access', {
  explain: operation('GET', '/identities/{identityId}/services/{serviceId}/explain', {
    operationId: 'explainAccess',
    summary: 'Why an identity may or may not dial or bind a service, and what would grant it',
    permission: 'identity.read',
    shows: ['servicePolicy', 'postureCheck', 'edgeRouter'],
    surfaces: [surfaces.extensions],
    query: z.object({
      /** Dialling or binding; default `Dial`. */
      type: z.enum(['Dial', 'Bind']).default('Dial'),
      apiSessionId: shortText.optional().meta({
        description: 'An API session of the identity, whose codes count for posture checks. Without one, no code was passed.',
      }),
    }),
    answer: data(explanation),
  }),
  matrix: operation('GET', '/access/matrix', {
    operationId: 'listAccess',
    summary: 'Who may dial or bind what, and why, posture aside',
    permission: 'identity.read',
    shows: ['service', 'servicePolicy', 'postureCheck'],
    surfaces: [surfaces.extensions],
    query: matrixQuery,
    answer: data(accessPage),
    errors: ['INVALID_FILTER'],
  }),
  whoCan: operation('GET', '/services/{serviceId}/who-can', {
    operationId: 'listWhoCan',
    summary: 'Who may dial or bind a service, and why, posture aside',
    permission: 'identity.read',
    shows: ['servicePolicy', 'postureCheck'],
    surfaces: [surfaces.extensions],
    query: accessQuery,
    answer: data(accessPage),
  }),
  reach: operation('GET', '/identities/{identityId}/reach', {
    operationId: 'listReach',
    summary: 'What an identity may dial or bind, and why, posture aside',
    permission: 'identity.read',
    shows: ['service', 'servicePolicy', 'postureCheck'],
    surfaces: [surfaces.extensions],
    query: accessQuery,
    answer: data(accessPage),
  }),
  preview: operation('POST', '/access/preview', {
    operationId: 'previewAccess',
    summary: 'Who would gain and who would lose what by some operations, which are carried out and rolled back',
    permission: 'identity.read',
    shows: REPORTED,
    standalone: 'it changes nothing',
    surfaces: [surfaces.extensions],
    body: { schema: previewBody, name: 'preview' },
    answer: data(previewReport),
  }),
  compare: operation('GET', '/access/compare', {
    operationId: 'compareAccess',
    summary: 'Who gained and who lost what between two revisions, posture aside',
    permission: 'change.read',
    shows: ['identity', ...REPORTED],
    surfaces: [surfaces.extensions],
    presentOnly: true,
    query: comparisonQuery,
    answer: data(comparison),
    errors: ['CURSOR_EXPIRED'],
  }),
});
