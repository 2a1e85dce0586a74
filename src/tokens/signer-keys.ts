import type { AddressRule } from '../platform/addresses.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import { MINUTE } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import { freshnessOf } from './freshness.ts';
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
   * The key for a `kid` and an algorithm. If the cached keys are stale, or the `kid` is unknown, they are fetched again first, at most once a second. If
   * that fails, the known keys remain valid until 15 minutes after they were fetched.
   */
  find(signer: KeySource, kid: string, algorithm: string): Promise<PublicKey | undefined>;
  /** Loads the keys if they were never loaded. */
  load(signer: KeySource): Promise<void>;
  /** Aborts requests in progress. */
  close(): void;
}

interface Loaded {
  readonly keys: KeySet;
  /** How long the keys count as fresh, ms. */
  readonly freshFor: number;
}

interface Entry {
  /** Version and location of the keys. Both identify an entry, because after a rollback the same version may have another location. */
  readonly source: string;
  keys: KeySet | undefined;
  /** When the request for the known keys began, ms. The provider may have withdrawn some of them since. */
  readAt: number;
  freshFor: Loaded['freshFor'];
  /** When the keys were last requested, ms; `failed` says whether that failed. */
  requestedAt: number;
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
/** Maximum time until known keys are fetched again; caching headers may shorten it. ms */
const MAX_FRESH = 5 * MINUTE;
/** Time until a failed refresh of known keys is retried. ms */
const RETRY_INTERVAL = 30_000;
/** Time for which known keys remain in use while requests fail. ms */
const MAX_STALE = 15 * MINUTE;
const NO_KEYS: NamedKeys = { keys: [], faults: [] };
/** Key sets have a media type of their own (RFC 7517, section 8.5), but many providers label them otherwise. */
const ACCEPTED = { accept: 'application/jwk-set+json, application/json, */*;q=0.1' } as const;
const LIMITS = { maxBytes: 262_144, timeoutMs: 5000 } as const;

export const createSignerKeys = ({ clock, logger, outbound, permits }: SignerKeysOptions): SignerKeys => {
  const entries = boundedCache<string, Entry>(MAX_SIGNERS);
  const log = createRepeatedLog({ clock, logger });
  const closing = new AbortController();

  const entryOf = ({ id, version, certPem, jwksEndpoint }: KeySource): Entry => {
    const source = `${version} ${jwksEndpoint ?? certPem}`;
    const known = entries.get(id);
    if (known?.source === source) return known;
    const never = Number.NEGATIVE_INFINITY;
    const entry: Entry = { source, keys: undefined, readAt: never, freshFor: 0, requestedAt: never, failed: false, loading: undefined };
    entries.set(id, entry);
    return entry;
  };

  const fetchKeys = async (url: string): Promise<Loaded> => {
    const { status, body, header } = await outbound.request(url, { ...LIMITS, headers: ACCEPTED, permits, signal: closing.signal });
    if (status !== 200) throw new TypeError(`the answer has status ${status}`);
    const freshFor = (header && freshnessOf(header, clock.now())) ?? MAX_FRESH;
    return { keys: readKeySet(body), freshFor: Math.min(Math.max(freshFor, MIN_REQUEST_INTERVAL), MAX_FRESH) };
  };

  const loadKeys = async ({ certPem, jwksEndpoint, kid, fingerprint }: KeySource): Promise<Loaded> => {
    if (jwksEndpoint !== null) return fetchKeys(jwksEndpoint);
    // The key of a certificate does not change.
    return { keys: await certificateKeySet(kid ?? fingerprint ?? '', certPem ?? ''), freshFor: Number.POSITIVE_INFINITY };
  };

  const reload = async (entry: Entry, signer: KeySource): Promise<void> => {
    const readAt = clock.now();
    try {
      Object.assign(entry, await loadKeys(signer), { readAt, failed: false });
    } catch (error) {
      entry.failed = true;
      if (!closing.signal.aborted)
        logger.warn('the keys of an external JWT signer could not be loaded', { signer: signer.id, error: String(error) });
    }
  };

  /** Logs only key ids that are in a key set, so that strangers cannot fill the log with made-up tokens. */
  const logUnusable = ({ id }: KeySource, kid: string, faults: readonly string[]): void => {
    const [reason] = faults;
    if (reason === undefined) return;
    log('warn', 'the key that a token names cannot be used', { signer: id, kid: kid.slice(0, 200), reason }, id);
  };

  /** Absolute time difference: if the clock has been set back far, the keys are fetched again. */
  const since = (time: number): number => Math.abs(clock.now() - time);

  /** Loads the keys unless it is too early. Concurrent callers share one request. */
  const loadOnce = (entry: Entry, signer: KeySource, pause = MIN_REQUEST_INTERVAL): Promise<void> => {
    if (entry.loading) return entry.loading;
    if (entry.freshFor === Number.POSITIVE_INFINITY) return Promise.resolve();
    if (since(entry.requestedAt) < pause) return Promise.resolve();
    entry.requestedAt = clock.now();
    entry.loading = reload(entry, signer).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  };

  return {
    find: async (signer, kid, algorithm) => {
      const entry = entryOf(signer);
      // A request that was already in progress may have been answered before the key was published: fetch once more.
      for (let joined = true, rounds = 0; joined && rounds < 2; rounds++) {
        const isKnown = entry.keys !== undefined && (await entry.keys.named(kid)).keys.length > 0;
        joined = entry.loading !== undefined;
        if (!isKnown) await loadOnce(entry, signer);
        else if (since(entry.readAt) >= entry.freshFor) await loadOnce(entry, signer, entry.failed ? RETRY_INTERVAL : MIN_REQUEST_INTERVAL);
      }
      if (since(entry.readAt) >= Math.max(MAX_STALE, entry.freshFor)) entry.keys = undefined;
      const { keys, faults } = (await entry.keys?.named(kid)) ?? NO_KEYS;
      const key = keys.find((each) => each.allows(algorithm));
      if (!key) logUnusable(signer, kid, keys.length > 0 ? ['it is not for the algorithm of the token', ...faults] : faults);
      return key;
    },
    load: async (signer) => {
      const entry = entryOf(signer);
      if (!entry.keys) await loadOnce(entry, signer);
    },
    close: () => closing.abort(),
  };
};
