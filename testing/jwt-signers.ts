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
  /** The address of its keys: https, at a name used nowhere else. */
  readonly jwksEndpoint: string;
  /** True while its keys can be fetched. Set it to false for an outage. */
  isReachable: boolean;
  /**
   * A token that is valid for ten minutes of the network's clock.
   * @param bearer an identity, or the value of the claim that names one (`claimsProperty`)
   * @param claims further claims; also in place of the usual ones
   */
  token(bearer: TestEntity | string, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Logs in with a token that is made as by `token`. @throws ApiError `INVALID_AUTH` */
  login(bearer: TestEntity | string, claims?: Readonly<Record<string, unknown>>): Promise<TestSession>;
  /** Replaces its key by a new one: tokens are signed with that from now on, and the old one is no longer published. */
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

/** @param fields of the signer, in place of the usual ones */
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
    const usual = { iss: issuer, aud: audience, iat: seconds, exp: seconds + TOKEN_SECONDS };
    const named = { [claimsProperty ?? 'sub']: typeof bearer === 'string' ? bearer : bearer.id };
    return new SignJWT({ ...usual, ...named, ...claims }).setProtectedHeader({ alg: ALGORITHM, kid: key.kid }).sign(key.privateKey);
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
    set isReachable(is) {
      isReachable = is;
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
