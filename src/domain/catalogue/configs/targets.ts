import { type ConfigTarget, config, configType } from '../../../api/configs.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { invalidField } from '../../../errors/index.ts';
import { oneOf, stringField } from '../../../query/index.ts';
import { rowsReferredBy } from '../../../resources/references.ts';

/** An earlier release that uses the same store still adds config types without a target: they are for services. */
export const targetOf = ({ target }: { readonly target?: ConfigTarget }): ConfigTarget => target ?? 'service';

/**
 * Checks that configs may be attached to an entity: their types must have its target, and each a different type.
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
 * The configs with these ids, whose types must have this target. Takes two queries for any number of ids.
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
      throw invalidField(field, `config ${id} has config type ${type.name} which does not target ${target}s`, id);
  }
  return configs;
};
