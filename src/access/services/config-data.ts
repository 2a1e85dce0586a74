import { config, configType, type service, serviceConfig } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ALL, and, equals, oneOf, or, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

type Data = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Resolves ids and names of config types to ids. Omits unknown ones. `all` is not resolved: it includes every type. */
export const resolveConfigTypes = async (entities: Entities, idsOrNames: readonly string[]): Promise<readonly string[]> => {
  if (idsOrNames.includes('all')) return ['all'];
  if (idsOrNames.length === 0) return [];
  const rows = await entities.list(configType, {
    where: or(oneOf(stringField('id'), idsOrNames), oneOf(stringField('name'), idsOrNames)),
  });
  return rows.map(({ id }) => id);
};

/**
 * Loads the config data of services, by id of the service and name of the config type. A service config of the identity overrides the
 * service's own config of that type. Runs three queries for any number of services.
 * @param configTypes ids, or `all`
 */
export const loadConfigData = async (
  entities: Entities,
  services: readonly RowOf<typeof service>[],
  identityId: string | undefined,
  configTypes: readonly string[],
): Promise<ReadonlyMap<string, Data>> => {
  const overrides = await entities.list(serviceConfig, {
    where: and(
      equals(stringField('identityId'), identityId ?? ''),
      oneOf(
        stringField('serviceId'),
        services.map(({ id }) => id),
      ),
    ),
  });
  const overridesByService = Map.groupBy(overrides, ({ serviceId }) => serviceId);
  const ids = new Set([...services.flatMap(({ configs }) => configs), ...overrides.map(({ configId }) => configId)]);
  const isOfTypes = configTypes.includes('all') ? ALL : oneOf(stringField('configTypeId'), configTypes);
  const configs = new Map(
    (await entities.list(config, { where: and(oneOf(stringField('id'), [...ids]), isOfTypes) })).map((row) => [row.id, row]),
  );
  const typeIds = [...new Set([...configs.values()].map(({ configTypeId }) => configTypeId))];
  const names = new Map((await entities.list(configType, { where: oneOf(stringField('id'), typeIds) })).map(({ id, name }) => [id, name]));
  return new Map(
    services.map((row) => {
      // Overrides are last, so that they replace configs of the same type.
      const configIds = [...row.configs, ...(overridesByService.get(row.id) ?? []).map(({ configId }) => configId)];
      const data = configIds.flatMap((id) => {
        const found = configs.get(id);
        return found ? [[names.get(found.configTypeId) ?? found.configTypeId, found.data] as const] : [];
      });
      return [row.id, Object.fromEntries(data)];
    }),
  );
};
