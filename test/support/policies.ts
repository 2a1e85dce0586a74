/** What differs from the default policy. */
export interface PolicyParts {
  readonly cert?: Readonly<Record<string, unknown>>;
  readonly extJwt?: Readonly<Record<string, unknown>>;
  readonly updb?: Readonly<Record<string, unknown>>;
  readonly secondary?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The body of an authentication policy: as lenient as the default one but for the given parts. */
export const policyBody = (name: string, { cert, extJwt, updb, secondary, ...rest }: PolicyParts = {}) => ({
  name,
  primary: {
    cert: { allowed: true, allowExpiredCerts: true, ...cert },
    extJwt: { allowed: true, allowedSigners: [], ...extJwt },
    updb: {
      allowed: true,
      minPasswordLength: 5,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
      ...updb,
    },
  },
  secondary: { requireTotp: false, ...secondary },
  ...rest,
});
