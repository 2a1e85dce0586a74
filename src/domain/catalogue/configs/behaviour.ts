import { config, configType } from '../../../api/configs.ts';
import { behaviour } from '../../../call/behaviour.ts';
import { compileSchema } from './schema.ts';
import { refuseViolations } from './violations.ts';

/** A config type's schema must be usable before it is stored. Existing configs are not checked against a new schema. */
export const configTypeBehaviour = behaviour(configType, {
  prepare: async (_call, _verb, body) => {
    if (body.schema) compileSchema(body.schema);
    return {};
  },
});

/**
 * A config's data must satisfy the schema of its type; a type without a schema accepts any data. The type is the stored one:
 * replace and patch cannot change it. A patch that does not change the data is not checked against a newer schema.
 */
export const configBehaviour = behaviour(config, {
  check: async (entities, after, before) => {
    if (before !== undefined && after.data === before.data) return undefined;
    const { schema } = await entities.require(configType, after.configTypeId);
    if (schema !== null) refuseViolations(compileSchema(schema)(after.data));
    return undefined;
  },
});
