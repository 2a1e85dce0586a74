import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { ExternalJwtSignerCreate } from '../src/index.ts';
import type { TestEntity } from './entity.ts';
import type { Kit } from './kit.ts';
import type { TestSession } from './session.ts';

/** An identity provider whose tokens the network trusts. Its keys are served in memory: no request leaves the process. */
export interface TestJwtSigner extends TestEntity {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** The `aud` of its tokens. */
  readonly audience: string;
  /** The HTTPS address of its keys, under a unique host name. */
  readonly jwksEndpoint: string;
  /** True while its keys can be fetched. Set it to false to simulate an outage. */
  isReachable: boolean;
  /**
   * Issues a token that is valid for ten minutes, by the network's clock.
   * @param bearer an identity, or the value of the claim that identifies one (`claimsProperty`)
   * @param claims additional claims, which override the default ones
   */
  token(bearer: TestEntity | string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /**
   * Logs in with a token, which it issues like `token`.
   * @throws ApiError `INVALID_AUTH` if the login fails
   */
  login(bearer: TestEntity | string, claims?: Readonly<Record<string, unknown>>): Promise<TestSession>;
  /** Replaces its key: new tokens are signed with the new key, and the old key is no longer published. */
  rotateKey(): Promise<void>;
}

const ALGORITHM = 'ES256';
const TOKEN_SECONDS = 600;

interface SigningKey {
  readonly kid: string;
  readonly jwk: JWK;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
}

let serial = 0;

const newKey = async (): Promise<SigningKey> => {
  const kid = `key-${++serial}`;
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return { kid, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: ALGORITHM }, privateKey };
};

/**
 * Creates an external JWT signer.
 * @param fields fields that override the default ones
 */
export const newJwtSigner = async (kit: Kit, name: string, fields: Partial<ExternalJwtSignerCreate> = {}): Promise<TestJwtSigner> => {
  const origin = `https://signer-${++serial}.test`;
  const jwksEndpoint = `${origin}/keys`;
  const body = { name, issuer: origin, audience: 'the network', enabled: true, jwksEndpoint, ...fields };
  let key = await newKey();
  let isReachable = true;
  kit.outbound.serve(jwksEndpoint, () => (isReachable ? { keys: [key.jwk] } : undefined));
  const { id } = await kit.controller.api.externalJwtSigners.create({ body });
  const { issuer, audience, claimsProperty } = await kit.controller.api.externalJwtSigners.get({ id });

  const token: TestJwtSigner['token'] = (bearer, claims = {}) => {
    const seconds = Math.floor(kit.clock.now() / 1000);
    const defaults = { iss: issuer, aud: audience, iat: seconds, exp: seconds + TOKEN_SECONDS };
    const bearerClaim = { [claimsProperty ?? 'sub']: typeof bearer === 'string' ? bearer : bearer.id };
    return new SignJWT({ ...defaults, ...bearerClaim, ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid })
      .sign(key.privateKey);
  };
  return {
    id,
    name,
    issuer,
    audience,
    jwksEndpoint,
    get isReachable() {
      return isReachable;
    },
    set isReachable(value) {
      isReachable = value;
    },
    token,
    login: async (bearer, claims) => {
      const headers = { authorization: `Bearer ${await token(bearer, claims)}` };
      return kit.session(await kit.client({ headers }).authentication.authenticate({ method: 'ext-jwt', body: {} }));
    },
    rotateKey: async () => {
      key = await newKey();
    },
  };
};
