import { sha1 } from '@noble/hashes/legacy.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { enrollmentMethod } from '../../../src/contract/api/enrollment-methods.ts';
import { authenticator, enrollment, mfa } from '../../../src/contract/api/kinds.ts';
import { username } from '../../../src/contract/api/shared.ts';
import { readCertificates } from '../../../src/crypto/pki/certificate.ts';
import { hashToken } from '../../../src/crypto/tokens/opaque.ts';
import { authorityFor, authorityOf } from '../../../src/identity/cas/trust.ts';
import { parsePhc } from '../../../src/runtime/platform/phc.ts';
import type { Former } from '../former.ts';
import { type Adopting, entityOf, mapping } from '../mapping.ts';
import { certificatesIn, isoOf, isoOrNull } from '../values.ts';

/** Logins of the published API take 4 to 100 characters, here and in the former controller; those through OpenID take any. */
const noteLength = (name: string, { change }: Adopting): void => {
  if (!username.safeParse(name).success)
    change('their username has fewer than 4 or more than 100 characters, with which only logins through OpenID work');
};

const NO_IDENTITY = 'their identity does not exist';

export const authenticatorMapping = mapping('authenticators', async (former, adopting) => {
  const { id, tags, identity: identityId, method } = former;
  const { known, lose } = adopting;
  if (!known.identities.has(identityId)) {
    lose('dangling', `there is no identity ${identityId}`);
    return NO_IDENTITY;
  }
  if (method === 'updb') {
    const passwordHash = phcOf(former);
    if (parsePhc(passwordHash)) {
      noteLength(former.updbUsername, adopting);
      return [entityOf(authenticator, id, tags, { identityId, method, username: former.updbUsername, passwordHash })];
    }
    lose('passwords', `the hash of the password of ${former.updbUsername} cannot be read`);
    return 'their password cannot be read';
  }
  const [leaf] = certificatesIn(former.certPem);
  if (method !== 'cert' || !leaf) {
    lose('certificates', method === 'cert' ? 'its certificate cannot be read' : `the method ${method} is unknown`);
    return 'their certificate cannot be read';
  }
  return [
    entityOf(authenticator, id, tags, {
      identityId,
      method,
      certPem: leaf.pem,
      fingerprint: bytesToHex(sha1(leaf.der)),
      isIssuedByNetwork: former.isIssuedByNetwork,
      caId: former.isIssuedByNetwork ? null : await issuerOf(former, adopting),
      isExtendRequested: former.isExtendRequested,
      isKeyRollRequested: former.isKeyRollRequested,
      extendRequestedAt: isoOrNull(former.extendRequestedAt),
      lastAuthResolvedToRoot: former.lastAuthResolvedToRoot,
      lastExtendRolledKeys: former.lastExtendRolledKeys,
      unverifiedCertPem: former.unverifiedCertPem || null,
    }),
  ];
});

/** The parameters of the former controller's hashes, of which its database tells nothing. */
const PARAMETERS = '$argon2id$v=19$m=3072,t=1,p=4';

const phcOf = ({ updbSalt, updbPassword }: Former<'authenticators'>): string =>
  [PARAMETERS, updbSalt, updbPassword].map((part) => part.replace(/={1,2}$/, '')).join('$');

/**
 * The third-party CA that issued a certificate; null if it cannot be determined. The part between the two is the same for many
 * certificates, so that it is parsed and verified once.
 */
const issuerOf = async ({ certPem }: Former<'authenticators'>, { known: { authorities } }: Adopting): Promise<string | null> => {
  if (authorities.length === 0) return null;
  const [first = '', ...above] = certificatesIn(certPem).map(({ pem }) => pem);
  const { value: [leaf] = [] } = await readCertificates(first);
  if (!leaf) return null;
  const read = await Promise.all(above.map((pem) => authorityOf({ certPem: pem })));
  const others = read.flatMap((each) => each?.certificate ?? []);
  const found = await authorityFor({ leaf, others: async () => others }, authorities, { now: leaf.notBefore, anyUsage: true });
  return found?.row.id ?? null;
};

export const mfaMapping = mapping('mfas', async (former, { known, lose, seal }) => {
  const { id, tags, identity: identityId, isVerified } = former;
  if (!known.identities.has(identityId)) {
    lose('dangling', `there is no identity ${identityId}`);
    return NO_IDENTITY;
  }
  return [
    entityOf(mfa, id, tags, {
      identityId,
      isVerified,
      sealedSecret: await seal(mfa, 'sealedSecret', { identityId }, former.secret),
      sealedRecoveryCodes: await seal(mfa, 'sealedRecoveryCodes', { identityId }, JSON.stringify(former.recoveryCodes)),
    }),
  ];
});

export const enrollmentMapping = mapping('enrollments', async (former, adopting) => {
  const { lose, seal, now, change } = adopting;
  const { id, token, expiresAt } = former;
  if (!expiresAt || isoOf(expiresAt) <= now) {
    lose('expired', `it ended on ${expiresAt ? isoOf(expiresAt) : 'no day'}`);
    return 'they have expired';
  }
  const { data: method } = enrollmentMethod.safeParse(former.method);
  if (!method || token === '') {
    lose('enrollment-methods', method ? 'it has no token' : `this release does not know the method ${former.method}`);
    return 'their method is unknown';
  }
  const missing = missingIn(former, adopting);
  if (missing !== undefined) {
    lose('dangling', `there is no ${missing}`);
    return 'what they refer to does not exist';
  }
  if (former.username) noteLength(former.username, adopting);
  const tokenHash = hashToken(token);
  const isKept = tokenIn(former.jwt) === token;
  if (!isKept) change('their JWT is missing or invalid');
  const sealed = await seal(enrollment, 'sealed', { tokenHash }, isKept ? former.jwt : jwtOf(former));
  return [
    entityOf(
      enrollment,
      id,
      {},
      {
        method,
        expiresAt: isoOf(expiresAt),
        identityId: former.identity || null,
        edgeRouterId: former.edgeRouter || null,
        transitRouterId: former.transitRouter || null,
        caId: former.caId || null,
        username: former.username || null,
        tokenHash,
        sealed,
      },
    ),
  ];
});

/** The missing entity to which an enrollment refers, in words. */
const missingIn = ({ identity, edgeRouter, transitRouter, caId }: Former<'enrollments'>, { known }: Adopting): string | undefined => {
  if (identity && !known.identities.has(identity)) return `identity ${identity}`;
  if (edgeRouter && !known.routers.get(edgeRouter)?.isEdgeRouter) return `edge router ${edgeRouter}`;
  if (transitRouter && !known.routers.has(transitRouter)) return `router ${transitRouter}`;
  if (caId && !known.cas.has(caId)) return `certificate authority ${caId}`;
  return identity || edgeRouter || transitRouter ? undefined : 'identity and no router that it is for';
};

/** The token of an enrollment in its JWT: lists of enrollments and of identities read it there. */
const tokenIn = (jwt: string): unknown => {
  const [, claims = ''] = jwt.split('.', 2);
  try {
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).jti;
  } catch {
    return undefined;
  }
};

/** A JWT that nobody signed, where the former controller kept none: it holds the token, so that administrators see it. */
const jwtOf = ({ token, method, identity, edgeRouter, transitRouter }: Former<'enrollments'>): string => {
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return [part({ alg: 'none' }), part({ jti: token, em: method, sub: identity ?? edgeRouter ?? transitRouter }), ''].join('.');
};
