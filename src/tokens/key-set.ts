import { elementsOf, readCertificates } from '../pki/certificate.ts';
import { certificateIn, keyOfCertificate, keyOfJwk, type PublicKey } from './public-key.ts';

/** The keys of a signer by their names. Usually a name has one key; where it has more, their algorithms tell them apart. */
export type KeySet = ReadonlyMap<string, readonly PublicKey[]>;

/** Keys of a set that are looked at. */
const MOST = 100;
/** Elements (X.690) in the certificates of a set, together: a common one has around a hundred. It bounds what a hostile provider can make us read. */
const MOST_ELEMENTS = 2000;

/**
 * The keys of a JSON Web Key Set (RFC 7517, section 5) that can sign tokens; others in it do not matter.
 * @throws TypeError for what is no key set, and for one whose certificates would cost too much to read
 */
export const readKeySet = async (json: Uint8Array): Promise<KeySet> => {
  const members = keysOf(JSON.parse(new TextDecoder().decode(json)));
  if (!members) throw new TypeError('the answer is no key set: an object with a list named keys');
  const read = members.slice(0, MOST).filter(isObject);
  if (elementsOf(read.map(certificateIn).filter((der) => der !== undefined)) > MOST_ELEMENTS)
    throw new TypeError(`the certificates of the key set have more than ${MOST_ELEMENTS} elements together; publish fewer or smaller ones`);
  return named(await Promise.all(read.map(keyOfJwk)));
};

/** The one key of a certificate in PEM. */
export const certificateKeySet = async (kid: string, pem: string): Promise<KeySet> => {
  const { value: [certificate] = [] } = await readCertificates(pem, 1);
  return named(certificate ? [await keyOfCertificate(kid, certificate)] : []);
};

const named = (keys: readonly (PublicKey | undefined)[]): KeySet =>
  Map.groupBy(
    keys.filter((key) => key !== undefined),
    ({ kid }) => kid,
  );

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const keysOf = (value: unknown): readonly unknown[] | undefined => (isObject(value) && Array.isArray(value.keys) ? value.keys : undefined);
