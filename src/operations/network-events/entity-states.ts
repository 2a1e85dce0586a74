import { type Change, type ChangedKind, type ChangedRow, isChangedKind } from '../../contract/changes/events.ts';

type State = Readonly<Record<string, unknown>>;

/** The names of some fields, separated by spaces: `name`, or `name=storedName` where they differ. */
type Fields = string;

/** The presentation of a kind of entity in events. */
interface Presented {
  /** The name of the kind in events. */
  readonly type: string;
  readonly fields: Fields;
  /** The fields of the fabric, for kinds that have more fields in the edge API. */
  readonly fabric?: Fields;
  /** Fields whose values have another form here. */
  readonly derived?: Readonly<Record<string, (row: ReadonlyMap<string, unknown>) => unknown>>;
}

const FABRIC_ROUTER = 'name fingerprint cost noTraversal disabled interfaces';

const FIELDS_OF_CERT =
  'fingerprint pem=certPem isIssuedByNetwork isExtendRequested isKeyRollRequested extendRequestedAt lastAuthResolvedToRoot lastExtendRolledKeys';

/** Precedences by their number. */
const PRECEDENCES = ['default', 'required', 'failed'];

/**
 * The kinds of entities in events, with the fields of the reference that are stored here. Secrets are not among them: passwords, tokens,
 * seeds, recovery codes, and the secrets of terminators.
 */
const PRESENTED: Partial<Readonly<Record<ChangedKind, Presented>>> = {
  apiSession: {
    type: 'apiSessions',
    fields:
      'identityId ipAddress configTypes mfaComplete=isMfaComplete mfaRequired=isMfaRequired lastActivityAt authenticatorId isCertExtendable improperClientCertChain',
  },
  apiSessionCertificate: {
    type: 'apiSessionCertificates',
    fields: 'subject fingerprint validAfter=validFrom validBefore=validTo pem=certificate',
  },
  authPolicy: {
    type: 'authPolicies',
    fields: 'name primary secondary',
    derived: {
      primary: (row) => {
        const { extJwt = {}, ...others } = objectIn(row, 'primary');
        const { allowedSigners: allowedExtJwtSigners = null, ...ofJwt } = objectOf(extJwt);
        return { ...others, extJwt: { ...ofJwt, allowedExtJwtSigners } };
      },
      secondary: (row) => {
        const { requireExtJwtSigner: requiredExtJwtSigner = null, ...others } = objectIn(row, 'secondary');
        return { ...others, requiredExtJwtSigner };
      },
    },
  },
  authenticator: {
    type: 'authenticators',
    fields: 'type=method identityId subType',
    derived: { subType: (row) => valuesOf(row, row.get('method') === 'cert' ? FIELDS_OF_CERT : 'username') },
  },
  ca: {
    type: 'cas',
    fields:
      'name fingerprint certPem isVerified isAutoCaEnrollmentEnabled isOttCaEnrollmentEnabled isAuthEnabled identityRoles identityNameFormat externalIdClaim',
  },
  config: { type: 'configs', fields: 'name type=configTypeId data' },
  configType: { type: 'configTypes', fields: 'name schema' },
  edgeRouter: {
    type: 'routers',
    fabric: FABRIC_ROUTER,
    fields: `${FABRIC_ROUTER} isVerified certPem unverifiedCertPem unverifiedFingerprint roleAttributes isTunnelerEnabled appData`,
  },
  edgeRouterPolicy: { type: 'edgeRouterPolicies', fields: 'name semantic identityRoles edgeRouterRoles' },
  enrollment: {
    type: 'enrollments',
    fields: 'method identityId transitRouterId edgeRouterId expiresAt issuedAt=createdAt caId username',
  },
  externalJwtSigner: {
    type: 'externalJwtSigners',
    fields:
      'name fingerprint kid certPem jwksEndpoint commonName notAfter notBefore enabled externalAuthUrl claimsProperty useExternalId issuer audience clientId scopes targetToken',
  },
  identity: {
    type: 'identities',
    fields:
      'name identityTypeId=typeId isDefaultAdmin isAdmin roleAttributes sdkInfo envInfo defaultHostingPrecedence defaultHostingCost serviceHostingPrecedences serviceHostingCosts appData authPolicyId externalId disabledAt disabledUntil disabled',
    derived: {
      defaultHostingPrecedence: (row) => PRECEDENCES.indexOf(String(row.get('defaultHostingPrecedence') ?? 'default')),
      disabled: (row) =>
        Boolean(row.get('disabledAt')) && (!row.get('disabledUntil') || String(row.get('disabledUntil')) > String(row.get('updatedAt'))),
    },
  },
  identityType: { type: 'identityTypes', fields: 'name' },
  mfa: { type: 'mfas', fields: 'identityId isVerified' },
  postureCheck: { type: 'postureChecks', fields: 'name typeId version roleAttributes', derived: { version: () => 1 } },
  postureCheckType: { type: 'postureCheckTypes', fields: 'name operatingSystems' },
  revocation: { type: 'revocations', fields: 'expiresAt type' },
  router: {
    type: 'routers',
    fields: `${FABRIC_ROUTER} isVerified unverifiedCertPem unverifiedFingerprint`,
  },
  service: {
    type: 'services',
    fabric: 'name maxIdleTime=maxIdleTimeMillis terminatorStrategy',
    fields: 'name maxIdleTime=maxIdleTimeMillis terminatorStrategy roleAttributes configs encryptionRequired',
  },
  serviceEdgeRouterPolicy: { type: 'serviceEdgeRouterPolicies', fields: 'name semantic serviceRoles edgeRouterRoles' },
  servicePolicy: { type: 'servicePolicies', fields: 'policyType=type name semantic identityRoles serviceRoles postureCheckRoles' },
  session: { type: 'sessions', fields: 'identityId apiSessionId serviceId type' },
  terminator: { type: 'terminators', fields: 'service=serviceId router=routerId binding address instanceId=identity cost precedence' },
};

