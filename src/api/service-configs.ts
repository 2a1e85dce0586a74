import * as z from 'zod';
import { list } from './kit/bounded.ts';
import { reference } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { entityReference, shortText, text } from './shared.ts';

export const serviceConfig = resource({
  kind: 'serviceConfig',
  collection: 'service-configs',
  names: ['ServiceConfig', 'ServiceConfigs'],
  about: 'A service config of an identity: the config that it sees for a service, instead of the one of that type that the service has.',
  fields: {
    identityId: reference('identity', { write: 'never', onDelete: 'cascade' }),
    serviceId: reference('service', { write: 'never', onDelete: 'cascade' }),
    configId: reference('config', { write: 'never', onDelete: 'restrict' }),
    /** Of the config: an identity has one for each service and type. */
    configTypeId: reference('configType', { write: 'never', onDelete: 'restrict' }),
  },
});

const pair = z.object({ serviceId: shortText, configId: shortText }).meta({ id: 'ServiceConfigAssign' });
export const serviceConfigPairs = list(pair, 5000).meta({ id: 'ServiceConfigAssignList' });

/** One of them as the identity's list shows it. */
export const serviceConfigDetail = z
  .object({ config: entityReference, configId: text, service: entityReference, serviceId: text })
  .meta({ id: 'ServiceConfigDetail' });
