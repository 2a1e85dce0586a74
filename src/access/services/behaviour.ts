import { behaviour } from '../../call/behaviour.ts';
import { service, terminator } from '../../contract/api/kinds.ts';
import { terminatorStrategies } from '../../contract/api/services.ts';
import { ApiError, shownValue } from '../../contract/errors/index.ts';
import { equals, stringField } from '../../query/index.ts';
import { checkConfigs } from '../configs/targets.ts';

/** Presents services without the fields that depend on the caller, as in lists of related entities. */
export const serviceBehaviour = behaviour(service, {
  prepare: async (_call, _verb, { terminatorStrategy: strategy }) => {
    if (typeof strategy === 'string' && !terminatorStrategies.includes(strategy)) {
      const message = `no terminator strategy is named '${shownValue('terminatorStrategy', strategy)}': use one of ${terminatorStrategies.join(', ')}`;
      throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
    }
    return {};
  },
  check: async (entities, after, before) => {
    await checkConfigs(entities, 'service', after, before);
    return undefined;
  },
  write: async (entities, after, before) => {
    if (!before || after.name === before.name) return;
    for (const row of await entities.list(terminator, { where: equals(stringField('serviceId'), after.id) }))
      await entities.update(terminator, row, { serviceName: after.name });
  },
  present: async (_entities, rows) => rows.map(() => ({ permissions: null, config: null, postureQueries: [] })),
});
