import { config, configType } from '../../../api/configs.ts';
import { behaviour } from '../../../call/behaviour.ts';
import { compileSchema } from './schema.ts';
import { refuseViolations } from './violations.ts';

/** A config type's schema must be usable before it is stored. Configs that are there already are not held against a new one. */
export const configTypeBehaviour = behaviour(configType, {
  prepare: async (_call, _verb, body) => {
    if (body.schema) compileSchema(body.schema);
    return {};
  },
});

/**
 * A config's data must satisfy the schema of its type; a type without a schema takes any. The type is the stored one:
 * replace and patch cannot change it. A patch that leaves the data alone is not held against a schema that came later.
 */
export const configBehaviour = behaviour(config, {
  check: async (entities, after, before) => {
    if (before !== undefined && after.data === before.data) return undefined;
    const { schema } = await entities.require(configType, after.configTypeId);
    if (schema !== null) refuseViolations(compileSchema(schema)(after.data));
    return undefined;
  },
});
