import { edgeRouterPolicy, postureCheck, serviceEdgeRouterPolicy, servicePolicy } from '../../../src/contract/api/kinds.ts';
import { hexDigits } from '../../../src/contract/api/posture-checks/hex.ts';
import type { postureCheckVariants } from '../../../src/contract/api/posture-checks/types.ts';
import { compareText, sortedSet } from '../../../src/query/order.ts';
import type { Former } from '../former.ts';
import { type Adopting, entityOf, mapping } from '../mapping.ts';
import { knownSelectors } from '../values.ts';

const semanticOf = ({ semantic }: { readonly semantic: string }): 'AllOf' | 'AnyOf' => (semantic === 'AnyOf' ? 'AnyOf' : 'AllOf');

/** The routers that policies select. */
const edgeRoutersIn = ({ known }: Adopting) => ({ has: (id: string) => known.routers.get(id)?.isEdgeRouter === true });

const TYPES: Readonly<Record<number, 'Dial' | 'Bind'>> = { 1: 'Dial', 2: 'Bind' };

export const servicePolicyMapping = mapping('servicePolicies', (former, adopting) => {
  const { known, lose } = adopting;
  if (!TYPES[former.type]) lose('limits', 'its type is neither Dial nor Bind, so that it permits nothing');
  return [
    entityOf(servicePolicy, former.id, former.tags, {
      name: former.name,
      type: TYPES[former.type] ?? 'Invalid',
      semantic: semanticOf(former),
      identityRoles: knownSelectors(former.identityRoles, known.identities, 'identity', adopting),
      serviceRoles: knownSelectors(former.serviceRoles, known.services, 'service', adopting),
      postureCheckRoles: knownSelectors(former.postureCheckRoles, known.postureChecks, 'posture check', adopting),
    }),
  ];
});

export const edgeRouterPolicyMapping = mapping('edgeRouterPolicies', (former, adopting) => [
  entityOf(edgeRouterPolicy, former.id, former.tags, {
    name: former.name,
    semantic: semanticOf(former),
    identityRoles: knownSelectors(former.identityRoles, adopting.known.identities, 'identity', adopting),
    edgeRouterRoles: knownSelectors(former.edgeRouterRoles, edgeRoutersIn(adopting), 'edge router', adopting),
    isSystem: former.isSystem,
  }),
]);

export const serviceEdgeRouterPolicyMapping = mapping('serviceEdgeRouterPolicies', (former, adopting) => [
  entityOf(serviceEdgeRouterPolicy, former.id, former.tags, {
    name: former.name,
    semantic: semanticOf(former),
    serviceRoles: knownSelectors(former.serviceRoles, adopting.known.services, 'service', adopting),
    edgeRouterRoles: knownSelectors(former.edgeRouterRoles, edgeRoutersIn(adopting), 'edge router', adopting),
  }),
]);

type Requirement = Readonly<Record<string, unknown>>;

const lowerCase = (values: readonly string[]): readonly string[] => sortedSet(values.map((value) => value.toLowerCase()));

/** The requirements of a check of each type that former networks have, in the form of this controller. */
const requirements = {
  DOMAIN: ({ DOMAIN }) => ({ domains: sortedSet(DOMAIN?.domains ?? []) }),
  MAC: ({ MAC }) => ({ macAddresses: sortedSet((MAC?.macAddresses ?? []).map(hexDigits)) }),
  MFA: ({ MFA }) => ({
    timeoutSeconds: MFA && MFA.timeoutSeconds > 0 ? MFA.timeoutSeconds : -1,
    promptOnWake: MFA?.promptOnWake ?? false,
    promptOnUnlock: MFA?.promptOnUnlock ?? false,
    ignoreLegacyEndpoints: MFA?.ignoreLegacyEndpoints ?? false,
  }),
  OS: ({ OS }) => ({
    operatingSystems: [...OS.values()]
      .map(({ osType, osVersions }) => ({ type: osType, versions: osVersions.length > 0 ? sortedSet(osVersions) : null }))
      .sort((a, b) => compareText(a.type, b.type)),
  }),
  PROCESS: ({ PROCESS }) => ({
    process: {
      osType: PROCESS?.os ?? '',
      path: PROCESS?.path ?? '',
      hashes: PROCESS && PROCESS.hashes.length > 0 ? lowerCase(PROCESS.hashes) : null,
      ...(PROCESS?.fingerprint ? { signerFingerprint: PROCESS.fingerprint.toLowerCase() } : {}),
    },
  }),
  PROCESS_MULTI: ({ PROCESS_MULTI }) => ({
    semantic: PROCESS_MULTI?.semantic ?? 'AllOf',
    processes: [...(PROCESS_MULTI?.processes.values() ?? [])]
      .map(({ osType, path, hashes, signerFingerprints }) => ({
        osType,
        os: osType,
        path,
        hashes: sortedSet(hashes),
        signerFingerprints: sortedSet(signerFingerprints),
      }))
      .sort((a, b) => compareText(a.osType + a.path, b.osType + b.path)),
  }),
} satisfies { readonly [T in keyof typeof postureCheckVariants]?: (former: Former<'postureChecks'>) => Requirement };

export const isCheckType = (typeId: string): typeId is keyof typeof requirements => Object.hasOwn(requirements, typeId);

export const postureCheckMapping = mapping('postureChecks', (former, { lose }) => {
  const { id, name, tags, typeId } = former;
  if (!isCheckType(typeId)) {
    lose('posture-checks', `this release does not know the type ${typeId}`);
    return 'their type is unknown';
  }
  const row = { name, typeId, roleAttributes: sortedSet(former.roleAttributes), ...requirements[typeId](former) };
  // The fields of the variant `typeId`.
  return [entityOf(postureCheck, id, tags, row as Parameters<typeof entityOf<typeof postureCheck>>[3])];
});
