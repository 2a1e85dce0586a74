import { config, configs, configType, configTypes } from '../api/configs.ts';
import { identityType, identityTypes } from '../api/identity-types.ts';
import type { Entry } from '../call/call.ts';
import { implement } from '../call/implement.ts';
import { equals, text } from '../query/index.ts';
import { crudHandlers, listRows } from '../resources/crud.ts';
import { currentIdentityEntries } from './authentication/current-identity.ts';
import { authenticationEntries } from './authentication/handlers.ts';
import { configBehaviour, configTypeBehaviour } from './configs/behaviour.ts';
import { identityEntries } from './identity/handlers.ts';
import { informationalEntries } from './informational/handlers.ts';
import { roleAttributeEntries } from './roles/attributes-in-use.ts';

/** Every operation with what carries it out. */
export const entries: readonly Entry[] = [
  ...identityEntries,
  ...implement(identityTypes, crudHandlers(identityTypes, identityType)),
  ...authenticationEntries,
  ...currentIdentityEntries,
  ...implement(configTypes, {
    ...crudHandlers(configTypes, configType, configTypeBehaviour),
    listConfigs: (call, { id, ...query }) =>
      call.read((entities) => listRows(entities, config, undefined, query, call, equals(text('configTypeId'), id))),
  }),
  ...implement(configs, crudHandlers(configs, config, configBehaviour)),
  ...roleAttributeEntries,
  ...informationalEntries,
];
