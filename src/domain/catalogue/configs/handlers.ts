import { config, configs, configType, configTypes } from '../../../api/configs.ts';
import { service } from '../../../api/services.ts';
import { implement } from '../../../call/implement.ts';
import { equals, has, stringField } from '../../../query/index.ts';
import { crudHandlers } from '../../../resources/crud.ts';
import { relatedList } from '../../../resources/related.ts';

export const configEntries = [
  ...implement(configTypes, {
    ...crudHandlers(configTypes, configType),
    listConfigs: relatedList(configType, config, (_, { id }) => equals(stringField('configTypeId'), id)),
  }),
  ...implement(configs, {
    ...crudHandlers(configs, config),
    listServices: relatedList(config, service, (_, { id }) => has('configs', id)),
  }),
];
