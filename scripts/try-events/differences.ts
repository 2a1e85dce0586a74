import type { Difference } from './shapes.ts';

/** Differences that are meant, or that one run has and another has not. */
export interface Expected {
  /** Matches kinds and types. */
  readonly of: RegExp;
  /** Matches the path of the field; `^$` for types of which one controller has no events. */
  readonly field: RegExp;
  /** Match what is there, if only some differences are meant. */
  readonly reference?: RegExp;
  readonly ours?: RegExp;
  readonly reason: string;
}

const ENTITY = /^entityChange /;
const STATE = '^(?:initial|final)State\\.';
const stateOf = (fields: string): RegExp => new RegExp(`${STATE}(?:${fields})`);
const WHOLE = /^$/;
const ABSENT = /^$/;

const SECRET = 'no event has a secret';
const NOT_STORED = 'it is not part of the row, or not of change records, which states are taken from';
const TIMING = 'it depends on when routers report, or how often a client dials again';

export const EXPECTED: readonly Expected[] = [
  { of: /^(?:apiSession|session) /, field: /^token$/, ours: /^empty text$/, reason: SECRET },
  { of: /^entityChange \w+ authenticators$/, field: stateOf('subType\\.(?:password|salt)$'), ours: ABSENT, reason: SECRET },
  { of: /^entityChange \w+ enrollments$/, field: stateOf('token$'), ours: ABSENT, reason: SECRET },
  { of: /^entityChange \w+ mfas$/, field: stateOf('(?:secret|salt|recoveryCodes)$'), ours: ABSENT, reason: SECRET },
  { of: /^entityChange \w+ cas$/, field: stateOf('verificationToken$'), ours: ABSENT, reason: SECRET },
  { of: /^entityChange \w+ terminators$/, field: stateOf('instanceSecret$'), ours: ABSENT, reason: SECRET },

  { of: ENTITY, field: /^metadata\.source$/, ours: ABSENT, reason: 'the audit has the addresses of the connection' },
  { of: ENTITY, field: /^metadata\.trace_id$/, reference: ABSENT, reason: 'each change names its request' },
  { of: ENTITY, field: /^metadata\.author\.name$/, ours: /^empty text$/, reason: 'names are not stored with changes' },
  {
    of: ENTITY,
    field: /^metadata\.author\.(?:id|type)$/,
    reason: 'a login and an enrollment have no author until they succeed, and what a router or its host causes is done by the controller',
  },
  {
    of: ENTITY,
    field: stateOf('[\\w.[\\]]+$'),
    reference: /null/,
    ours: /^(?:list|object|empty list)$/,
    reason: 'an empty list is a list, and empty tags are an object',
  },
  {
    of: /^entityChange (?:updated|deleted) \w+Policies$/,
    field: stateOf('(?:\\w+Roles\\[\\]|tags\\.floor)$'),
    reason: 'the reference empties a policy before it deletes it',
  },
  {
    of: /^entityChange \w+ identities$/,
    field: stateOf('(?:envInfo|sdkInfo)\\.\\w+$'),
    reference: /empty text/,
    reason: 'what a client has not told is absent',
  },
  {
    of: /^entityChange \w+ identities$/,
    field: stateOf('(?:authenticators|enrollments|interfaces|serviceConfigs)$'),
    ours: ABSENT,
    reason: NOT_STORED,
  },
  {
    of: /^entityChange \w+ authenticators$/,
    field: stateOf('subType\\.(?:publicKeyPrint|unverified\\w+)$'),
    ours: ABSENT,
    reason: NOT_STORED,
  },
  {
    of: /^entityChange \w+ postureChecks$/,
    field: stateOf('subType$'),
    ours: ABSENT,
    reason: 'the details of a posture check are left out',
  },
  { of: /^entityChange \w+ routers$/, field: stateOf('enrollments$'), ours: ABSENT, reason: NOT_STORED },
  { of: /^entityChange \w+ sessions$/, field: stateOf('servicePolicies$'), ours: ABSENT, reason: NOT_STORED },
  {
    of: /^entityChange \w+ terminators$/,
    field: stateOf('(?:hostId|peerData|savedPrecedence|sourceCtrl)$'),
    ours: ABSENT,
    reason: NOT_STORED,
  },
  { of: /^entityChange \w+ apiSessionCertificates$/, field: stateOf('apiSessionId$'), ours: ABSENT, reason: NOT_STORED },
  { of: /^terminator deleted$/, field: /^host_id$/, ours: /^empty text$/, reason: NOT_STORED },
  {
    of: /^entityChange \w+ apiSessions$/,
    field: stateOf('(?:configTypes\\[\\]|lastActivityAt)$'),
    reason: 'config types are kept as they were asked for, and there is no activity before the first call',
  },
  {
    of: /^entityChange deleted enrollments$/,
    field: stateOf('transitRouterId$'),
    reason: 'the enrollment of a transit router ends with it, as an event of its own',
  },
  {
    of: /^entityChange \w+ eventualEvents$/,
    field: WHOLE,
    ours: ABSENT,
    reason: 'there are no such entities',
  },
  { of: /^entityChange updated authenticators$/, field: WHOLE, ours: ABSENT, reason: 'a login with a certificate changes nothing' },

  { of: /^authentication success cert$/, field: WHOLE, reference: ABSENT, reason: 'the reference tells no login with a certificate' },
  { of: /^connect identity ctrl$/, field: WHOLE, ours: ABSENT, reason: 'a call of the API is in the log of the server, not an event' },
  { of: /^metrics \w+ of the controller$/, field: WHOLE, ours: ABSENT, reason: 'metrics of the controller are at /metrics' },

  {
    of: /^link fault$/,
    field: /^(?:connections|cost|dial_address|dst_router_id|protocol|src_router_id)$/,
    reason: 'a link that is still known when its fault is reported has all its fields',
  },
  { of: /^link (?:duplicate|fault|routerLinkKnown|routerLinkDisconnectedDest|connectionsChanged)$/, field: WHOLE, reason: TIMING },
  { of: /^link connectionsChanged$/, field: /^connections$/, reason: TIMING },
  { of: /^service service\.dial\.(?!success)/, field: WHOLE, reason: TIMING },
  { of: /^usage v2 /, field: WHOLE, reason: TIMING },
  { of: /^usage v3$/, field: /^usage\./, reason: TIMING },
];

const isMeant = ({ of, field, reference, ours }: Expected, difference: Difference): boolean =>
  of.test(difference.of) &&
  field.test(difference.field) &&
  (reference?.test(difference.reference) ?? true) &&
  (ours?.test(difference.ours) ?? true);

/** Why a difference is meant; undefined if it is not. */
export const reasonOf = (difference: Difference): string | undefined => EXPECTED.find((expected) => isMeant(expected, difference))?.reason;
