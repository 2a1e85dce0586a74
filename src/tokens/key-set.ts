import { readCertificates } from '../pki/certificate.ts';
import type { Reading } from '../pki/pem.ts';
import { keyOfCertificate, keyOfJwk, type PublicKey } from './public-key.ts';

/** The keys of a signer. */
export interface KeySet {
  /** The keys of one `kid`, parsed on demand. */
  named(kid: string): Promise<NamedKeys>;
}

/** The keys with one `kid`. Usually there is only one; several are distinguished by their algorithms. */
export interface NamedKeys {
  readonly keys: readonly PublicKey[];
  /** Why other keys with that `kid` cannot be used, as sentences. */
  readonly faults: readonly string[];
}

/** Maximum number of keys that are read from a set. */
const MAX_KEYS = 100;
/** Maximum number of keys with the same `kid`: reading one from a certificate takes half a millisecond. */
const MAX_KEYS_OF_A_NAME = 10;

/**
 * The keys of a JSON Web Key Set (RFC 7517, section 5) that can sign tokens; other keys are ignored.
 * @throws TypeError if the text is not a key set
 */
export const readKeySet = (json: Uint8Array): KeySet => {
  const members = keysOf(JSON.parse(new TextDecoder().decode(json)));
  if (!members) throw new TypeError('the answer is not a key set: an object with a list named keys');
  const byName = Map.groupBy(members.slice(0, MAX_KEYS).filter(isObject), ({ kid }) => kid);
  const read = new Map<string, Promise<NamedKeys>>();
  return {
    named: (kid) => {
      const known = read.get(kid);
      if (known) return known;
      const ofName = byName.get(kid);
      if (!ofName) return NONE;
      const keys = Promise.all(ofName.slice(0, MAX_KEYS_OF_A_NAME).map(keyOfJwk)).then(separated);
      read.set(kid, keys);
      return keys;
    },
  };
};

/** A set with the key of a certificate in PEM. */
export const certificateKeySet = async (kid: string, pem: string): Promise<KeySet> => {
  const { value: [certificate] = [] } = await readCertificates(pem, 1);
  const keys = Promise.resolve(separated(certificate ? [await keyOfCertificate(kid, certificate)] : []));
  return { named: (name) => (name === kid ? keys : NONE) };
};

const NONE: Promise<NamedKeys> = Promise.resolve({ keys: [], faults: [] });

const separated = (read: readonly Reading<PublicKey, string>[]): NamedKeys => ({
  keys: read.flatMap(({ value }) => value ?? []),
  faults: read.flatMap(({ fault }) => fault ?? []),
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const keysOf = (value: unknown): readonly unknown[] | undefined => (isObject(value) && Array.isArray(value.keys) ? value.keys : undefined);
