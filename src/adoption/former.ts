/**
 * The entities of another controller as its database holds them, as far as they are adopted: with its names of fields. Who can read such a database, e.g.
 * `adapters/adoption/`, provides a `FormerNetwork`.
 */
import type { FormerCommon, FormerMap, FormerNamed, FormerTexts, FormerValues } from './former-base.ts';
import type { FormerAuthenticator, FormerEnrollment, FormerIdentity, FormerMfa } from './former-identities.ts';

export interface FormerCa extends FormerNamed {
  readonly certPem: string;
  readonly isVerified: boolean;
  readonly verificationToken: string;
  readonly isAuthEnabled: boolean;
  readonly isOttCaEnrollmentEnabled: boolean;
  readonly isAutoCaEnrollmentEnabled: boolean;
  readonly identityNameFormat: string;
  readonly identityRoles: FormerTexts;
  readonly externalIdClaim: {
    readonly 'externalIdClaim.location': string;
    readonly 'externalIdClaim.matcher': string;
    readonly 'externalIdClaim.matcherCriteria': string;
    readonly 'externalIdClaim.parser': string;
    readonly 'externalIdClaim.parserSeparator': string;
    readonly 'externalIdClaim.index': number;
  } | null;
}

export interface FormerJwtSigner extends FormerNamed {
  readonly issuer: string | null;
  readonly audience: string | null;
  readonly enabled: boolean;
  readonly certPem: string | null;
  readonly jwksEndpoint: string | null;
  readonly kid: string | null;
  readonly fingerprint: string | null;
  readonly commonName: string;
  readonly notBefore: Date | null;
  readonly notAfter: Date | null;
  readonly claimsProperty: string | null;
  readonly useExternalId: boolean;
  readonly externalAuthUrl: string | null;
  readonly clientId: string | null;
  readonly scopes: FormerTexts;
  readonly targetToken: string;
  /** This and the following ones since release 2.0. */
  readonly enrollToCertEnabled: boolean;
  readonly enrollToTokenEnabled: boolean;
  readonly enrollAttributeClaimsSelector: string;
  readonly enrollNameClaimsSelector: string;
  readonly enrollAuthPolicyId: string;
}

export interface FormerAuthPolicy extends FormerNamed {
  readonly 'primary.cert.allowed': boolean;
  readonly 'primary.cert.allowExpiredCerts': boolean;
  readonly 'primary.updb.allowed': boolean;
  readonly 'primary.updb.minPasswordLength': number;
  readonly 'primary.updb.maxAttempts': number;
  readonly 'primary.updb.lockoutDurationMinutes': number;
  readonly 'primary.updb.requireSpecialChar': boolean;
  readonly 'primary.updb.requireNumberChar': boolean;
  readonly 'primary.updb.requireMixedCase': boolean;
  readonly 'primary.extJwt.allowed': boolean;
  readonly 'primary.extJwt.allowedSigners': FormerTexts;
  readonly 'secondary.requireTotp': boolean;
  readonly 'secondary.requireExtJwtSigner': string | null;
}

export interface FormerService extends FormerNamed {
  readonly terminatorStrategy: string;
  /** ns */
  readonly maxIdleTime: number;
  /** Null for a service of the fabric alone, which identities cannot reach. */
  readonly edge: { readonly encryptionRequired: boolean; readonly roleAttributes: FormerTexts; readonly configs: FormerTexts } | null;
}

export interface FormerConfig extends FormerNamed {
  /** The id of the config type. */
  readonly type: string;
  readonly data: FormerValues;
}

export interface FormerConfigType extends FormerNamed {
  /** JSON text. */
  readonly schema: string | null;
}

/** What policies of all kinds have. */
interface Policy extends FormerNamed {
  readonly semantic: string;
}

export interface FormerServicePolicy extends Policy {
  /** 1 dial, 2 bind. */
  readonly type: number;
  readonly identityRoles: FormerTexts;
  readonly serviceRoles: FormerTexts;
  readonly postureCheckRoles: FormerTexts;
}

export interface FormerEdgeRouterPolicy extends Policy {
  readonly identityRoles: FormerTexts;
  readonly edgeRouterRoles: FormerTexts;
}

export interface FormerServiceEdgeRouterPolicy extends Policy {
  readonly serviceRoles: FormerTexts;
  readonly edgeRouterRoles: FormerTexts;
}

