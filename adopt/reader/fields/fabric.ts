import { common } from './common.ts';
import {
  bool,
  bytes,
  derived,
  type Fields,
  int32,
  json,
  map,
  nullableObject,
  nullableText,
  nullableTime,
  object,
  set,
  since,
  text,
  time,
} from './field.ts';

/** Certificates that a peer presented, which nobody has verified yet. */
const unverified = { unverifiedCertPem: nullableText(), unverifiedFingerprint: nullableText() } satisfies Fields;

/** Routers, controllers, and what they serve. */
export const fabricFields = {
  routers: {
    ...common,
    name: text(),
    /** SHA-1 in lower-case hexadecimal digits; null for a router that has not enrolled. */
    fingerprint: nullableText(),
    cost: int32(),
    noTraversal: bool(),
    disabled: bool(),
    interfaces: since(39, json()),
    /** An address, to a list of groups. */
    ctrlChanListeners: since('2.0', json()),
    /** Null for a router that is not an edge router. */
    edge: nullableObject({
      /** The certificate, and what comes before its root. */
      certPem: nullableText(),
      isVerified: bool(),
      isTunnelerEnabled: bool(),
      roleAttributes: set(),
      appData: json(),
      ...unverified,
      name: derived,
      enrollments: derived,
      edgeRouterPolicies: derived,
      serviceEdgeRouterPolicies: derived,
      identities: derived,
      services: derived,
    }),
    /** Null for a router that is not a transit router. */
    transitRouter: nullableObject({ isVerified: bool(), ...unverified, name: derived, enrollments: derived }),
    terminators: derived,
  },
  terminators: {
    ...common,
    service: text(),
    router: text(),
    binding: text(),
    address: text(''),
    cost: int32(),
    /** `default`, `required` or `failed`. */
    precedence: text('default'),
    instanceId: text(''),
    /** Secret. */
    instanceSecret: bytes(),
    hostId: text(''),
    savedPrecedence: nullableText(),
    sourceCtrl: text(''),
    /** Numbers of 32 bits, to bytes without a type: neither texts nor needed. */
    peerData: derived,
  },
  controllers: {
    ...common,
    name: text(),
    ctrlAddress: text(''),
    certPem: text(''),
    fingerprint: text(''),
    isOnline: bool(),
    lastJoinedAt: nullableTime(),
    isPreferredLeader: since('2.0', bool()),
    /** The name of an API, to number, to where it is served. */
    apiAddresses: map(map(object({ 'apiAddresses.url': text(''), 'apiAddresses.version': text('') }))),
  },
  revocations: {
    ...common,
    expiresAt: time(),
    type: since('2.0', text('')),
    issuedBefore: since('2.0', nullableTime()),
  },
} as const satisfies Readonly<Record<string, Fields>>;
