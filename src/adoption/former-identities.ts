/** Former identities, and what proves them. */
import type { FormerBase, FormerCommon, FormerMap, FormerNamed, FormerTexts, FormerValues } from './former-base.ts';

export interface FormerIdentity extends FormerNamed {
  /** `Router`; anything else is `Default`. */
  readonly type: string;
  readonly isAdmin: boolean;
  readonly isDefaultAdmin: boolean;
  readonly authPolicyId: string;
  readonly externalId: string | null;
  readonly roleAttributes: FormerTexts;
  /** Since release 2.0. */
  readonly permissions: FormerTexts;
  readonly defaultHostingCost: number;
  /** 0 default, 1 required, 2 failed. */
  readonly defaultHostingPrecedence: number;
  /** By id of the service. */
  readonly serviceHostingCosts: FormerMap<number>;
  readonly serviceHostingPrecedences: FormerMap<number>;
  readonly appData: FormerValues;
  readonly disabledAt: Date | null;
  readonly disabledUntil: Date | null;
  /** The id of a config, by id of the service and of the config type. */
  readonly serviceConfigs: FormerMap<FormerMap<string>>;
  readonly envInfoArch: string;
  readonly envInfoOs: string;
  readonly envInfoRelease: string;
  readonly envInfoVersion: string;
  readonly envInfoDomain: string;
  readonly envInfoHostname: string;
  readonly sdkInfoBranch: string;
  readonly sdkInfoRevision: string;
  readonly sdkInfoType: string;
  readonly sdkInfoVersion: string;
  readonly sdkInfoAppId: string;
  readonly sdkInfoAppVersion: string;
}

export interface FormerAuthenticator extends FormerCommon {
  /** `cert` or `updb`. */
  readonly method: string;
  /** The id of the identity. */
  readonly identity: string;
  /** SHA-1 of the leaf in hex. */
  readonly certFingerprint: string;
  /** The leaf and those above it. */
  readonly certPem: string;
  readonly isIssuedByNetwork: boolean;
  readonly isExtendRequested: boolean;
  readonly isKeyRollRequested: boolean;
  readonly extendRequestedAt: Date | null;
  readonly lastAuthResolvedToRoot: boolean;
  readonly lastExtendRolledKeys: boolean;
  readonly unverifiedCertPem: string;
  readonly updbUsername: string;
  /** The tag of Argon2id in base64. */
  readonly updbPassword: string;
  /** Base64. */
  readonly updbSalt: string;
}

export interface FormerEnrollment extends FormerBase {
  readonly method: string;
  /** The id of the identity, or one of the ids of a router. */
  readonly identity: string | null;
  readonly edgeRouter: string | null;
  readonly transitRouter: string | null;
  readonly caId: string | null;
  readonly username: string | null;
  readonly token: string;
  readonly jwt: string;
  readonly issuedAt: Date | null;
  readonly expiresAt: Date | null;
}

export interface FormerMfa extends FormerCommon {
  readonly identity: string;
  readonly isVerified: boolean;
  /** Base32. */
  readonly secret: string;
  /** The unused ones. */
  readonly recoveryCodes: FormerTexts;
}