/** The kinds of entities in events, for the option `include`. Kinds without entities of their own here have no events. */
export const ENTITY_TYPES: readonly string[] = [
  ...new Set(Object.values(PRESENTED).map(({ type }) => type)),
  'controllers',
  'eventualEvents',
].sort();

/** The name of a kind in events; undefined for a kind that the reference does not have. */
export const entityTypeOf = (kind: string): string | undefined => (isChangedKind(kind) ? PRESENTED[kind]?.type : undefined);

/** A change as events present it: the type of the entity, and its state before and after. */
export interface PresentedChange {
  readonly entityType: string;
  readonly isParentEvent: boolean;
  readonly initialState: State | null;
  readonly finalState: State | null;
}

/** The presentations of a change: that of the fabric first, if there is one. Empty for a kind that the reference does not have. */
export const presentedChanges = ({ entity, before, after }: Change): readonly PresentedChange[] => {
  const presented = PRESENTED[entity];
  if (!presented) return [];
  const { type, fabric, fields, derived } = presented;
  const present = (names: Fields, isParentEvent: boolean): PresentedChange => ({
    entityType: type,
    isParentEvent,
    initialState: before && stateOf(before, names, derived),
    finalState: after && stateOf(after, names, derived),
  });
  return [...(fabric === undefined ? [] : [present(fabric, true)]), present(fields, false)];
};

const MILLISECOND = 1_000_000;

const stateOf = (row: ChangedRow<ChangedKind>, names: Fields, derived: Presented['derived'] = {}): State => {
  const stored = new Map<string, unknown>(Object.entries(row));
  const { id, createdAt, updatedAt, tags, isSystem = false } = row;
  return { id, createdAt, updatedAt, tags, isSystem, ...valuesOf(stored, names, derived) };
};

const valuesOf = (row: ReadonlyMap<string, unknown>, names: Fields, derived: Presented['derived'] = {}): State => {
  const state: Record<string, unknown> = {};
  for (const each of names.split(' ')) {
    const [name = '', storedName = name] = each.split('=');
    const value = Object.hasOwn(derived, name) ? derived[name]?.(row) : row.get(storedName);
    // Durations are in nanoseconds.
    state[name] = name === 'maxIdleTime' && typeof value === 'number' ? value * MILLISECOND : (value ?? null);
  }
  return state;
};

const objectOf = (value: unknown): State => (typeof value === 'object' && value !== null ? { ...value } : {});

const objectIn = (row: ReadonlyMap<string, unknown>, name: string): State => objectOf(row.get(name));
