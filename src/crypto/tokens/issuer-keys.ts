import { compactVerify } from 'jose/jws/compact/verify';
import { SignJWT } from 'jose/jwt/sign';
import { importJWK } from 'jose/key/import';
import { boundedTextCache } from '../../runtime/platform/bounded-cache.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
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
  /**
   * Signs claims as a JWT.
   * @throws Error if no key may sign yet
   */
  sign(claims: Claims): Promise<string>;
  /**
   * Returns the claims of a token if a key of the network signed it, without validating them. If the key is unknown, reloads the keys
   * first, at most once a second.
   */
  verify(token: string): Promise<Claims | undefined>;
  /** Reads the stored keys again. */
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
  const keys = new ReloadableKeys(load, clock);
  await keys.reload();
  return keys;
};

class ReloadableKeys implements IssuerKeys {
  readonly #load: () => Promise<readonly SigningKey[]>;
  readonly #clock: Clock;
  #keys: ReadonlyMap<string, LoadedKey> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;
  /** Verified tokens by their text, with the key that signed them, so that no entry outlives its key. */
  readonly #verified = boundedTextCache<{ readonly claims: Claims; readonly signer: LoadedKey }>(CACHE_LIMITS);

  constructor(load: () => Promise<readonly SigningKey[]>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  get published(): readonly PublishedKey[] {
    return [...this.#keys.values()].map(({ published }) => published);
  }

  async sign(claims: Claims): Promise<string> {
    const stored = [...this.#keys.values()].map((key) => key.stored);
    const current = this.#keys.get(signingAt(stored, this.#clock.now())?.kid ?? '');
    if (!current) throw new Error('the OpenID provider has no key that may sign now');
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: ALG, kid: current.stored.kid, typ: 'JWT' }).sign(current.signing);
  }

  async verify(text: string): Promise<Claims | undefined> {
    const cached = this.#verified.get(text);
    if (cached && this.#keys.get(cached.signer.stored.kid) === cached.signer) return cached.claims;
    const token = readToken(text);
    const signer = token?.algorithm === ALG ? await this.#find(token.kid) : undefined;
    if (!token || !signer) return undefined;
    try {
      await compactVerify(text, signer.verifying, { algorithms: [ALG] });
    } catch {
      return undefined;
    }
    this.#verified.set(text, { claims: token.claims, signer });
    return token.claims;
  }

  reload(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    const stored = await this.#load();
    const loaded = stored.map(async (key) => [key.kid, this.#keys.get(key.kid) ?? (await importKey(key))] as const);
    this.#keys = new Map(await Promise.all(loaded));
    this.#readAt = this.#clock.now();
  }

  async #find(kid: string): Promise<LoadedKey | undefined> {
    const key = this.#keys.get(kid);
    if (key || Math.abs(this.#clock.now() - this.#readAt) < RELOAD_INTERVAL) return key;
    await this.reload();
    return this.#keys.get(kid);
  }
}

const importKey = async (stored: SigningKey): Promise<LoadedKey> => {
  const { kid, key } = stored;
  const { kty, crv, x, y } = key;
  const published = { kid, kty, use: 'sig', alg: ALG, crv, x, y } as const;
  return { stored, published, verifying: await importJWK({ kty, crv, x, y }, ALG), signing: await importJWK({ ...key }, ALG) };
};
