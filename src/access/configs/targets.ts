import { rowsReferredBy } from '../../call/resources/references.ts';
import { type ConfigTarget, config, configType } from '../../contract/api/configs.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** Config types without a target, which an earlier release on the same store still writes, are for services. */
export const targetOf = ({ target }: { readonly target?: ConfigTarget }): ConfigTarget => target ?? 'service';

/**
 * Checks that configs may be attached to an entity: the types must have the right target, and no two configs the same type.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field `configs`
 */
export const checkConfigs = async (
  entities: Entities,
  target: ConfigTarget,
  { configs: ids }: Configured,
  before: Configured | undefined,
): Promise<void> => {
  if (ids === before?.configs) return;
  const configs = await requireTarget(entities, target, 'configs', ids);
  for (const [typeId, [first, second]] of Map.groupBy(configs, ({ configTypeId }) => configTypeId))
    if (first && second)
      throw invalidField(
        'configs',
        `a ${target} may have only one config of each config type: ${first.id} and ${second.id} are both of type ${typeId}`,
        ids,
      );
};

interface Configured {
  readonly configs: readonly string[];
}

/**
 * Loads configs whose types must have a target. Runs two queries for any number of ids.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field
 */
export const requireTarget = async (
  entities: Entities,
  target: ConfigTarget,
  field: string,
  ids: readonly string[],
): Promise<readonly RowOf<typeof config>[]> => {
  if (ids.length === 0) return [];
  const configs = await entities.list(config, { where: oneOf(stringField('id'), ids) });
  const types = await rowsReferredBy(entities, configType, configs, ({ configTypeId }) => configTypeId);
  for (const { id, configTypeId } of configs) {
    const type = types.get(configTypeId);
    if (type && targetOf(type) !== target)
      throw invalidField(field, `config ${id} has config type ${type.name}, which does not target ${target}s`, id);
  }
  return configs;
};
