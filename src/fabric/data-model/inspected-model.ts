/** The data model as JSON, with the names and numbers of that of routers, so that operators can compare the two. */
import { encodeBase64 } from '../../runtime/platform/base64.ts';
import type { InspectedModel } from '../../runtime/presence/traffic.ts';
import type { DataEvent } from '../control-channel/messages/data-model.ts';

/** Maximum size of the model, in characters of JSON. */
const MAX_SIZE = 8_388_608;

type JsonFields = Readonly<Record<string, unknown>>;
type Collections = { readonly [K in keyof InspectedModel]: Map<string, { fields: JsonFields; readonly related: Related }> };
/** The ids of related entities, by the name of their list. */
type Related = Readonly<Record<string, Map<string, object>>>;

/** @returns undefined if the model is too large */
export const inspectedModel = async (batches: AsyncIterable<readonly DataEvent[]>): Promise<InspectedModel | undefined> => {
  const collections: Collections = {
    configTypes: new Map(),
    configs: new Map(),
    identities: new Map(),
    services: new Map(),
    servicePolicies: new Map(),
    postureChecks: new Map(),
    publicKeys: new Map(),
    revocations: new Map(),
  };
  let size = 0;
  const put = (name: keyof InspectedModel, id: string, fields: JsonFields, related: Related = {}): void => {
    const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => !isUnset(value)));
    size += JSON.stringify(set).length + id.length;
    collections[name].set(id, { fields: set, related });
  };
  const relate = (name: keyof InspectedModel, id: string, list: string, other: string): void => {
    size += other.length + 8;
    collections[name].get(id)?.related[list]?.set(other, {});
  };
  for await (const events of batches)
    for (const event of events) {
      const { configType, config, identity, service, servicePolicy, servicePolicyChange, postureCheck, publicKey, revocation } = event;
      if (configType) put('configTypes', textOf(configType.id), configType);
      if (config) put('configs', textOf(config.id), config);
      if (identity) put('identities', textOf(identity.id), ofIdentity(identity), { servicePolicies: new Map() });
      if (service) put('services', textOf(service.id), service);
      if (servicePolicy) {
        const policyType = POLICY_TYPES.indexOf(servicePolicy.policyType ?? 'invalid');
        put(
          'servicePolicies',
          textOf(servicePolicy.id),
          { ...servicePolicy, policyType },
          { services: new Map(), postureChecks: new Map() },
        );
      }
      if (postureCheck) put('postureChecks', textOf(postureCheck.id), ofPostureCheck(postureCheck));
      if (publicKey) put('publicKeys', textOf(publicKey.kid), ofPublicKey(publicKey));
      if (revocation) put('revocations', textOf(revocation.id), { id: revocation.id, ExpiresAt: ofTime(revocation.expiresAt) });
      for (const id of servicePolicyChange?.relatedEntityIds ?? []) {
        const policyId = textOf(servicePolicyChange?.policyId);
        const type = servicePolicyChange?.relatedEntityType;
        if (type === 'identity') relate('identities', id, 'servicePolicies', policyId);
        if (type === 'service') relate('servicePolicies', policyId, 'services', id);
        if (type === 'postureCheck') relate('servicePolicies', policyId, 'postureChecks', id);
      }
      if (size > MAX_SIZE) return undefined;
    }
  const shown = Object.entries(collections).map(([name, entities]) => [
    name,
    Object.fromEntries([...entities].map(([id, { fields, related }]) => [id, { ...fields, ...asObjects(related) }])),
  ]);
  return Object.fromEntries(shown) as InspectedModel; // it has the same names
};

const POLICY_TYPES: readonly string[] = ['invalid', 'dial', 'bind'];
const PRECEDENCES: readonly string[] = ['default', 'required', 'failed'];
const USAGES: readonly string[] = ['jwtValidation', 'clientCertificateValidation'];
const FORMATS: readonly string[] = ['certificate', 'spki'];

const textOf = (id: string | undefined): string => id ?? '';

/** True for a value that routers leave out of their JSON, because it is the default of its type. */
const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === false ||
  (value instanceof Map && value.size === 0) ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0);

const asObjects = (maps: Readonly<Record<string, ReadonlyMap<string, unknown>>>): JsonFields =>
  Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, Object.fromEntries(map)]));

const ofIdentity = (identity: NonNullable<DataEvent['identity']>): JsonFields => ({
  ...identity,
  defaultHostingPrecedence: PRECEDENCES.indexOf(identity.defaultHostingPrecedence ?? 'default'),
  serviceHostingPrecedences: mapped(identity.serviceHostingPrecedences, (precedence) => PRECEDENCES.indexOf(precedence)),
  serviceHostingCosts: mapped(identity.serviceHostingCosts, (cost) => cost),
  appDataJson: encodeBase64(identity.appDataJson ?? new Uint8Array()),
  serviceConfigs: mapped(identity.serviceConfigs, ({ configs }) => ({ configs: mapped(configs, (id) => id) })),
});

const mapped = <T>(map: ReadonlyMap<string, T> | undefined, shown: (value: T) => unknown): JsonFields =>
  Object.fromEntries([...(map ?? [])].map(([key, value]) => [key, shown(value)]));

/** Routers nest the part that depends on the type, with names of their own. */
const ofPostureCheck = ({ id, name, typeId, ...check }: NonNullable<DataEvent['postureCheck']>): JsonFields => {
  const { mac, mfa, osList, process, processMulti, domains } = check;
  return {
    id,
    name,
    typeId,
    Subtype: {
      ...(mac && { Mac: mac }),
      ...(mfa && { Mfa: capitalized({ ...mfa, timeoutSeconds: Number(mfa.timeoutSeconds ?? 0) }) }),
      ...(osList && { OsList: { osList: (osList.osList ?? []).map(capitalized) } }),
      ...(process && { Process: capitalized(process) }),
      ...(processMulti && { ProcessMulti: { ...processMulti, processes: (processMulti.processes ?? []).map(capitalized) } }),
      ...(domains && { Domains: domains }),
    },
  };
};

const capitalized = (fields: object): JsonFields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (isUnset(value) ? [] : [[`${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]])),
  );

const ofPublicKey = ({ kid, data, usages, format }: NonNullable<DataEvent['publicKey']>): JsonFields => ({
  kid,
  data: encodeBase64(data ?? new Uint8Array()),
  usages: (usages ?? []).map((usage) => USAGES.indexOf(usage)),
  format: FORMATS.indexOf(format ?? 'certificate'),
});

const ofTime = (time: NonNullable<DataEvent['revocation']>['expiresAt']): JsonFields | undefined =>
  time && { seconds: Number(time.seconds ?? 0), ...(time.nanos ? { nanos: time.nanos } : {}) };
