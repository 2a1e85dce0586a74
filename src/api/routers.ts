import * as z from 'zod';
import { crud } from './kit/crud.ts';
import { optional, readOnly, required } from './kit/field.ts';
import { group } from './kit/operation.ts';
import { notes, roles } from './kit/relations.ts';
import { resource } from './kit/resource.ts';
import { routerInterfaces, versionInfo } from './presence.ts';
import { cost, flag, jsonMap, name, text, timestamp } from './shared.ts';

/** What may be left of its enrollment, for whom it may be told. */
const whileUnverified = { keep: 'computed' } as const;

/** What all routers have. They share one name space, whichever kind they are. */
const common = {
  name: required(name, { unique: true, filter: true }),
  cost: optional(cost, { default: 0, filter: true }),
  noTraversal: optional(flag, { default: false, filter: true }),
  disabled: optional(flag, { default: false, filter: true }),
  isOnline: readOnly(flag, { keep: 'computed' }),
  unverifiedCertPem: readOnly(text),
  unverifiedFingerprint: readOnly(text),
  interfaces: readOnly(routerInterfaces),
  /** Id of the enrollment by which it got its certificate: the same until it enrolls anew. */
  enrolledBy: readOnly(text, { keep: 'hidden', index: true }),
  /** The names and addresses in its certificates, which no other router gets: see `wordsOf`. */
  serverNames: notes(),
  enrollmentCreatedAt: { ...readOnly(timestamp, whileUnverified), absent: true },
  enrollmentExpiresAt: { ...readOnly(timestamp, whileUnverified), absent: true },
  enrollmentJwt: { ...readOnly(text, whileUnverified), absent: true },
  enrollmentToken: { ...readOnly(text, whileUnverified), absent: true },
} as const;

export const router = resource({
  kind: 'router',
  collection: 'transit-routers',
  names: ['Router', 'Routers'],
  about: 'A router carries traffic. The list of routers also holds the edge routers, which only their own operations can change.',
  fields: {
    ...common,
    isVerified: readOnly(flag, { default: false }),
    fingerprint: readOnly(text, { filter: true, index: true }),
    isEdgeRouter: readOnly(flag, { keep: 'hidden', default: false, index: true }),
  },
});

export const edgeRouter = resource({
  kind: 'edgeRouter',
  collection: 'edge-routers',
  names: ['EdgeRouter', 'EdgeRouters'],
  view: { of: 'router', where: 'isEdgeRouter' },
  about: 'An edge router is where identities enter the network; with a tunneler it is also an identity of its own.',
  fields: {
    ...common,
    roleAttributes: roles(),
    isTunnelerEnabled: optional(flag, { default: false, filter: true }),
    appData: optional(jsonMap, { default: {} }),
    isVerified: readOnly(flag, { default: false, filter: true }),
    fingerprint: readOnly(text, { filter: true, index: true, absent: true }),
    certPem: readOnly(text),
    hostname: readOnly(text, { keep: 'computed' }),
    supportedProtocols: readOnly(z.record(text, text), { keep: 'computed' }),
    syncStatus: readOnly(text, { keep: 'computed' }),
    versionInfo: readOnly(versionInfo, { keep: 'computed' }),
    isEdgeRouter: readOnly(flag, { keep: 'hidden', default: true, index: true }),
  },
  subLinks: ['edge-router-policies'],
  symbols: { connected: { computed: 'boolean', shownAs: 'syncStatus' }, online: { computed: 'boolean', shownAs: 'isOnline' } },
});

const errors = { replace: ['CAN_NOT_UPDATE_ROUTER'], patch: ['CAN_NOT_UPDATE_ROUTER'] } as const;

/** One collection under two paths. */
export const routers = group('routers', 'Routers', crud(router, { path: '/routers', errors }));
export const transitRouters = group(
  'transitRouters',
  'Routers, under their older name',
  crud(router, { path: '/transit-routers', names: ['TransitRouter', 'TransitRouters'], errors }),
);
