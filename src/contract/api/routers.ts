import * as z from 'zod';
import { attributeEdits, upsert } from './edits.ts';
import {
  crud,
  EMPTY,
  group,
  hiddenTexts,
  list,
  mapOf,
  operation,
  optional,
  preprocess,
  readOnly,
  references,
  required,
  resource,
  rightTo,
  roles,
  string,
  timestamp,
} from './kit/index.ts';
import { routerInterfaces } from './router-reports.ts';
import { versionInfo } from './router-software.ts';
import { boolean, cost, jsonMap, name, PRINTABLE, shortText } from './shared.ts';

/** Maximum number of addresses, and of groups per address. */
const MAX_LISTENERS = 64;

/** The groups of an address. The command-line client sends null for an address without groups. */
const listenerGroups = preprocess((given) => given ?? [], list(shortText, MAX_LISTENERS));

/** Groups by address. An empty map is stored as null. */
export const ctrlChanListeners = mapOf(listenerGroups, MAX_LISTENERS)
  .refine(
    (listeners) =>
      Object.entries(listeners)
        .flat(2)
        .every((text) => text !== '' && PRINTABLE.test(text)),
    'addresses and groups must not be empty or contain control characters',
  )
  .transform((listeners) => (Object.keys(listeners).length === 0 ? null : listeners));

/** Fields of the outstanding enrollment, which not all callers may see. */
const ofEnrollment = { keep: 'computed' } as const;

/** Fields of all routers. Edge routers and other routers share one namespace. */
const common = {
  name: required(name, { unique: true, filter: true }),
  /** Cost of a path through the router, 0 to 65535. */
  cost: optional(cost, { default: 0, filter: true }),
  /** True if the router carries no traffic between other routers. */
  noTraversal: optional(boolean, { default: false, filter: true }),
  /** True if the router is disabled: it may not connect. */
  disabled: optional(boolean, { default: false, filter: true }),
  /**
   * Addresses at which the router accepts control channels, each with its groups. An address without groups is in the group `default`. At
   * most 64 addresses, with at most 64 groups each.
   */
  ctrlChanListeners: optional(ctrlChanListeners, { absent: true }),
  /** Ids of the configs of the router, at most one of each type. */
  configs: { ...references('config'), set: { of: 'references', target: 'config', empty: 'list' }, since: '2.1' },
  /** True if the router is quiesced: new circuits use it only if there is no other way. Omitted otherwise. */
  isQuiesced: readOnly(boolean, { default: false, absent: true }),
  /** True if the router is connected. */
  isOnline: readOnly(boolean, { keep: 'computed' }),
  /** New certificate of the router in PEM; null once the router has connected with it. */
  unverifiedCertPem: readOnly(string),
  /** SHA-1 of the new certificate in hex. */
  unverifiedFingerprint: readOnly(string),
  /** The server names of the router without and with the new certificate. Both are reserved until the router has connected with it. */
  unverifiedNames: readOnly(z.object({ without: z.array(string), with: z.array(string) }), { keep: 'hidden' }),
  /** Network interfaces that the router reported. */
  interfaces: readOnly(routerInterfaces),
  /** Id of the enrollment that issued the certificate of the router. */
  enrolledBy: readOnly(string, { keep: 'hidden', index: true }),
  /** The names and addresses in the router's certificates, which cannot be issued to other routers. */
  serverNames: hiddenTexts(),
  /** When the outstanding enrollment was created. */
  enrollmentCreatedAt: { ...readOnly(timestamp, ofEnrollment), absent: true },
  /** When the outstanding enrollment expires. */
  enrollmentExpiresAt: { ...readOnly(timestamp, ofEnrollment), absent: true },
  /** Token of the outstanding enrollment, as a JWT. */
  enrollmentJwt: { ...readOnly(string, ofEnrollment), absent: true, credential: true },
  /** Token of the outstanding enrollment. */
  enrollmentToken: { ...readOnly(string, ofEnrollment), absent: true, credential: true },
} as const;

