import * as z from 'zod';
import { policyAdvice } from './access.ts';
import { authenticator } from './authenticators.ts';
import { enrollmentRequest, outstandingEnrollments } from './enrollment-methods.ts';
import { enrollment } from './enrollments.ts';
import { failedServiceRequestDetail } from './failed-service-requests.ts';
import { crud } from './kit/crud.ts';
import { exchanged, optional, readOnly, required, writeOnly } from './kit/field.ts';
import { listQuery } from './kit/list-query.ts';
import { data, EMPTY, group, operation, page } from './kit/operation.ts';
import { related } from './kit/related.ts';
import { keysOf, map, reference, roles } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { edgeRouterPolicy, servicePolicy } from './policies.ts';
import { identityPostureData } from './posture-data.ts';
import { edgeRouter } from './routers.ts';
import { serviceConfigDetail, serviceConfigPairs } from './service-configs.ts';
import { policyTypeQuery, service } from './services.ts';
import { blankIsNull, cost, envInfo, flag, jsonMap, name, precedence, sdkInfo, shortText, text, timestamp } from './shared.ts';
import { traceDetail, traceSpec } from './traces.ts';

/** Blank text is the default policy. */
const policyId = shortText.transform((value): string | null => (value.trim() === '' ? 'default' : value));

const authenticatorSummaries = z
  .object({ cert: z.object({ id: text, fingerprint: text }).optional(), updb: z.object({ id: text, username: text }).optional() })
  .meta({ id: 'IdentityAuthenticators' });

export const identity = resource({
  kind: 'identity',
  collection: 'identities',
  names: ['Identity', 'Identities'],
  about: 'An identity is a security principal that can bind (host) or dial (connect to) services: a person, a device, an application.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    type: writeOnly(z.enum(['User', 'Device', 'Service', 'Router', 'Default']), { required: true }),
    typeId: reference('identityType', { write: 'never', default: 'Default', filter: 'type' }),
    isAdmin: required(flag, { filter: true }),
    isDefaultAdmin: readOnly(flag, { default: false, filter: true }),
    roleAttributes: roles(),
    authPolicyId: reference('authPolicy', { write: 'optional', default: 'default', schema: policyId, filter: true }),
    externalId: optional(blankIsNull, { unique: true, filter: true }),
    defaultHostingCost: optional(cost, { default: 0 }),
    defaultHostingPrecedence: optional(precedence, { default: 'default' }),
    serviceHostingCosts: map(cost, { keys: 'service' }),
    serviceHostingPrecedences: map(precedence, { keys: 'service' }),
    hostedServices: keysOf('serviceHostingCosts', 'serviceHostingPrecedences'),
    appData: optional(jsonMap, { default: {} }),
    disabled: readOnly(flag, { keep: 'computed' }),
    disabledAt: readOnly(timestamp, { absent: true }),
    disabledUntil: readOnly(timestamp, { absent: true }),
    envInfo: readOnly(envInfo, { default: {} }),
    sdkInfo: readOnly(sdkInfo, { default: {} }),
    authenticators: readOnly(authenticatorSummaries, { keep: 'computed' }),
    enrollment: exchanged(enrollmentRequest, outstandingEnrollments),
    hasApiSession: readOnly(flag, { keep: 'computed' }),
    hasEdgeRouterConnection: readOnly(flag, { keep: 'computed' }),
    edgeRouterConnectionStatus: readOnly(z.enum(['online', 'offline', 'unknown']), { keep: 'computed' }),
    isMfaEnabled: readOnly(flag, { keep: 'computed' }),
    interfaces: readOnly(z.array(jsonMap).nullable(), { keep: 'computed' }),
  },
  subLinks: [
    'authenticators',
    'edge-router-policies',
    'edge-routers',
    'enrollments',
    'failed-service-requests',
    'posture-data',
    'service-configs',
    'service-policies',
    'services',
  ],
  links: { 'auth-policies': './auth-policies/{authPolicyId}' },
});

