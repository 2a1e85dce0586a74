import * as z from 'zod';
import { entityReference, list, reference, resource, string } from './kit/index.ts';
import { shortText } from './shared.ts';

export const serviceConfig = resource({
  kind: 'serviceConfig',
  collection: 'service-configs',
  names: ['ServiceConfig', 'ServiceConfigs'],
  about:
    "A service config overrides a config of a service for one identity, which then receives it instead of the service's config of that type.",
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade' }),
    serviceId: reference('service', { write: 'never', onDelete: 'cascade' }),
    configId: reference('config', { write: 'never', onDelete: 'restrict' }),
    /** The type of the config: an identity has one config for each service and type. */
    configTypeId: reference('configType', { write: 'never', onDelete: 'restrict' }),
  },
});

/** A config override. */
const pair = z
  .object({
    /** Id of the service. */
    serviceId: shortText,
    /** Id of the config. */
    configId: shortText,
  })
  .meta({ id: 'ServiceConfigAssign' });
export const serviceConfigPairs = list(pair, 5000).meta({ id: 'ServiceConfigAssignList' });

/** A config that overrides the service's config of the same type for an identity. */
export const serviceConfigDetail = z
  .object({
    /** The config. */
    config: entityReference,
    /** Id of the config. */
    configId: string,
    /** The service. */
    service: entityReference,
    /** Id of the service. */
    serviceId: string,
  })
  .meta({ id: 'ServiceConfigDetail' });
