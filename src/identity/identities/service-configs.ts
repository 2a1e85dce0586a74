import { requireTarget } from '../../access/configs/targets.ts';
import type { Call } from '../../call/call.ts';
import { visibleIds } from '../../call/resources/granted.ts';
import { referenceTo } from '../../call/resources/links.ts';
import { newRow } from '../../call/resources/merge.ts';
import { rowsReferredBy } from '../../call/resources/references.ts';
import { config, identity, service, serviceConfig } from '../../contract/api/kinds.ts';
import type { EntityReference, Kind, RowOf } from '../../contract/api/kit/index.ts';
import { notFoundField } from '../../contract/errors/index.ts';
import { and, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

type Config = RowOf<typeof config>;

export interface ServiceConfigPair {
  readonly serviceId: string;
  readonly configId: string;
}

/** Lists the service configs of an identity, all on one page. */
export const listServiceConfigs = (call: Call, { id }: { readonly id: string }) =>
  call.read(async (entities) => {
    await entities.require(identity, id);
    const all = await entities.list(serviceConfig, { where: equals(stringField('identityId'), id) });
    const ids = all.map(({ serviceId }) => serviceId);
    const visible = await visibleIds(entities, service, ids, call);
    const rows = all.filter(({ serviceId }) => visible.has(serviceId));
    const configs = await referencesTo(entities, config, rows, 'configId');
    const services = await referencesTo(entities, service, rows, 'serviceId');
    const data = rows.flatMap(({ configId, serviceId }) => {
      const [configReference, serviceReference] = [configs.get(configId), services.get(serviceId)];
      return configReference && serviceReference ? [{ config: configReference, configId, service: serviceReference, serviceId }] : [];
    });
    return { data, pagination: { limit: data.length, offset: 0, totalCount: data.length }, filterableFields: [] };
  });

export interface Pairs {
  readonly id: string;
  readonly body?: readonly ServiceConfigPair[];
}

/** Assigns service configs to an identity: one for each service and config type. If there are several, the last one is assigned. */
export const assignServiceConfigs = (call: Call, pairs: Pairs) =>
  forEachPair(call, pairs, async (entities, pair, given, existing) => {
    await requireTarget(entities, 'service', 'serviceConfigs', [given.id]);
    if (existing?.configId === given.id) return;
    if (existing) await entities.update(serviceConfig, existing, { configId: given.id });
    else
      await entities.insert(serviceConfig, newRow(serviceConfig, {}, { ...pair, identityId: pairs.id, configTypeId: given.configTypeId }));
  });

/** Removes the identity's service configs for the given services and the types of the given configs. */
export const removeServiceConfigs = (call: Call, pairs: Pairs) =>
  forEachPair(call, pairs, async (entities, _pair, _given, existing) => {
    if (existing) await entities.remove(serviceConfig, existing);
  });

/** Calls `change` for each pair in one transaction, with its config, and the identity's existing row for the service and config type. */
const forEachPair = async (
  call: Call,
  { id, body = [] }: Pairs,
  change: (entities: Entities, pair: ServiceConfigPair, given: Config, existing: RowOf<typeof serviceConfig> | undefined) => Promise<void>,
) => {
  await call.write(async (entities) => {
    await entities.require(identity, id);
    for (const [i, pair] of body.entries()) {
      const given = await requireConfigOf(entities, pair, i);
      const key = { identityId: id, serviceId: pair.serviceId, configTypeId: given.configTypeId };
      const where = and(...Object.entries(key).map(([field, value]) => equals(stringField(field), value)));
      await change(entities, pair, given, await entities.find(serviceConfig, where));
    }
  });
  return {};
};

/**
 * The config of a pair, if both it and the service exist.
 * @throws ApiError `NOT_FOUND` that names the field: `0.configId`
 */
const requireConfigOf = async (entities: Entities, { serviceId, configId }: ServiceConfigPair, index: number): Promise<Config> => {
  const given = await entities.get(config, configId);
  if (!given) throw notFoundField(`${index}.configId`, config.kind, configId);
  if (!(await entities.get(service, serviceId))) throw notFoundField(`${index}.serviceId`, service.kind, serviceId);
  return given;
};

const referencesTo = async <K extends 'configId' | 'serviceId'>(
  entities: Entities,
  kind: Kind,
  rows: readonly Readonly<Record<K, string>>[],
  field: K,
): Promise<ReadonlyMap<string, EntityReference>> => {
  const found = await rowsReferredBy(entities, kind, rows, (row) => row[field]);
  return new Map([...found].map(([id, row]) => [id, referenceTo(kind, row)]));
};