export const router = resource({
  kind: 'router',
  collection: 'transit-routers',
  names: ['Router', 'Routers'],
  about: 'A router carries traffic. The list of routers includes the edge routers, which can be changed only through their own operations.',
  fields: {
    ...common,
    /** True if the router has enrolled. */
    isVerified: readOnly(boolean, { default: false }),
    /** SHA-1 of the certificate in hex. */
    fingerprint: readOnly(string, { filter: true, index: true }),
    isEdgeRouter: readOnly(boolean, { keep: 'hidden', default: false, index: true, undeclared: true }),
  },
  symbols: { online: { computed: 'boolean', shownAs: 'isOnline', filterableSince: '2.0' } },
});

export const edgeRouter = resource({
  kind: 'edgeRouter',
  collection: 'edge-routers',
  names: ['EdgeRouter', 'EdgeRouters'],
  view: { of: 'router', where: 'isEdgeRouter' },
  right: 'router',
  about: 'An edge router is the entry point of identities to the network. With a tunneler, it also has an identity of its own.',
  fields: {
    ...common,
    /** Role attributes, by which policies select the router. */
    roleAttributes: roles(),
    /** True if the router is also an identity that hosts and dials services for others. */
    isTunnelerEnabled: optional(boolean, { default: false, filter: true }),
    /** Arbitrary application data. */
    appData: optional(jsonMap, { default: {} }),
    /** True if the router has enrolled. */
    isVerified: readOnly(boolean, { default: false, filter: true }),
    /** SHA-1 of the certificate in hex. */
    fingerprint: readOnly(string, { filter: true, index: true, absent: true }),
    /** Certificate of the router in PEM. */
    certPem: readOnly(string),
    /** Host name at which clients reach the router. */
    hostname: readOnly(string, { keep: 'computed' }),
    /** Address by protocol, e.g. `tls`. */
    supportedProtocols: readOnly(z.record(string, string), { keep: 'computed' }),
    /** Progress of the router in synchronizing its model of the network. */
    syncStatus: readOnly(string, { keep: 'computed' }),
    /** The software that the router runs. */
    versionInfo: readOnly(versionInfo, { keep: 'computed' }),
    /** Version of the software that the router runs, while it is connected. */
    version: { ...readOnly(string, { keep: 'computed', absent: true }), since: '2.1' },
    /** Names of the capabilities that the router reports, while it is connected. */
    capabilities: { ...readOnly(z.array(string), { keep: 'computed', absent: true }), since: '2.1' },
    isEdgeRouter: readOnly(boolean, { keep: 'hidden', default: true, index: true }),
  },
  subLinks: ['edge-router-policies'],
  symbols: { connected: { computed: 'boolean', shownAs: 'syncStatus' }, online: { computed: 'boolean', shownAs: 'isOnline' } },
});

/** Errors of operations that create an enrollment token. */
const TOKEN_ERRORS = ['NOT_CONFIGURED'] as const;

export const edgeRouters = group('edgeRouters', 'Edge routers', {
  ...crud(edgeRouter, { errors: { create: TOKEN_ERRORS } }),
  ...upsert(edgeRouter),
  ...attributeEdits(edgeRouter),
  reEnroll: operation('POST', '/edge-routers/{id}/re-enroll', {
    operationId: 'reEnrollEdgeRouter',
    summary: 'Re-enroll an edge router: its certificate and any outstanding enrollment become invalid',
    permission: rightTo('update', edgeRouter),
    answer: EMPTY,
    errors: TOKEN_ERRORS,
  }),
});

const errors = { create: TOKEN_ERRORS, replace: ['CAN_NOT_UPDATE_ROUTER'], patch: ['CAN_NOT_UPDATE_ROUTER'] } as const;

/** Routers are available at two paths. */
export const routers = group('routers', 'Routers', crud(router, { path: '/routers', errors }));
export const transitRouters = group(
  'transitRouters',
  'Routers, at their older path',
  crud(router, { path: '/transit-routers', names: ['TransitRouter', 'TransitRouters'], errors }),
);
