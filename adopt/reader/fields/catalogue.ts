import { common } from './common.ts';
import { bool, derived, type Fields, int32, int64, json, map, nullableObject, nullableText, object, set, text } from './field.ts';

/** A policy has a semantic and selects by roles: `#attribute`, `@id`, `#all`. */
const policy = { ...common, name: text(), semantic: text('AllOf') } satisfies Fields;

const requestedProcess = { osType: text(), path: text(), hashes: set(), signerFingerprints: set() } satisfies Fields;

/** Services, and the policies that make them reachable. */
export const catalogueFields = {
  services: {
    ...common,
    name: text(),
    terminatorStrategy: text(''),
    /** Nanoseconds. */
    maxIdleTime: int64(),
    /** Null for a service of the fabric only. */
    edge: nullableObject({
      encryptionRequired: bool(true),
      roleAttributes: set(),
      /** Ids of configs. */
      configs: set(),
      name: derived,
      servicePolicies: derived,
      serviceEdgeRouterPolicies: derived,
      dialIdentities: derived,
      bindIdentities: derived,
      identityServices: derived,
      edgeRouters: derived,
    }),
    terminators: derived,
  },
  configs: {
    ...common,
    name: text(),
    /** The id of the config type. */
    type: text(),
    data: json(),
    services: derived,
    identityServices: derived,
  },
  configTypes: {
    ...common,
    name: text(),
    /** A JSON schema as text; null for none. */
    schema: nullableText(),
    configs: derived,
  },
  servicePolicies: {
    ...policy,
    /** 1 Dial, 2 Bind. */
    type: int32(1),
    identityRoles: set(),
    serviceRoles: set(),
    postureCheckRoles: set(),
    identities: derived,
    services: derived,
    postureChecks: derived,
  },
  edgeRouterPolicies: { ...policy, identityRoles: set(), edgeRouterRoles: set(), identities: derived, routers: derived },
  serviceEdgeRouterPolicies: { ...policy, serviceRoles: set(), edgeRouterRoles: set(), services: derived, routers: derived },
  postureChecks: {
    ...common,
    name: text(),
    /** One of the names below: the bucket of this name has what the check requires. */
    typeId: text(),
    version: int64(),
    roleAttributes: set(),
    DOMAIN: nullableObject({ domains: set() }),
    MAC: nullableObject({ macAddresses: set() }),
    MFA: nullableObject({
      /** -1 for none. */
      timeoutSeconds: int64(-1),
      promptOnWake: bool(),
      promptOnUnlock: bool(),
      ignoreLegacyEndpoints: bool(),
    }),
    /** By type of operating system. */
    OS: map(object({ osType: text(), osVersions: set() })),
    PROCESS: nullableObject({ os: text(), path: text(), hashes: set(), fingerprint: text('') }),
    /** Processes by `<osType>-<path>`. */
    PROCESS_MULTI: nullableObject({ semantic: text('AllOf'), processes: map(object(requestedProcess)) }),
    servicePolicies: derived,
    dialServices: derived,
    bindServices: derived,
  },
} as const satisfies Readonly<Record<string, Fields>>;
