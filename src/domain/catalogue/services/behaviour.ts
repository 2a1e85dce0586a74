import { service, terminator } from '../../../api/kinds.ts';
import { terminatorStrategies } from '../../../api/services.ts';
import { behaviour } from '../../../call/behaviour.ts';
import { ApiError, shownValue } from '../../../errors/index.ts';
import { equals, stringField } from '../../../query/index.ts';
import { checkConfigs } from '../configs/targets.ts';

/** Presents a service as lists of related entities show it, without the fields that depend on the caller. */
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
