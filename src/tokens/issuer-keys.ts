import { compactVerify } from 'jose/jws/compact/verify';
import { SignJWT } from 'jose/jwt/sign';
import { importJWK } from 'jose/key/import';
import { boundedTextCache } from '../platform/bounded-cache.ts';
import type { Clock } from '../platform/platform.ts';
import { type SigningKey, signingAt } from './signing-keys.ts';
import { type Claims, readToken } from './token.ts';

/** A published public key (RFC 7517). */
export interface PublishedKey {
  readonly kid: string;
  readonly kty: string;
  readonly use: 'sig';
  readonly alg: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

/** Signs tokens of the provider, and verifies tokens that any controller of the network signed. */
export interface IssuerKeys {
  readonly published: readonly PublishedKey[];
  /** The claims as a signed JWT. @throws Error if there is no key yet */
  sign(claims: Claims): Promise<string>;
  /**
   * The claims of a token that a key of the network signed. Does not validate the claims. If the key is unknown, reloads the keys first, at most once a
   * second.
   */
  verify(token: string): Promise<Claims | undefined>;
  /** Reads the keys again. */
  reload(): Promise<void>;
}

type Imported = Awaited<ReturnType<typeof importJWK>>;

interface LoadedKey {
  readonly stored: SigningKey;
  readonly published: PublishedKey;
  readonly verifying: Imported;
  readonly signing: Imported;
}

const ALG = 'ES256';
/** Limits of the cache of verified tokens: verifying a signature takes longer than finding a session. */
const CACHE_LIMITS = { entries: 5000, characters: 16_777_216 };
/** Minimum interval between reloads for unknown keys. ms */
const RELOAD_INTERVAL = 1000;

/** @param load reads the stored keys */
export const createIssuerKeys = async (load: () => Promise<readonly SigningKey[]>, clock: Clock): Promise<IssuerKeys> => {
  let keys: ReadonlyMap<string, LoadedKey> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  /** Verified tokens by their text, with the key that signed them, so that no entry outlives its key. */
  const signed = boundedTextCache<{ readonly claims: Claims; readonly signer: LoadedKey }>(CACHE_LIMITS);

  const read = async (): Promise<void> => {
    const stored = await load();
    keys = new Map(await Promise.all(stored.map(async (key) => [key.kid, keys.get(key.kid) ?? (await imported(key))] as const)));
    readAt = clock.now();
  };
  const reload = (): Promise<void> => (loading ??= read().finally(() => (loading = undefined)));

  const keyNamed = async (kid: string): Promise<LoadedKey | undefined> => {
    const found = keys.get(kid);
    if (found || Math.abs(clock.now() - readAt) < RELOAD_INTERVAL) return found;
    await reload();
    return keys.get(kid);
  };

  await reload();
  return {
    get published() {
      return [...keys.values()].map(({ published }) => published);
    },
    sign: async (claims) => {
      const current = keys.get(
        signingAt(
          [...keys.values()].map(({ stored }) => stored),
          clock.now(),
        )?.kid ?? '',
      );
      if (!current) throw new Error('the OpenID provider has no key that signs now');
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: ALG, kid: current.stored.kid, typ: 'JWT' }).sign(current.signing);
    },
    verify: async (text) => {
      const before = signed.get(text);
      if (before && keys.get(before.signer.stored.kid) === before.signer) return before.claims;
      const token = readToken(text);
      const signer = token?.algorithm === ALG ? await keyNamed(token.kid) : undefined;
      if (!token || !signer) return undefined;
      try {
        await compactVerify(text, signer.verifying, { algorithms: [ALG] });
      } catch {
        return undefined;
      }
      signed.set(text, { claims: token.claims, signer });
      return token.claims;
    },
    reload,
  };
};

const imported = async (stored: SigningKey): Promise<LoadedKey> => {
  const { kid, key } = stored;
  const { kty, crv, x, y } = key;
  const published = { kid, kty, use: 'sig', alg: ALG, crv, x, y } as const;
  return { stored, published, verifying: await importJWK({ kty, crv, x, y }, ALG), signing: await importJWK({ ...key }, ALG) };
};
