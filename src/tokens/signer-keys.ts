import type { AddressRule } from '../platform/addresses.ts';
import { boundedCache } from '../platform/bounded-cache.ts';
import { MINUTE } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { createRepeatedLog } from '../platform/repeated-log.ts';
import { freshnessOf } from './freshness.ts';
import { certificateKeySet, type KeySet, type NamedKeys, readKeySet } from './key-set.ts';
import type { PublicKey } from './public-key.ts';

/** Where the keys of a signer come from, at one revision of it. */
export interface KeySource {
  readonly id: string;
  readonly version: number;
  /** Exactly one of these two is there. */
  readonly certPem: string | null;
  readonly jwksEndpoint: string | null;
  /** Name of the certificate's key; else it is the fingerprint. */
  readonly kid: string | null;
  readonly fingerprint: string | null;
}

/** Public keys of signers, kept in memory. */
export interface SignerKeys {
  /**
   * The key for a `kid` and an algorithm. If the keys are too old, or the `kid` is unknown, they are fetched again first, at most once a second. If
   * that fails, the known keys remain valid until 15 minutes after they were fetched.
   */
  find(signer: KeySource, kid: string, algorithm: string): Promise<PublicKey | undefined>;
  /** Loads the keys if they were never loaded. */
  load(signer: KeySource): Promise<void>;
  /** Ends what is under way. */
  close(): void;
}

interface Loaded {
  readonly keys: KeySet;
  /** How long they need not be fetched again, ms. */
  readonly freshFor: number;
}

interface Entry {
  /** The source of the keys: another revision, or another source of the same revision (a write that was rolled back), is another entry. */
  readonly source: string;
  keys: KeySet | undefined;
  /** When the known keys were fetched, ms: keys that the provider withdrew since then are still among them. */
  readAt: number;
  freshFor: Loaded['freshFor'];
  /** When they were last fetched, ms, and whether that failed. */
  askedAt: number;
  failed: boolean;
  loading: Promise<void> | undefined;
}

export interface SignerKeysOptions extends Pick<Platform, 'clock' | 'logger' | 'outbound'> {
  readonly permits: AddressRule;
}

/** Maximum of signers whose keys are cached. */
const MOST = 1000;
/** Minimum time between two requests for the keys of one signer, even if the caching headers of its answers allow less. ms */
const PAUSE = 1000;
/** Time until known keys are fetched again, unless their caching headers say less. ms */
const FRESH = 5 * MINUTE;
/** Time until a failed request is repeated. ms */
const RETRY = 30_000;
/** Time for which known keys remain in use while requests fail. ms */
const KEPT = 15 * MINUTE;
const NO_KEYS: NamedKeys = { keys: [], faults: [] };
const LIMITS = { maxBytes: 262_144, timeoutMs: 5000 } as const;

export const createSignerKeys = ({ clock, logger, outbound, permits }: SignerKeysOptions): SignerKeys => {
  const entries = boundedCache<string, Entry>(MOST);
  const log = createRepeatedLog({ clock, logger });
  const closing = new AbortController();

  const entryOf = ({ id, version, certPem, jwksEndpoint }: KeySource): Entry => {
    const source = `${version} ${jwksEndpoint ?? certPem}`;
    const known = entries.get(id);
    if (known?.source === source) return known;
    const never = Number.NEGATIVE_INFINITY;
    const entry: Entry = { source, keys: undefined, readAt: never, freshFor: 0, askedAt: never, failed: false, loading: undefined };
    entries.set(id, entry);
    return entry;
  };

  const fetched = async (url: string): Promise<Loaded> => {
    const { status, body, header } = await outbound.request(url, { ...LIMITS, permits, signal: closing.signal });
    if (status !== 200) throw new TypeError(`the answer has status ${status}`);
    const freshFor = (header && freshnessOf(header, clock.now())) ?? FRESH;
    return { keys: readKeySet(body), freshFor: Math.min(Math.max(freshFor, PAUSE), FRESH) };
  };

  const loaded = async ({ certPem, jwksEndpoint, kid, fingerprint }: KeySource): Promise<Loaded> => {
    if (jwksEndpoint !== null) return fetched(jwksEndpoint);
    // The key of a certificate does not change.
    return { keys: await certificateKeySet(kid ?? fingerprint ?? '', certPem ?? ''), freshFor: Number.POSITIVE_INFINITY };
  };

  const reload = async (entry: Entry, signer: KeySource): Promise<void> => {
    const readAt = clock.now();
    try {
      Object.assign(entry, await loaded(signer), { readAt, failed: false });
    } catch (error) {
      entry.failed = true;
      if (!closing.signal.aborted)
        logger.warn('the keys of an external JWT signer could not be loaded', { signer: signer.id, error: String(error) });
    }
  };

  /** Only names that are in a key set are logged, so that tokens of strangers write nothing. */
  const noteUnusable = ({ id }: KeySource, kid: string, faults: readonly string[]): void => {
    const [reason] = faults;
    if (reason === undefined) return;
    log('warn', 'the key that a token names cannot be used', { signer: id, kid: kid.slice(0, 200), reason }, id);
  };

  /** Distances of time, for a clock may be set back: then it is better to ask again. */
  const since = (time: number): number => Math.abs(clock.now() - time);

  /** Those who come while the keys are being loaded wait for the same answer. */
  const loadOnce = (entry: Entry, signer: KeySource, pause = PAUSE): Promise<void> => {
    if (entry.loading) return entry.loading;
    if (entry.freshFor === Number.POSITIVE_INFINITY) return Promise.resolve();
    if (since(entry.askedAt) < pause) return Promise.resolve();
    entry.askedAt = clock.now();
    entry.loading = reload(entry, signer).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  };

  return {
    find: async (signer, kid, algorithm) => {
      const entry = entryOf(signer);
      // A response that was already on its way may be older than the key: fetch once more.
      for (let joined = true, rounds = 0; joined && rounds < 2; rounds++) {
        const isKnown = entry.keys !== undefined && (await entry.keys.named(kid)).keys.length > 0;
        joined = entry.loading !== undefined;
        if (!isKnown) await loadOnce(entry, signer);
        else if (since(entry.readAt) >= entry.freshFor) await loadOnce(entry, signer, entry.failed ? RETRY : PAUSE);
      }
      if (since(entry.readAt) >= Math.max(KEPT, entry.freshFor)) entry.keys = undefined;
      const { keys, faults } = (await entry.keys?.named(kid)) ?? NO_KEYS;
      const key = keys.find((each) => each.allows(algorithm));
      if (!key) noteUnusable(signer, kid, keys.length > 0 ? ['it is not for the algorithm of the token', ...faults] : faults);
      return key;
    },
    load: async (signer) => {
      const entry = entryOf(signer);
      if (!entry.keys) await loadOnce(entry, signer);
    },
    close: () => closing.abort(),
  };
};
