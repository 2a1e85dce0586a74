import * as z from 'zod';
import { list } from './kit/bounded.ts';
import { notPatched, optional, readOnly, required } from './kit/field.ts';
import { listQuery, roleListQuery } from './kit/list-query.ts';
import { references, roles } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { postureQueries } from './posture-queries.ts';
import { flag, jsonMap, name, shortText, text } from './shared.ts';

export const terminatorStrategies: readonly string[] = ['smartrouting', 'random', 'weighted', 'sticky'];

/** Blank is the default strategy. */
const strategy = shortText.transform((value): string => value || 'smartrouting').meta({ description: terminatorStrategies.join(', ') });

export const service = resource({
  kind: 'service',
  collection: 'services',
  names: ['Service', 'Services'],
  about: 'A service is something that identities host (bind) and reach (dial) over the network.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    encryptionRequired: notPatched(flag, { default: false }),
    maxIdleTimeMillis: optional(z.int(), { default: 0 }),
    terminatorStrategy: optional(strategy, { default: 'smartrouting', filter: true }),
    roleAttributes: roles(),
    configs: references('config'),
    /** Of the asking identity; `Invalid` where an administrator has neither. Null in lists below other entities. */
    permissions: readOnly(z.array(z.enum(['Bind', 'Dial', 'Invalid'])).nullable(), { keep: 'computed' }),
    /** Config data by the name of its type, of the types that were asked for. */
    config: readOnly(z.record(text, jsonMap).nullable(), { keep: 'computed' }),
    postureQueries: readOnly(z.array(postureQueries), { keep: 'computed' }),
  },
  subLinks: ['configs', 'service-edge-router-policies', 'service-policies', 'terminators'],
  unknownParent: 'emptyList',
});

/** Names or ids of config types, `all` for every one. */
const configTypes = list(shortText, 1000)
  .transform((values) => values.flatMap((value) => value.split(',')))
  .pipe(list(shortText, 1000))
  .meta({ override: { type: 'array', items: { type: 'string' } } })
  .optional()
  .meta({ description: 'Config types by name or id whose data `config` shows, `all` for every one; comma-separated or repeated.' });

export const serviceListQuery = roleListQuery.extend({ configTypes });

/** As an administrator, one may also see what another identity would see. */
export const managedServiceListQuery = serviceListQuery.extend({
  asIdentity: shortText.optional().meta({ description: 'Id or name of an identity: the services that it sees.' }),
});

export const policyTypeQuery = listQuery.extend({
  policyType: z.enum(['dial', 'bind']).optional().meta({ description: 'Only what policies of this type grant.' }),
});
