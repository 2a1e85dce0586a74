import * as z from 'zod';
import { upsert } from './edits.ts';
import { crud, group, optional, preprocess, reference, required, resource } from './kit/index.ts';
import { name } from './shared.ts';

/** Any JSON object. A value of another type is rejected as an invalid value of this field, not as unreadable JSON. */
const jsonObject = z
  .unknown()
  .superRefine((value, context) => {
    if (value === undefined) context.addIssue({ code: 'invalid_type', expected: 'object', input: value });
    else if (typeof value !== 'object' || value === null || Array.isArray(value))
      context.addIssue({ code: 'custom', message: 'must be of type object' });
  })
  .transform((value) => value as Readonly<Record<string, unknown>>) // just checked above
  .meta({ type: 'object' });

/** `all` stands for every config type when a client selects config types. */
const configTypeName = name.refine((value) => value !== 'all', { error: '"all" is reserved and cannot be the name of a config type' });

/** `{}` constrains nothing, so it is stored as null: no schema. */
const schemaDocument = jsonObject.transform((value): Readonly<Record<string, unknown>> | null =>
  Object.keys(value).length === 0 ? null : value,
);

/** The kinds of entities that configs may be attached to; configs of target `other` are attached to none. */
const configTarget = z.enum(['service', 'router', 'other']);
export type ConfigTarget = z.output<typeof configTarget>;

/** Empty text means the default target. */
const givenTarget = preprocess((given) => (given === '' ? 'service' : given), configTarget.optional());

export const configType = resource({
  kind: 'configType',
  collection: 'config-types',
  names: ['ConfigType', 'ConfigTypes'],
  about:
    'A config type names a kind of configuration for services or routers, and contains the JSON Schema that configs of the type must satisfy.',
  fields: {
    name: required(configTypeName, { unique: true, filter: true }),
    /** JSON Schema that the data of configs must satisfy; null: any data is valid. */
    schema: optional(schemaDocument),
    /** The kind of entities that configs of the type may be attached to. Set when the type is created, and immutable afterwards. */
    target: {
      ...optional(configTarget, { default: 'service', filter: true, keptByReplace: true, fixed: true, since: '2.1' }),
      input: givenTarget,
    },
  },
  symbols: { schema: { path: 'schema', type: 'string' } },
  unknownParent: 'emptyList',
});

export const config = resource({
  kind: 'config',
  collection: 'configs',
  names: ['Config', 'Configs'],
  about: 'A config is configuration data of one config type, to be attached to services or routers.',
  fields: {
    name: required(name, { unique: true, filter: true }),
    /** Id of the config type. */
    configTypeId: reference('configType', { write: 'createOnly', unknown: 'invalid', fault: 'type', filter: 'type' }),
    /** Any JSON object that satisfies the schema of the type. */
    data: required(jsonObject.meta({ 'x-schema-from': 'configTypeId' })),
  },
  unknownParent: 'emptyList',
});

const errors = { delete: ['CAN_NOT_DELETE_REFERENCED_ENTITY'] } as const;

export const configTypes = group('configTypes', 'Config types', { ...crud(configType, { errors }), ...upsert(configType) });
export const configs = group('configs', 'Configs', { ...crud(config, { errors }), ...upsert(config) });
