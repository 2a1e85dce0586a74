import { builtinConfigTypes } from '../../../src/access/configs/builtin.ts';
import { exceededLimit } from '../../../src/access/configs/limits.ts';
import { config, configType, service, terminator } from '../../../src/contract/api/kinds.ts';
import { terminatorStrategies } from '../../../src/contract/api/services.ts';
import type { Former } from '../former.ts';
import { type Adopting, entityOf, mapping } from '../mapping.ts';
import { withoutNul, withoutPrototypeKeys } from '../storable.ts';
import { costWithin, knownIds } from '../values.ts';

const builtIn: ReadonlySet<string> = new Set(builtinConfigTypes.map(({ id }) => id));

export const configTypeMapping = mapping('configTypes', (former, adopting) => {
  const { id, name, tags } = former;
  if (builtIn.has(id)) return 'built in here, too';
  return [entityOf(configType, id, tags, { name, schema: schemaOf(former, adopting), target: 'service' })];
});

/** Limits of a stored schema, far above those of schemas that this controller compiles. */
const MAX_DEPTH = 100;
const MAX_VALUES = 1_000_000;

/** Removes values that cannot be stored. The former database stores schemas as JSON text, so they appear only once it is parsed. */
const storable = <T>(schema: T, lose: Adopting['lose']): T => {
  const texts = withoutNul(schema);
  const kept = withoutPrototypeKeys(texts);
  if (texts !== schema) lose('nul', 'its schema has the character U+0000');
  if (kept !== texts) lose('bounds', 'a key named __proto__ in its schema is left out');
  return kept;
};

/** The schema of a config type; null if it accepts anything, as an empty schema does. */
const schemaOf = ({ schema }: Former<'configTypes'>, { lose }: Adopting): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(schema || 'null');
    if (value === null) return null;
    if (typeof value === 'object' && !Array.isArray(value) && exceededLimit(value, MAX_DEPTH, MAX_VALUES) === undefined)
      return Object.keys(value).length === 0 ? null : storable(value as Readonly<Record<string, unknown>>, lose); // just checked
  } catch {
    // Reported below.
  }
  lose('bounds', 'its schema is not a JSON object, or is nested too deeply: configs of this type may contain anything');
  return null;
};

export const configMapping = mapping('configs', ({ id, name, tags, type, data }, { known, lose }) => {
  if (known.configTypes.has(type)) return [entityOf(config, id, tags, { name, configTypeId: type, data })];
  lose('dangling', `there is no config type ${type}`);
  return 'their type does not exist';
});

const NANOSECONDS_PER_MS = 1_000_000;

export const serviceMapping = mapping('services', (former, adopting) => {
  const { id, name, tags, edge } = former;
  if (!edge) {
    adopting.lose('fabric-only', 'no identity can reach it');
    return 'known only to the fabric';
  }
  const terminatorStrategy = former.terminatorStrategy || 'smartrouting';
  if (!terminatorStrategies.includes(terminatorStrategy)) adopting.lose('limits', 'this release does not know its terminator strategy');
  return [
    entityOf(service, id, tags, {
      name,
      encryptionRequired: edge.encryptionRequired,
      maxIdleTimeMillis: Math.trunc(former.maxIdleTime / NANOSECONDS_PER_MS),
      terminatorStrategy,
      roleAttributes: [...edge.roleAttributes].sort(),
      configs: knownIds(edge.configs, adopting.known.configs, 'config', adopting),
    }),
  ];
});

const PRECEDENCES: ReadonlySet<string> = new Set(['default', 'required', 'failed']);

export const terminatorMapping = mapping('terminators', async (former, adopting) => {
  const { id, tags, service: serviceId, router: routerId, binding, address } = former;
  const { known, lose, seal } = adopting;
  if (former.isSystem) return 'hosts create them anew';
  if (known.fabricServices.has(serviceId)) return 'of a service known only to the fabric';
  const serviceName = known.services.get(serviceId);
  const routerName = known.routers.get(routerId)?.name;
  if (serviceName === undefined || routerName === undefined) {
    lose('dangling', serviceName === undefined ? `there is no service ${serviceId}` : `there is no router ${routerId}`);
    return 'their service or router does not exist';
  }
  const secret = secretOf(former.instanceSecret);
  if (secret === undefined) {
    lose('instance-secrets', 'its secret is not text');
    return 'their secret is not text';
  }
  return [
    entityOf(terminator, id, tags, {
      serviceId,
      routerId,
      binding,
      address,
      cost: costWithin(former.cost, 'cost', adopting),
      precedence: PRECEDENCES.has(former.precedence) ? (former.precedence as 'default') : 'default', // one of the names
      identity: former.instanceId,
      sealedIdentitySecret: secret === '' ? null : await seal(terminator, 'sealedIdentitySecret', { id }, secret),
      hostId: former.hostId,
      sourceCtrl: former.sourceCtrl,
      serviceName,
      routerName,
    }),
  ];
});

/**
 * The secret of a terminator as text: empty if there is none.
 * @returns undefined if the bytes are not UTF-8
 */
const secretOf = (bytes: Uint8Array | null): string | undefined => {
  if (!bytes) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};
