import { LRUCache } from 'lru-cache';
import type { AddressRule } from '../platform/addresses.ts';
import type { Platform } from '../platform/platform.ts';
import { certificateKeySet, type KeySet, readKeySet } from './key-set.ts';
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
  /** The key of a name and an algorithm. For a name that is not known the keys are loaded again, a second after the last time at the earliest. */
  find(signer: KeySource, kid: string, algorithm: string): Promise<PublicKey | undefined>;
  /** Loads the keys if they were never loaded. */
  load(signer: KeySource): Promise<void>;
  /** Ends what is under way. */
  close(): void;
}

interface Entry {
  /** What the keys were loaded of: another revision, or another source of the same revision (a write that was rolled back), is another entry. */
  readonly source: string;
  keys: KeySet | undefined;
  /** ms */
  askedAt: number;
  loading: Promise<void> | undefined;
}

export interface SignerKeysOptions extends Pick<Platform, 'clock' | 'logger' | 'outbound'> {
  readonly permits: AddressRule;
}

/** Signers whose keys are kept. */
const MOST = 1000;
/** Time between two requests for the keys of one signer. ms */
const PAUSE = 1000;
const LIMITS = { maxBytes: 262_144, timeoutMs: 5000 } as const;

export const createSignerKeys = ({ clock, logger, outbound, permits }: SignerKeysOptions): SignerKeys => {
  const entries = new LRUCache<string, Entry>({ max: MOST });
  const closing = new AbortController();

  const entryOf = ({ id, version, certPem, jwksEndpoint }: KeySource): Entry => {
    const source = `${version} ${jwksEndpoint ?? certPem}`;
    const known = entries.get(id);
    if (known?.source === source) return known;
    const entry: Entry = { source, keys: undefined, askedAt: Number.NEGATIVE_INFINITY, loading: undefined };
    entries.set(id, entry);
    return entry;
  };

  const fetched = async (url: string): Promise<KeySet> => {
    const { status, body } = await outbound.get(url, { ...LIMITS, permits, signal: closing.signal });
    if (status !== 200) throw new TypeError(`the answer has status ${status}`);
    return readKeySet(body);
  };

  const reload = async (entry: Entry, { id, certPem, jwksEndpoint, kid, fingerprint }: KeySource): Promise<void> => {
    try {
      if (certPem !== null) entry.keys ??= await certificateKeySet(kid ?? fingerprint ?? '', certPem);
      else if (jwksEndpoint !== null) entry.keys = await fetched(jwksEndpoint);
    } catch (error) {
      // The keys that are known stay in use.
      if (!closing.signal.aborted)
        logger.warn('the keys of an external JWT signer could not be loaded', { signer: id, error: String(error) });
    }
  };

  /** Whoever comes while the keys are being loaded waits for the same answer. */
  const loadOnce = (entry: Entry, signer: KeySource): Promise<void> => {
    if (entry.loading) return entry.loading;
    const now = clock.now();
    if (Math.abs(now - entry.askedAt) < PAUSE) return Promise.resolve();
    entry.askedAt = now;
    entry.loading = reload(entry, signer).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  };

  return {
    find: async (signer, kid, algorithm) => {
      const entry = entryOf(signer);
      if (!entry.keys?.has(kid)) await loadOnce(entry, signer);
      return entry.keys?.get(kid)?.find((key) => key.allows(algorithm));
    },
    load: async (signer) => {
      const entry = entryOf(signer);
      if (!entry.keys) await loadOnce(entry, signer);
    },
    close: () => closing.abort(),
  };
};
