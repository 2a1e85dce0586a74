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

interface Known {
  readonly kept: SigningKey;
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
  let known: ReadonlyMap<string, Known> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  /** Verified tokens by their text, with the key that signed them, so that no entry outlives its key. */
  const signed = boundedTextCache<{ readonly claims: Claims; readonly by: Known }>(CACHE_LIMITS);

  const read = async (): Promise<void> => {
    const kept = await load();
    known = new Map(await Promise.all(kept.map(async (key) => [key.kid, known.get(key.kid) ?? (await imported(key))] as const)));
    readAt = clock.now();
  };
  const reload = (): Promise<void> => (reading ??= read().finally(() => (reading = undefined)));

  const keyNamed = async (kid: string): Promise<Known | undefined> => {
    const found = known.get(kid);
    if (found || Math.abs(clock.now() - readAt) < RELOAD_INTERVAL) return found;
    await reload();
    return known.get(kid);
  };

  await reload();
  return {
    get published() {
      return [...known.values()].map(({ published }) => published);
    },
    sign: async (claims) => {
      const current = known.get(
        signingAt(
          [...known.values()].map(({ kept }) => kept),
          clock.now(),
        )?.kid ?? '',
      );
      if (!current) throw new Error('the OpenID provider has no key that signs now');
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: ALG, kid: current.kept.kid, typ: 'JWT' }).sign(current.signing);
    },
    verify: async (text) => {
      const before = signed.get(text);
      if (before && known.get(before.by.kept.kid) === before.by) return before.claims;
      const token = readToken(text);
      const by = token?.algorithm === ALG ? await keyNamed(token.kid) : undefined;
      if (!token || !by) return undefined;
      try {
        await compactVerify(text, by.verifying, { algorithms: [ALG] });
      } catch {
        return undefined;
      }
      signed.set(text, { claims: token.claims, by });
      return token.claims;
    },
    reload,
  };
};

const imported = async (kept: SigningKey): Promise<Known> => {
  const { kid, key } = kept;
  const { kty, crv, x, y } = key;
  const published = { kid, kty, use: 'sig', alg: ALG, crv, x, y } as const;
  return { kept, published, verifying: await importJWK({ kty, crv, x, y }, ALG), signing: await importJWK({ ...key }, ALG) };
};
