import * as z from 'zod';
import { policyAdvice } from './access.ts';
import { authenticatorSummaries } from './authenticators.ts';
import { attributeEdits, upsert } from './edits.ts';
import { enrollmentRequest, outstandingEnrollments } from './enrollment-methods.ts';
import { failedServiceRequestDetail } from './failed-service-requests.ts';
import { announcedGrantEnds, endOfGrants, nextAttributeEnd, nextUnannouncedAttributeEnd, roleAttributeGrants } from './grants-with-end.ts';
import {
  convertedOnCreate,
  crud,
  data,
  EMPTY,
  folded,
  group,
  keysOf,
  map,
  operation,
  optional,
  page,
  readOnly,
  reference,
  required,
  resource,
  roles,
  timestamp,
  writeOnly,
} from './kit/index.ts';
import { scopedPermissions } from './permission-scopes.ts';
import { AUDITOR, permissions } from './permissions.ts';
import { identityPostureData } from './posture-data.ts';
import { routerInterfaces } from './router-reports.ts';
import { serviceConfigDetail, serviceConfigPairs } from './service-configs.ts';
import { blankIsNull, boolean, cost, envInfo, jsonMap, name, policyId, precedence, sdkInfo } from './shared.ts';
import { traceDetail, traceSpec } from './traces.ts';

const identityTypeName = z
  .enum(['User', 'Device', 'Service', 'Router', 'Default'])
  .transform((name) => (name === 'Router' ? name : 'Default'));

