import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { CompactSign, exportJWK, generateKeyPair, importPKCS8, type JWK } from 'jose';
import type { App } from './app.ts';
import { NOW, type Party, party } from './pki.ts';

type PrivateKey = Awaited<ReturnType<typeof importPKCS8>>;
export type Claims = Readonly<Record<string, unknown>>;

/** A key of an identity provider: with a name, in public and in private. */
export interface ProviderKey {
  readonly kid: string;
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: PrivateKey;
}

export const providerKey = async (
  kid: string,
  alg = 'ES256',
  options: Parameters<typeof generateKeyPair>[1] = {},
): Promise<ProviderKey> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true, ...options });
  return { kid, alg, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg }, privateKey };
};

/** Claims of a token that is good for ten minutes from when the clocks of tests stand still; undefined takes one away. */
export const claimsOf = (issuer: string, claims: Claims): Claims => ({
  iss: issuer,
  aud: AUDIENCE,
  iat: NOW / 1000,
  exp: NOW / 1000 + 600,
  ...claims,
});

export const AUDIENCE = 'the overlay';

export const sign = (claims: Claims, { kid, alg, privateKey }: Pick<ProviderKey, 'kid' | 'alg' | 'privateKey'>, header: Claims = {}) =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(claims))).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);

/** A token put together of parts that nobody would sign like that. */
export const forge = (header: unknown, claims: unknown, signature: string | Uint8Array = 'c2lnbmF0dXJl'): string =>
  [
    ...[header, claims].map((part) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')),
    typeof signature === 'string' ? signature : Buffer.from(signature).toString('base64url'),
  ].join('.');

/** A signer known to the controller by a certificate. */
export interface CertificateSigner {
  readonly id: string;
  readonly issuer: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly party: Party;
  readonly key: ProviderKey;
  /** A good token but for what is said. */
  token(claims: Claims, header?: Claims): Promise<string>;
}

let serial = 0;

/** What the key of a party signs. */
export const keyOfParty = async ({ key }: Party, kid: string): Promise<ProviderKey> => {
  const privateKey = await importPKCS8(key, 'ES256', { extractable: true });
  const { d: _, ...jwk } = await exportJWK(privateKey);
  return { kid, alg: 'ES256', jwk: { ...jwk, kid }, privateKey };
};

export const certificateSigner = async (app: App, fields: Readonly<Record<string, unknown>> = {}): Promise<CertificateSigner> => {
  const name = `signer-${++serial}`;
  const issuer = `https://${name}.example`;
  const own = await party(name);
  const body = { name, issuer, audience: AUDIENCE, enabled: true, certPem: own.cert, kid: `kid-of-${name}`, ...fields };
  const id = await app.create('/external-jwt-signers', body);
  const key = await keyOfParty(own, typeof body.kid === 'string' ? body.kid : own.certificate.fingerprint);
  return { id, issuer: body.issuer, body, party: own, key, token: (claims, header) => sign(claimsOf(body.issuer, claims), key, header) };
};

interface Reply {
  readonly status?: number;
  readonly body: string;
}

/** Keys served on loopback, as an identity provider does it. `keys` may change; `answer` replaces all of it. */
export interface KeyServer {
  readonly url: string;
  keys: readonly JWK[];
  /** Of its answers, beside the type. */
  headers: Readonly<Record<string, string>>;
  answer: (() => Reply | Promise<Reply>) | undefined;
  readonly hits: number;
  /** Waits until it was asked, five seconds at most. */
  asked(): Promise<void>;
}

export const keyServer = async (t: TestContext, keys: readonly JWK[]): Promise<KeyServer> => {
  const state = {
    keys,
    headers: {},
    answer: undefined as KeyServer['answer'],
    hits: 0,
    url: '',
    asked: async () => {
      for (let i = 0; i < 1000 && state.hits === 0; i++) await new Promise((later) => setTimeout(later, 5));
      assert.ok(state.hits > 0, 'nobody asked for the keys');
    },
  };
  const server = createServer(async (_, response) => {
    state.hits++;
    const { status = 200, body } = (await state.answer?.()) ?? { body: JSON.stringify({ keys: state.keys }) };
    response.writeHead(status, { 'content-type': 'application/json', ...state.headers }).end(body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return state;
};

/** Logs in with tokens: one, or more in headers of their own. */
export const loginByToken = (app: App, ...tokens: readonly string[]) =>
  app.request('POST', '/authenticate?method=ext-jwt', {
    as: null,
    headers: { authorization: tokens.map((token) => `Bearer ${token}`).join(', ') },
  });
