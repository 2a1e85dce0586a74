import type { AddressRule } from '../../runtime/platform/addresses.ts';
import { boundedCache } from '../../runtime/platform/bounded-cache.ts';
import { MINUTE } from '../../runtime/platform/clock.ts';
import type { Platform } from '../../runtime/platform/platform.ts';
import { createRepeatedLog, type RepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { certificateKeySet, type KeySet, type NamedKeys, readKeySet } from './key-set.ts';
import type { PublicKey } from './public-key.ts';

/** The source of a signer's keys, at one version of the signer. */
export interface KeySource {
  readonly id: string;
  readonly version: number;
  /** Exactly one of `certPem` and `jwksEndpoint` is set. */
  readonly certPem: string | null;
  readonly jwksEndpoint: string | null;
  /** The key id of the certificate's key. Default: `fingerprint`. */
  readonly kid: string | null;
  readonly fingerprint: string | null;
}

/** Public keys of signers, cached in memory. */
export interface SignerKeys {
  /**
   * Finds the key for a `kid` and an algorithm. If the cached keys are stale, or the `kid` is unknown, fetches them again first, at most
   * once a second. If that fails, the cached keys remain valid until 15 minutes after they were fetched.
   */
  find(signer: KeySource, kid: string, algorithm: string): Promise<PublicKey | undefined>;
  /** Loads the keys if they have not been loaded yet. */
  load(signer: KeySource): Promise<void>;
  /** Aborts requests in progress. */
  close(): void;
}

interface Loaded {
  readonly keys: KeySet;
  /** Time for which the keys are fresh. ms */
  readonly freshFor: number;
}

interface Entry {
  /** Version and location of the keys. Both identify an entry, because after a rollback the same version may have another location. */
  readonly source: string;
  keys: KeySet | undefined;
  /** Start of the request that returned the cached keys, in ms. The provider may have withdrawn some of them since. */
  readAt: number;
  freshFor: Loaded['freshFor'];
  /** Time of the last request, in ms. */
  requestedAt: number;
  /** True if the last request failed. */
  failed: boolean;
  loading: Promise<void> | undefined;
}

export interface SignerKeysOptions extends Pick<Platform, 'clock' | 'logger' | 'outbound'> {
  readonly permits: AddressRule;
}

/** Maximum number of signers whose keys are cached. */
const MAX_SIGNERS = 1000;
/** Minimum time between two requests for the keys of one signer, even if the caching headers of its answers allow less. ms */
const MIN_REQUEST_INTERVAL = 1000;
/** Maximum time for which keys are fresh. Caching headers may shorten it. ms */
const MAX_FRESH = 5 * MINUTE;
/** Time until a failed refresh of cached keys is retried. ms */
const RETRY_INTERVAL = 30_000;
/** Time for which cached keys remain in use while requests fail. ms */
const MAX_STALE = 15 * MINUTE;
const NO_KEYS: NamedKeys = { keys: [], faults: [] };
/** Key sets have their own media type (RFC 7517, section 8.5), but many providers use another one. */
const ACCEPTED = { accept: 'application/jwk-set+json, application/json, */*;q=0.1' } as const;
const LIMITS = { maxBytes: 262_144, timeoutMs: 5000 } as const;

export const createSignerKeys = (options: SignerKeysOptions): SignerKeys => new CachedSignerKeys(options);

class CachedSignerKeys implements SignerKeys {
  readonly #options: SignerKeysOptions;
  readonly #entries = boundedCache<string, Entry>(MAX_SIGNERS);
  readonly #log: RepeatedLog;
  readonly #closing = new AbortController();

  constructor(options: SignerKeysOptions) {
    this.#options = options;
    this.#log = createRepeatedLog(options);
  }

  async find(signer: KeySource, kid: string, algorithm: string): Promise<PublicKey | undefined> {
    const entry = this.#entryOf(signer);
    // A request that was already in progress may have been answered before the key was published: fetch once more.
    for (let joined = true, rounds = 0; joined && rounds < 2; rounds++) {
      const isKnown = entry.keys !== undefined && (await entry.keys.find(kid)).keys.length > 0;
      joined = entry.loading !== undefined;
      if (!isKnown) await this.#loadOnce(entry, signer);
      else if (this.#isStale(entry)) await this.#loadOnce(entry, signer, entry.failed ? RETRY_INTERVAL : MIN_REQUEST_INTERVAL);
    }
    if (this.#since(entry.readAt) >= Math.max(MAX_STALE, entry.freshFor)) entry.keys = undefined;
    const { keys, faults } = (await entry.keys?.find(kid)) ?? NO_KEYS;
    const key = keys.find((each) => each.allows(algorithm));
    if (!key) this.#logUnusable(signer, kid, keys.length > 0 ? ['the key is not for the algorithm of the token', ...faults] : faults);
    return key;
  }

  async load(signer: KeySource): Promise<void> {
    const entry = this.#entryOf(signer);
    if (!entry.keys) await this.#loadOnce(entry, signer);
  }

  close(): void {
    this.#closing.abort();
  }

  #entryOf({ id, version, certPem, jwksEndpoint }: KeySource): Entry {
    const source = `${version} ${jwksEndpoint ?? certPem}`;
    const existing = this.#entries.get(id);
    if (existing?.source === source) return existing;
    const never = Number.NEGATIVE_INFINITY;
    const entry: Entry = { source, keys: undefined, readAt: never, freshFor: 0, requestedAt: never, failed: false, loading: undefined };
    this.#entries.set(id, entry);
    return entry;
  }

  /** Loads the keys unless they were requested recently. Concurrent callers share one request. */
  #loadOnce(entry: Entry, signer: KeySource, interval = MIN_REQUEST_INTERVAL): Promise<void> {
    if (entry.loading) return entry.loading;
    if (entry.freshFor === Number.POSITIVE_INFINITY) return Promise.resolve();
    if (this.#since(entry.requestedAt) < interval) return Promise.resolve();
    entry.requestedAt = this.#options.clock.now();
    entry.loading = this.#reload(entry, signer).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  }

  async #reload(entry: Entry, signer: KeySource): Promise<void> {
    const readAt = this.#options.clock.now();
    try {
      Object.assign(entry, await this.#loadKeys(signer), { readAt, failed: false });
    } catch (error) {
      entry.failed = true;
      if (this.#closing.signal.aborted) return;
      this.#options.logger.warn('the keys of an external JWT signer could not be loaded', { signer: signer.id, error: String(error) });
    }
  }

  async #loadKeys({ certPem, jwksEndpoint, kid, fingerprint }: KeySource): Promise<Loaded> {
    if (jwksEndpoint !== null) return this.#fetchKeys(jwksEndpoint);
    // The key of a certificate does not change.
    return { keys: await certificateKeySet(kid ?? fingerprint ?? '', certPem ?? ''), freshFor: Number.POSITIVE_INFINITY };
  }

  async #fetchKeys(url: string): Promise<Loaded> {
    const { clock, outbound, permits } = this.#options;
    const { status, body, header } = await outbound.request(url, { ...LIMITS, headers: ACCEPTED, permits, signal: this.#closing.signal });
    if (status !== 200) throw new TypeError(`the response has status ${status}`);
    const freshFor = (header && freshnessOf(header, clock.now())) ?? MAX_FRESH;
    return { keys: readKeySet(body), freshFor: Math.min(Math.max(freshFor, MIN_REQUEST_INTERVAL), MAX_FRESH) };
  }

  #isStale({ readAt, freshFor }: Entry): boolean {
    return this.#since(readAt) >= freshFor;
  }

  /** The absolute time difference: if the clock has been set back far, the keys are fetched again. */
  #since(time: number): number {
    return Math.abs(this.#options.clock.now() - time);
  }

  /** Logs only key ids that are in a key set, so that tokens with invented key ids cannot flood the log. */
  #logUnusable({ id }: KeySource, kid: string, [reason]: readonly string[]): void {
    if (reason === undefined) return;
    this.#log('warn', 'the key with the id in a token cannot be used', { signer: id, kid: kid.slice(0, 200), reason }, id);
  }
}

/** A header by its lower-case name. */
type Header = (name: string) => string | undefined;

const DIRECTIVE = /(?:^|,)\s*([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|([^",\s]*)))?/gi;

/**
 * The remaining freshness lifetime of a response in a private cache (RFC 9111, section 4.2): its lifetime minus its `Age`.
 * @returns ms; 0 if the response must not be cached or its headers are invalid; undefined if it has no caching headers
 */
export const freshnessOf = (header: Header, now: number): number | undefined => {
  const directives = [...(header('cache-control') ?? '').matchAll(DIRECTIVE)].map(([, name = '', quoted, plain]) => ({
    name: name.toLowerCase(),
    value: quoted ?? plain ?? '',
  }));
  if (directives.some(({ name }) => name === 'no-store' || name === 'no-cache')) return 0;
  const maxAges = directives.filter(({ name }) => name === 'max-age').map(({ value }) => secondsIn(value) ?? 0);
  const lifetime = maxAges.length > 0 ? Math.min(...maxAges) * 1000 : untilExpiry(header, now);
  return lifetime === undefined ? undefined : Math.max(0, lifetime - (secondsIn(header('age') ?? '') ?? 0) * 1000);
};

const secondsIn = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);

/** The time until `Expires`. An invalid date, such as `0`, counts as past. */
const untilExpiry = (header: Header, now: number): number | undefined => {
  const expires = header('expires');
  if (expires === undefined) return undefined;
  const date = Date.parse(header('date') ?? '');
  const lifetime = Date.parse(expires) - (Number.isNaN(date) ? now : date);
  return Number.isNaN(lifetime) ? 0 : lifetime;
};
