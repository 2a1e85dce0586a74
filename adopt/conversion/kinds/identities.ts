import { identity, serviceConfig } from '../../../src/contract/api/kinds.ts';
import { PERMISSIONS } from '../../../src/contract/api/permissions.ts';
import { sortedSet } from '../../../src/query/order.ts';
import { copyText } from '../../../src/runtime/platform/copy-text.ts';
import type { Former } from '../former.ts';
import { type Adopted, type Adopting, entityOf, mapping } from '../mapping.ts';
import { costWithin, isoOrNull, loseReference, objectOf, precedenceOf, textOrNull } from '../values.ts';

const DEFAULT_POLICY = 'default';

export const identityMapping = mapping('identities', (former, adopting) => {
  const { id, name, tags, isAdmin, isDefaultAdmin, appData } = former;
  const row = entityOf(identity, id, tags, {
    name,
    typeId: former.type === 'Router' ? 'Router' : 'Default',
    isAdmin: isAdmin || isDefaultAdmin,
    isDefaultAdmin,
    roleAttributes: sortedSet(former.roleAttributes),
    permissions: permissionsOf(former, adopting),
    authPolicyId: authPolicyOf(former, adopting),
    externalId: textOrNull(former.externalId),
    defaultHostingCost: costWithin(former.defaultHostingCost, 'defaultHostingCost', adopting),
    defaultHostingPrecedence: precedenceOf(former.defaultHostingPrecedence),
    serviceHostingCosts: hosting(former.serviceHostingCosts, adopting, (cost) => costWithin(cost, 'serviceHostingCosts', adopting)),
    serviceHostingPrecedences: hosting(former.serviceHostingPrecedences, adopting, precedenceOf),
    appData,
    disabledAt: isoOrNull(former.disabledAt),
    disabledUntil: isoOrNull(former.disabledUntil),
    envInfo: given({
      arch: former.envInfoArch,
      domain: former.envInfoDomain,
      hostname: former.envInfoHostname,
      os: former.envInfoOs,
      osRelease: former.envInfoRelease,
      osVersion: former.envInfoVersion,
    }),
    sdkInfo: given({
      appId: former.sdkInfoAppId,
      appVersion: former.sdkInfoAppVersion,
      branch: former.sdkInfoBranch,
      revision: former.sdkInfoRevision,
      type: former.sdkInfoType,
      version: former.sdkInfoVersion,
    }),
  });
  return [row, ...serviceConfigsOf(former, adopting)];
});

const known: ReadonlySet<string> = new Set(PERMISSIONS);

const permissionsOf = ({ permissions }: Former<'identities'>, { lose }: Adopting): readonly string[] => {
  for (const name of permissions) if (!known.has(name)) lose('permissions', `this release does not know the permission ${name}`);
  return sortedSet(permissions.filter((name) => known.has(name)));
};

const authPolicyOf = ({ authPolicyId }: Former<'identities'>, { known, lose }: Adopting): string => {
  if (authPolicyId.trim() === '' || authPolicyId === DEFAULT_POLICY) return DEFAULT_POLICY;
  if (known.authPolicies.has(authPolicyId)) return authPolicyId;
  lose('dangling', `there is no auth policy ${authPolicyId}: the default policy takes its place`);
  return DEFAULT_POLICY;
};

/** Overrides of the identity for services that it hosts, by id of the service. */
const hosting = <V>(values: ReadonlyMap<string, number>, adopting: Adopting, convert: (value: number) => V) =>
  objectOf(
    [...values].flatMap(([service, value]) => {
      if (adopting.known.services.has(service)) return [[service, convert(value)] as const];
      loseReference(service, 'service', adopting);
      return [];
    }),
  );

/** No field of what clients report may be longer. They report it anew at each login. */
const MAX_REPORTED = 253;

/** The texts that are not empty. */
const given = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  objectOf(Object.entries(texts).flatMap(([name, text]) => (text === '' ? [] : [[name, copyText(text, MAX_REPORTED)] as const])));

/** The configs that the identity sees instead of those of services: here, each is an entity. */
const serviceConfigsOf = ({ id, serviceConfigs }: Former<'identities'>, { known, lose, newId }: Adopting): readonly Adopted[] =>
  [...serviceConfigs].flatMap(([serviceId, byType]) =>
    [...byType.values()].flatMap((configId) => {
      const configTypeId = known.configs.get(configId);
      if (known.services.has(serviceId) && configTypeId !== undefined)
        return [entityOf(serviceConfig, newId(), {}, { identityId: id, serviceId, configId, configTypeId })];
      lose('dangling', `there is no service ${serviceId} with a config ${configId}`);
      return [];
    }),
  );