const disable = z
  .object({ durationMinutes: z.int().meta({ description: 'Minutes; 0 or less: until enabled.' }) })
  .meta({ id: 'DisableIdentity' });

export const identities = group('identities', 'Identities', {
  ...crud(identity),
  trace: operation('PUT', '/identities/{id}/trace', {
    operationId: 'updateIdentityTracing',
    summary: 'Trace the data flows of an identity for a while, or end that',
    permission: 'identity.update',
    body: { schema: traceSpec, name: 'traceSpec' },
    answer: data(traceDetail),
  }),
  disable: operation('POST', '/identities/{id}/disable', {
    operationId: 'disableIdentity',
    summary: 'Disable an identity: its API sessions end, and it cannot log in until the time is over or it is enabled',
    permission: 'identity.update',
    body: { schema: disable, name: 'disable' },
    answer: EMPTY,
  }),
  enable: operation('POST', '/identities/{id}/enable', {
    operationId: 'enableIdentity',
    summary: 'Clear the disabled state of an identity',
    permission: 'identity.update',
    answer: EMPTY,
  }),
  deleteMfa: operation('DELETE', '/identities/{id}/mfa', {
    operationId: 'removeIdentityMfa',
    summary: 'End the MFA of an identity, e.g. of somebody who lost the authenticator app and the recovery codes',
    permission: 'identity.update',
    answer: EMPTY,
  }),
  listAuthenticators: operation('GET', '/identities/{id}/authenticators', {
    operationId: 'getIdentityAuthenticators',
    summary: 'List the authenticators of an identity',
    permission: 'identity.read',
    query: listQuery,
    answer: page(authenticator.schemas.detail),
  }),
  listEnrollments: related(identity, enrollment, { operationId: 'getIdentityEnrollments' }),
  listServices: related(identity, service, { operationId: 'listIdentityServices', query: policyTypeQuery }),
  listServicePolicies: related(identity, servicePolicy, { operationId: 'listIdentityServicePolicies' }),
  listEdgeRouterPolicies: related(identity, edgeRouterPolicy, { operationId: 'listIdentitysEdgeRouterPolicies' }),
  listEdgeRouters: related(identity, edgeRouter, { operationId: 'listIdentityEdgeRouters' }),
  getPostureData: operation('GET', '/identities/{id}/posture-data', {
    operationId: 'getIdentityPostureData',
    summary: 'What the endpoints of an identity told of themselves',
    permission: 'identity.read',
    answer: data(identityPostureData),
  }),
  getFailedServiceRequests: operation('GET', '/identities/{id}/failed-service-requests', {
    operationId: 'getIdentityFailedServiceRequests',
    summary: 'The last fifty sessions that an identity was refused because of posture checks, oldest first',
    permission: 'identity.read',
    answer: data(z.array(failedServiceRequestDetail)),
  }),
  getPolicyAdvice: operation('GET', '/identities/{id}/policy-advice/{serviceId}', {
    operationId: 'getIdentityPolicyAdvice',
    summary: 'What policies allow an identity with a service, and by which routers',
    permission: 'identity.read',
    answer: data(policyAdvice),
  }),
  listServiceConfigs: operation('GET', '/identities/{id}/service-configs', {
    operationId: 'listIdentitysServiceConfigs',
    summary: 'List the configs that an identity sees instead of those of services',
    permission: 'identity.read',
    answer: page(serviceConfigDetail),
  }),
  assignServiceConfigs: operation('POST', '/identities/{id}/service-configs', {
    operationId: 'associateIdentitysServiceConfigs',
    summary: 'Let an identity see configs instead of those of services',
    permission: 'identity.update',
    body: { schema: serviceConfigPairs, name: 'serviceConfigs' },
    answer: EMPTY,
  }),
  removeServiceConfigs: operation('DELETE', '/identities/{id}/service-configs', {
    operationId: 'disassociateIdentitysServiceConfigs',
    summary: 'Let an identity see the configs of services again',
    permission: 'identity.update',
    body: { schema: serviceConfigPairs, name: 'serviceConfigIdPairs', required: false },
    answer: EMPTY,
  }),
});
