import { behaviour } from '../../call/behaviour.ts';
import { config, configType } from '../../contract/api/configs.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { compileSchema } from './schema.ts';
import { targetOf } from './targets.ts';
import { refuseViolations } from './violations.ts';

/**
 * A config type's schema must be usable before it is stored. Existing configs are not checked against a new schema. The target never
 * changes, because configs of the type may be attached already.
 */
export const configTypeBehaviour = behaviour(configType, {
  prepare: async (_call, _verb, body) => {
    if (body.schema) compileSchema(body.schema);
    return {};
  },
  check: async (_entities, after, before) => {
    const target = targetOf(after);
    const kept = targetOf(before ?? after);
    if (target !== kept) throw invalidField('target', `target is immutable: it is '${kept}', and was '${target}' in body`, target);
    return undefined;
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