/** What a check requires is in the field with the name of its type. */
export interface FormerPostureCheck extends FormerNamed {
  readonly typeId: string;
  readonly roleAttributes: FormerTexts;
  readonly DOMAIN: { readonly domains: FormerTexts } | null;
  readonly MAC: { readonly macAddresses: FormerTexts } | null;
  readonly MFA: {
    readonly timeoutSeconds: number;
    readonly promptOnWake: boolean;
    readonly promptOnUnlock: boolean;
    readonly ignoreLegacyEndpoints: boolean;
  } | null;
  readonly OS: FormerMap<{ readonly osType: string; readonly osVersions: FormerTexts }>;
  readonly PROCESS: { readonly os: string; readonly path: string; readonly hashes: FormerTexts; readonly fingerprint: string } | null;
  readonly PROCESS_MULTI: {
    readonly semantic: string;
    readonly processes: FormerMap<{
      readonly osType: string;
      readonly path: string;
      readonly hashes: FormerTexts;
      readonly signerFingerprints: FormerTexts;
    }>;
  } | null;
}

/** How far a router has got with its certificates. */
interface Verification {
  readonly isVerified: boolean;
  readonly unverifiedCertPem: string | null;
  readonly unverifiedFingerprint: string | null;
}

export interface FormerRouter extends FormerNamed {
  /** SHA-1 of the certificate in hex; null before the enrollment. */
  readonly fingerprint: string | null;
  readonly cost: number;
  readonly noTraversal: boolean;
  readonly disabled: boolean;
  /** Groups by address. Since release 2.0. */
  readonly ctrlChanListeners: FormerValues;
  /** Null unless it is an edge router. */
  readonly edge:
    | (Verification & {
        readonly certPem: string | null;
        readonly isTunnelerEnabled: boolean;
        readonly roleAttributes: FormerTexts;
        readonly appData: FormerValues;
      })
    | null;
  readonly transitRouter: Verification | null;
}

export interface FormerTerminator extends FormerCommon {
  readonly service: string;
  readonly router: string;
  readonly binding: string;
  readonly address: string;
  readonly cost: number;
  readonly precedence: string;
  readonly instanceId: string;
  readonly instanceSecret: Uint8Array | null;
  readonly hostId: string;
  readonly sourceCtrl: string;
}

/** A member of a cluster of controllers. */
export interface FormerController extends FormerNamed {
  readonly isOnline: boolean;
}

/** The entities of each kind, by the name that it has in the database. */
export interface FormerKinds {
  readonly authPolicies: FormerAuthPolicy;
  readonly authenticators: FormerAuthenticator;
  readonly cas: FormerCa;
  readonly configTypes: FormerConfigType;
  readonly configs: FormerConfig;
  readonly controllers: FormerController;
  readonly edgeRouterPolicies: FormerEdgeRouterPolicy;
  readonly enrollments: FormerEnrollment;
  readonly externalJwtSigners: FormerJwtSigner;
  readonly identities: FormerIdentity;
  readonly mfas: FormerMfa;
  readonly postureChecks: FormerPostureCheck;
  readonly routers: FormerRouter;
  readonly serviceEdgeRouterPolicies: FormerServiceEdgeRouterPolicy;
  readonly servicePolicies: FormerServicePolicy;
  readonly services: FormerService;
  readonly terminators: FormerTerminator;
}

/** The network of another controller, open for reading. */
export interface FormerNetwork {
  /** The version of its schema. */
  readonly schemaVersion: number;
  /** How many entities it has of each kind, by the name in the database: of kinds that are not adopted, too. */
  counts(): ReadonlyMap<string, number>;
  /** The ids of the entities of a kind, one at a time, in the order of `entities`. */
  ids(kind: keyof FormerKinds): Iterable<string>;
  /** The entities of a kind, one at a time. Reading them again gives the same ones. */
  entities<K extends keyof FormerKinds>(kind: K): Iterable<FormerKinds[K]>;
  /** The name of an entity, of which a long one may be cut; undefined if there is none. */
  nameOf(kind: keyof FormerKinds, id: string): string | undefined;
  /** Called after the last read. @throws if the network has changed since it was opened */
  assertUnchanged(): void;
}
