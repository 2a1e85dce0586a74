import { compactVerify } from 'jose/jws/compact/verify';
import { SignJWT } from 'jose/jwt/sign';
import { importJWK } from 'jose/key/import';
import { boundedTextCache } from '../platform/bounded-cache.ts';
import type { Clock } from '../platform/platform.ts';
import { type SigningKey, signingAt } from './signing-keys.ts';
import { type Claims, readToken } from './token.ts';

/** A public key as it is published (RFC 7517). */
export interface PublishedKey {
  readonly kid: string;
  readonly kty: string;
  readonly use: 'sig';
  readonly alg: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

/** Signs tokens of the provider, and verifies those that any controller of the network signed. */
export interface IssuerKeys {
  readonly published: readonly PublishedKey[];
  /** The claims as a signed JWT. @throws Error when there is no key yet */
  sign(claims: Claims): Promise<string>;
  /**
   * The claims of a token that a key of the network signed; of what they say nothing is checked. A token whose key is unknown has the keys read again
   * first, once a second at most.
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
/** Tokens whose signatures are remembered: to check one takes longer than to find a session. */
const MOST = { entries: 5000, characters: 16_777_216 };
/** ms */
const PAUSE = 1000;

/** @param load the keys as they are kept now */
export const createIssuerKeys = async (load: () => Promise<readonly SigningKey[]>, clock: Clock): Promise<IssuerKeys> => {
  let known: ReadonlyMap<string, Known> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  /** By the token itself: with the key that signed it, so that nothing outlives its key. */
  const signed = boundedTextCache<{ readonly claims: Claims; readonly by: Known }>(MOST);

  const read = async (): Promise<void> => {
    const kept = await load();
    known = new Map(await Promise.all(kept.map(async (key) => [key.kid, known.get(key.kid) ?? (await imported(key))] as const)));
    readAt = clock.now();
  };
  const reload = (): Promise<void> => (reading ??= read().finally(() => (reading = undefined)));

  const keyNamed = async (kid: string): Promise<Known | undefined> => {
    const found = known.get(kid);
    if (found || Math.abs(clock.now() - readAt) < PAUSE) return found;
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
