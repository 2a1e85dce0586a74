import * as z from 'zod';
import { attributeEdits, upsert } from './edits.ts';
import {
  crud,
  group,
  list,
  listQuery,
  operation,
  optional,
  page,
  readOnly,
  references,
  required,
  requiredOnCreate,
  resource,
  roleListQuery,
  roles,
  string,
} from './kit/index.ts';
import { postureQueries } from './posture-queries.ts';
import { boolean, jsonMap, name, shortText } from './shared.ts';

export const terminatorStrategies: readonly string[] = ['smartrouting', 'random', 'weighted', 'sticky'];

/** An empty string means the default strategy. */
export const strategy = shortText
  .transform((value): string => value || 'smartrouting')
  .meta({ description: terminatorStrategies.join(', ') });

export const service = resource({
  kind: 'service',
  collection: 'services',
  names: ['Service', 'Services'],
  about: 'A service is a resource that identities host (bind) and connect to (dial) over the network.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** True if clients must use end-to-end encryption. */
    encryptionRequired: requiredOnCreate(boolean, { default: false }),
    /** Milliseconds after which an idle connection is closed; 0: never. */
    maxIdleTimeMillis: optional(z.int(), { default: 0 }),
    /** The strategy for choosing a terminator. */
    terminatorStrategy: optional(strategy, { default: 'smartrouting', filter: true }),
    /** Role attributes, by which policies select the service. */
    roleAttributes: roles(),
    /** Ids of the configs of the service, at most one of each type. */
    configs: references('config'),
    /** The caller's rights; `Invalid` if an administrator has neither. Null in related lists of other entities. */
    permissions: readOnly(z.array(z.enum(['Bind', 'Dial', 'Invalid'])).nullable(), { keep: 'computed' }),
    /** Data of the configs of the requested types, by name of the type. */
    config: readOnly(z.record(string, jsonMap).nullable(), { keep: 'computed' }),
    /** The posture queries of the policies that grant access to the service. */
    postureQueries: readOnly(z.array(postureQueries), { keep: 'computed' }),
  },
  subLinks: ['configs', 'service-edge-router-policies', 'service-policies', 'terminators'],
  unknownParent: 'emptyList',
});

/** Names or ids of config types, or `all`. */
const configTypes = list(shortText, 1000)
  .transform((values) => values.flatMap((value) => value.split(',')))
  .pipe(list(shortText, 1000))
  .meta({ override: { type: 'array', items: { type: 'string' } } })
  .optional()
  .meta({ description: 'Config types, by name or id, whose data `config` includes; `all` for every type. Comma-separated or repeated.' });

/** Parameters of lists of services. */
export const serviceListQuery = roleListQuery.extend({ configTypes });

/** Parameters of the list of services in the management API, where administrators may list services as another identity. */
const managedServiceListQuery = serviceListQuery.extend({
  asIdentity: shortText.optional().meta({ description: 'Id or name of an identity, to list the services that it may use.' }),
});

/** Parameters of the lists of an identity's services and of a service's identities. */
export const policyTypeQuery = listQuery.extend({
  policyType: z.enum(['dial', 'bind']).optional().meta({ description: 'Only entities related through policies of this type.' }),
});

export const services = group('services', 'Services', {
  ...crud(service),
  ...upsert(service),
  ...attributeEdits(service),
  list: operation('GET', '/services', {
    operationId: 'listServices',
    summary: 'List services',
    permission: 'service.read',
    query: managedServiceListQuery,
    answer: page(service.schemas.detail),
    errors: ['NOT_FOUND'],
  }),
});
