import { config, configType, type service, serviceConfig } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ALL, and, equals, oneOf, or, stringField } from '../../../query/index.ts';

type Data = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Resolves ids and names of config types to ids; drops unknown ones and keeps `all`. */
export const requestedConfigTypes = async (entities: Entities, wanted: readonly string[]): Promise<readonly string[]> => {
  if (wanted.includes('all')) return ['all'];
  if (wanted.length === 0) return [];
  const rows = await entities.list(configType, { where: or(oneOf(stringField('id'), wanted), oneOf(stringField('name'), wanted)) });
  return rows.map(({ id }) => id);
};

/**
 * Config data of a page of services, by service and by name of the config type. An identity's service config replaces the service's own config of
 * that type. Takes three queries, whatever the size of the page.
 */
export const serviceConfigsSeen = async (
  entities: Entities,
  services: readonly RowOf<typeof service>[],
  identityId: string | undefined,
  wanted: readonly string[],
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
  const ofService = Map.groupBy(overrides, ({ serviceId }) => serviceId);
  const ids = new Set([...services.flatMap(({ configs }) => configs), ...overrides.map(({ configId }) => configId)]);
  const ofWantedType = wanted.includes('all') ? ALL : oneOf(stringField('configTypeId'), wanted);
  const configs = new Map(
    (await entities.list(config, { where: and(oneOf(stringField('id'), [...ids]), ofWantedType) })).map((row) => [row.id, row]),
  );
  const typeIds = [...new Set([...configs.values()].map(({ configTypeId }) => configTypeId))];
  const names = new Map((await entities.list(configType, { where: oneOf(stringField('id'), typeIds) })).map(({ id, name }) => [id, name]));
  return new Map(
    services.map((row) => {
      // The identity's service configs come last, and so replace those of the same type.
      const seen = [...row.configs, ...(ofService.get(row.id) ?? []).map(({ configId }) => configId)];
      const data = seen.flatMap((id) => {
        const found = configs.get(id);
        return found ? [[names.get(found.configTypeId) ?? found.configTypeId, found.data] as const] : [];
      });
      return [row.id, Object.fromEntries(data)];
    }),
  );
};
