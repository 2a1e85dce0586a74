import { readCertificates } from '../pki/certificate.ts';
import type { Reading } from '../pki/pem.ts';
import { keyOfCertificate, keyOfJwk, type PublicKey } from './public-key.ts';

/** The keys of a signer. */
export interface KeySet {
  /** Finds the keys with a `kid`, parsed on demand. */
  find(kid: string): Promise<NamedKeys>;
}

/** The keys with one `kid`. Usually there is only one; several are distinguished by their algorithms. */
export interface NamedKeys {
  readonly keys: readonly PublicKey[];
  /** Descriptions of why other keys with this `kid` cannot be used. */
  readonly faults: readonly string[];
}

/** Maximum number of keys that are read from a set. */
const MAX_KEYS = 100;
/** Maximum number of keys with the same `kid`: reading one from a certificate takes half a millisecond. */
const MAX_KEYS_PER_KID = 10;

/**
 * Reads the keys of a JSON Web Key Set (RFC 7517, section 5) that can sign tokens. Ignores other keys.
 * @throws TypeError if the JSON is not a key set; SyntaxError if the text is not JSON
 */
export const readKeySet = (json: Uint8Array): KeySet => {
  const members = keysOf(JSON.parse(new TextDecoder().decode(json)));
  if (!members) throw new TypeError('the response is not a key set: an object with a list named keys');
  const membersByKid = Map.groupBy(members.slice(0, MAX_KEYS).filter(isObject), ({ kid }) => kid);
  const keysByKid = new Map<string, Promise<NamedKeys>>();
  return {
    find: (kid) => {
      const cached = keysByKid.get(kid);
      if (cached) return cached;
      const jwks = membersByKid.get(kid);
      if (!jwks) return NO_KEYS;
      const keys = Promise.all(jwks.slice(0, MAX_KEYS_PER_KID).map(keyOfJwk)).then(toNamedKeys);
      keysByKid.set(kid, keys);
      return keys;
    },
  };
};

/** Creates a key set with the key of a certificate in PEM. */
export const certificateKeySet = async (kid: string, pem: string): Promise<KeySet> => {
  const { value: [certificate] = [] } = await readCertificates(pem, 1);
  const keys = Promise.resolve(toNamedKeys(certificate ? [await keyOfCertificate(kid, certificate)] : []));
  return { find: (requested) => (requested === kid ? keys : NO_KEYS) };
};

const NO_KEYS: Promise<NamedKeys> = Promise.resolve({ keys: [], faults: [] });

const toNamedKeys = (read: readonly Reading<PublicKey, string>[]): NamedKeys => ({
  keys: read.flatMap(({ value }) => value ?? []),
  faults: read.flatMap(({ fault }) => fault ?? []),
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const keysOf = (value: unknown): readonly unknown[] | undefined => (isObject(value) && Array.isArray(value.keys) ? value.keys : undefined);
