import { config } from '../../../api/configs.ts';
import { identity } from '../../../api/identities.ts';
import type { EntityReference, Kind, RowOf } from '../../../api/kit/index.ts';
import { serviceConfig } from '../../../api/service-configs.ts';
import { service } from '../../../api/services.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { notFoundField } from '../../../errors/index.ts';
import { and, equals, oneOf, stringField } from '../../../query/index.ts';
import { referenceTo } from '../../../resources/links.ts';
import { newRow } from '../../../resources/merge.ts';

export interface ServiceConfigPair {
  readonly serviceId: string;
  readonly configId: string;
}

/** The list is never paged: its limit is its length. */
export const listServiceConfigs = (call: Call, { id }: { readonly id: string }) =>
  call.read(async (entities) => {
    await entities.require(identity, id);
    const rows = await entities.list(serviceConfig, { where: equals(stringField('identityId'), id) });
    const configs = await referencesTo(
      entities,
      config,
      rows.map(({ configId }) => configId),
    );
    const services = await referencesTo(
      entities,
      service,
      rows.map(({ serviceId }) => serviceId),
    );
    const data = rows.flatMap(({ configId, serviceId }) => {
      const [to, of] = [configs.get(configId), services.get(serviceId)];
      return to && of ? [{ config: to, configId, service: of, serviceId }] : [];
    });
    return { data, pagination: { limit: data.length, offset: 0, totalCount: data.length }, filterableFields: [] };
  });

/** For each service an identity has one config of a type: the last one given. */
export const assignServiceConfigs = async (
  call: Call,
  { id, body }: { readonly id: string; readonly body: readonly ServiceConfigPair[] },
) => {
  await call.write(async (entities) => {
    await entities.require(identity, id);
    for (const [i, pair] of body.entries()) {
      const given = await requireConfigOf(entities, pair, i);
      const before = await ofType(entities, id, pair.serviceId, given.configTypeId);
      if (before?.configId === given.id) continue;
      if (before) await entities.update(serviceConfig, before, { configId: given.id });
      else await entities.insert(serviceConfig, newRow(serviceConfig, {}, { ...pair, identityId: id, configTypeId: given.configTypeId }));
    }
  });
  return {};
};

/** Removes what an identity has for a service, of the type of the config that is named. */
export const removeServiceConfigs = async (
  call: Call,
  { id, body = [] }: { readonly id: string; readonly body?: readonly ServiceConfigPair[] },
) => {
  await call.write(async (entities) => {
    await entities.require(identity, id);
    for (const [i, pair] of body.entries()) {
      const given = await requireConfigOf(entities, pair, i);
      const row = await ofType(entities, id, pair.serviceId, given.configTypeId);
      if (row) await entities.remove(serviceConfig, row);
    }
  });
  return {};
};

/**
 * The config of a pair, when both it and the service exist.
 * @throws ApiError `NOT_FOUND` that names the field: `0.configId`
 */
const requireConfigOf = async (
  entities: Entities,
  { serviceId, configId }: ServiceConfigPair,
  index: number,
): Promise<RowOf<typeof config>> => {
  const given = await entities.get(config, configId);
  if (!given) throw notFoundField(`${index}.configId`, config.kind, configId);
  if (!(await entities.get(service, serviceId))) throw notFoundField(`${index}.serviceId`, service.kind, serviceId);
  return given;
};

const ofType = (
  entities: Entities,
  identityId: string,
  serviceId: string,
  configTypeId: string,
): Promise<RowOf<typeof serviceConfig> | undefined> =>
  entities.find(
    serviceConfig,
    and(
      equals(stringField('identityId'), identityId),
      equals(stringField('serviceId'), serviceId),
      equals(stringField('configTypeId'), configTypeId),
    ),
  );

const referencesTo = async (entities: Entities, kind: Kind, ids: readonly string[]): Promise<ReadonlyMap<string, EntityReference>> => {
  const rows = await entities.list(kind, { where: oneOf(stringField('id'), [...new Set(ids)]) });
  return new Map(rows.map((row) => [row.id, referenceTo(kind, row)]));
};