export const identity = resource({
  kind: 'identity',
  collection: 'identities',
  names: ['Identity', 'Identities'],
  about: 'An identity is a security principal that can bind (host) or dial (connect to) services: a person, a device, an application.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** Only `Router` is a distinct type; all others are stored as `Default`. */
    type: writeOnly(identityTypeName, { required: true, storedAs: 'typeId', fixed: true, declaredDefault: 'Default' }),
    /** Id of the identity type: `Default` or `Router`. */
    typeId: reference('identityType', { write: 'never', default: 'Default', filter: 'type' }),
    /** True if the identity may administer the network. */
    isAdmin: required(boolean, { filter: true, administratorsOnly: true, declaredDefault: false }),
    /** True for the first administrator of the network, which cannot be deleted. */
    isDefaultAdmin: readOnly(boolean, { default: false, filter: true, administratorsOnly: true, undeclared: true }),
    /** Role attributes, by which policies select the identity. */
    roleAttributes: roles(),
    /** Role attributes with an end. */
    roleAttributeGrants: roleAttributeGrants(),
    /** The ends of role attributes that an event has announced, by attribute. */
    announcedGrantEnds: readOnly(announcedGrantEnds, { absent: true }),
    grantsEndAt: endOfGrants(nextAttributeEnd),
    unannouncedEndAt: endOfGrants(nextUnannouncedAttributeEnd),
    /** Id of the authentication policy. */
    authPolicyId: reference('authPolicy', { write: 'optional', default: 'default', schema: policyId, filter: true }),
    /** Id of the identity at an external issuer, as in its tokens or certificates. */
    externalId: optional(blankIsNull, { unique: true, filter: true }),
    externalIdKeys: folded('externalId'),
    /** Default cost of the terminators of services that the identity hosts, 0 to 65535. */
    defaultHostingCost: optional(cost, { default: 0 }),
    /** Default precedence of the terminators of services that the identity hosts. */
    defaultHostingPrecedence: optional(precedence, { default: 'default' }),
    /** Costs of terminators that override the default, by id of the service. */
    serviceHostingCosts: map(cost, { keys: 'service' }),
    /** Precedences of terminators that override the default, by id of the service. */
    serviceHostingPrecedences: map(precedence, { keys: 'service' }),
    hostedServices: keysOf('serviceHostingCosts', 'serviceHostingPrecedences'),
    /** Permissions: rights to parts of the management API, for an identity that is not an administrator. */
    permissions: permissions(),
    /** Permissions that apply only to entities with certain role attributes, by name of the permission. */
    scopedPermissions: scopedPermissions(),
    // Filters know it as `scopedPermissions`: the names of the permissions in it.
    scopedPermissionNames: { ...keysOf('scopedPermissions'), filter: 'scopedPermissions' },
    /** Arbitrary application data. */
    appData: optional(jsonMap, { default: {} }),
    /** True if the identity is currently disabled, and cannot log in. */
    disabled: readOnly(boolean, { keep: 'computed' }),
    /** When the identity was disabled. */
    disabledAt: readOnly(timestamp, { absent: true }),
    /** When the identity is enabled again; omitted if it is disabled indefinitely. */
    disabledUntil: readOnly(timestamp, { absent: true }),
    /** The environment that the client reported at the last login. */
    envInfo: readOnly(envInfo, { default: {} }),
    /** The software that the client reported at the last login. */
    sdkInfo: readOnly(sdkInfo, { default: {} }),
    /** The authenticators of the identity, by method. */
    authenticators: readOnly(authenticatorSummaries, { keep: 'computed' }),
    /** In bodies: the enrollment method of the identity. In answers: its outstanding enrollments. */
    enrollment: { ...convertedOnCreate(enrollmentRequest, outstandingEnrollments), shows: 'enrollment' },
    /** True if the identity has an API session. */
    hasApiSession: readOnly(boolean, { keep: 'computed' }),
    /** True if the identity is connected to an edge router. */
    hasEdgeRouterConnection: readOnly(boolean, { keep: 'computed' }),
    /** The state of the connection to an edge router, as reported by routers. */
    edgeRouterConnectionStatus: readOnly(z.enum(['online', 'offline', 'unknown']), { keep: 'computed' }),
    /** True if the identity has a verified second factor. */
    isMfaEnabled: readOnly(boolean, { keep: 'computed' }),
    /** Network interfaces of the endpoint; null if it reported none. */
    interfaces: readOnly(routerInterfaces.nullable(), { keep: 'computed' }),
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

/** The time for which an identity is disabled. */
const disable = z
  .object({ durationMinutes: z.int().meta({ description: 'Duration in minutes; 0 or less: until the identity is enabled.' }) })
  .meta({ id: 'DisableIdentity' });

export const identities = group('identities', 'Identities', {
  ...crud(identity, { errors: { create: ['NOT_FOUND', 'NOT_CONFIGURED'], delete: ['ENTITY_CAN_NOT_BE_DELETED'] } }),
  ...upsert(identity),
  ...attributeEdits(identity),
  trace: operation('PUT', '/identities/{id}/trace', {
    operationId: 'updateIdentityTracing',
    summary: 'Start or stop tracing the data flows of an identity',
    permission: 'identity.update',
    body: { schema: traceSpec, name: 'traceSpec' },
    answer: data(traceDetail),
  }),
  disable: operation('POST', '/identities/{id}/disable', {
    operationId: 'disableIdentity',
    summary: 'Disable an identity: its API sessions end, and it cannot log in until the time has passed or it is enabled',
    permission: 'identity.update',
    body: { schema: disable, name: 'disable' },
    answer: EMPTY,
    errors: ['ENTITY_CAN_NOT_BE_UPDATED'],
  }),
  enable: operation('POST', '/identities/{id}/enable', {
    operationId: 'enableIdentity',
    summary: 'Clear the disabled state of an identity',
    permission: 'identity.update',
    answer: EMPTY,
  }),
  deleteMfa: operation('DELETE', '/identities/{id}/mfa', {
    operationId: 'removeIdentityMfa',
    summary: 'Remove the MFA of an identity, e.g. if its owner lost the authenticator app and the recovery codes',
    permission: 'identity.update',
    byToken: false,
    answer: EMPTY,
  }),
  getPostureData: operation('GET', '/identities/{id}/posture-data', {
    operationId: 'getIdentityPostureData',
    presentOnly: true,
    summary: 'Get the posture data that the endpoints of an identity reported',
    permission: 'identity.read',
    answer: data(identityPostureData),
  }),
  getFailedServiceRequests: operation('GET', '/identities/{id}/failed-service-requests', {
    operationId: 'getIdentityFailedServiceRequests',
    presentOnly: true,
    summary: 'Get the last fifty sessions that an identity was refused because of posture checks, oldest first',
    permission: 'identity.read',
    shows: ['service', 'postureCheck'],
    answer: data(z.array(failedServiceRequestDetail)),
  }),
  getPolicyAdvice: operation('GET', '/identities/{id}/policy-advice/{serviceId}', {
    operationId: 'getIdentityPolicyAdvice',
    summary: 'Get policy advice: the access of an identity to a service that policies permit, and the routers that both may use',
    permission: 'identity.read',
    acceptedPermissions: ['service', 'service.read', AUDITOR],
    shows: ['edgeRouter'],
    answer: data(policyAdvice),
  }),
  listServiceConfigs: operation('GET', '/identities/{id}/service-configs', {
    operationId: 'listIdentitysServiceConfigs',
    summary: 'List the config overrides of an identity',
    permission: 'identity.read',
    shows: ['service'],
    answer: page(serviceConfigDetail),
  }),
  assignServiceConfigs: operation('POST', '/identities/{id}/service-configs', {
    operationId: 'associateIdentitysServiceConfigs',
    summary: 'Add config overrides to an identity, which replace configs of services for it',
    permission: 'identity.update',
    body: { schema: serviceConfigPairs, name: 'serviceConfigs' },
    answer: EMPTY,
  }),
  removeServiceConfigs: operation('DELETE', '/identities/{id}/service-configs', {
    operationId: 'disassociateIdentitysServiceConfigs',
    summary: 'Remove config overrides of an identity',
    permission: 'identity.update',
    body: { schema: serviceConfigPairs, name: 'serviceConfigIdPairs', required: false },
    answer: EMPTY,
  }),
});
