import { DAY, HOUR } from '../../runtime/platform/clock.ts';
import type { Random } from '../../runtime/platform/platform.ts';
import { webRandom } from '../../runtime/platform/web.ts';
import { type Certificate, certificatesPem, Eku, KeyUsage, readCertificates } from './certificate.ts';
import { pemFaultText } from './faults.ts';
import { issue, type Profile } from './issue.ts';
import { type KeyHolder, keyHolder, newKeyPair } from './keys.ts';
import type { KeyPair } from './network-key.ts';

/** Randomness and time for a new certificate. */
export interface IssueOptions {
  /** The time at which the validity begins, in ms since 1970. Default: now. */
  readonly now?: number;
  readonly random?: Random;
}

/** Validity and path length. */
const ROOT = { days: 30 * 365, pathLength: 1 } as const;
const SIGNER = { days: 10 * 365, pathLength: 0 } as const;
/** Less than the 398 days that clients accept from public authorities. */
const SERVER_DAYS = 365;

/** Creates a root, valid for 30 years, with path length 1: one level of authorities below it. */
export const newRoot = ({ now = Date.now(), random = webRandom }: IssueOptions = {}): Promise<KeyPair> =>
  newCertificate(`overlay-controller root ${uniqueSuffix(random)}`, authorityProfile(ROOT, now), { random });

/** Creates an authority below a root, valid for 10 years, for certificates of clients and routers. */
export const newSigner = async (root: KeyPair, { now = Date.now(), random = webRandom }: IssueOptions = {}): Promise<KeyPair> =>
  newCertificate(`overlay-controller signer ${uniqueSuffix(random)}`, authorityProfile(SIGNER, now), {
    issuer: await holderOf(root, 'the root'),
    random,
  });

/**
 * Creates a server certificate below a root for the given names and addresses, valid for 365 days.
 * @param options `like`: a key pair whose key is reused. Default: a new P-256 key. `uris`: URIs for the certificate, such as SPIFFE ids.
 * Default: none.
 * @throws TypeError for an invalid certificate, or a key that does not match its certificate
 */
export const newServerCertificate = async (
  root: KeyPair,
  names: readonly string[],
  {
    now = Date.now(),
    random = webRandom,
    like,
    uris = [],
  }: IssueOptions & { readonly like?: KeyPair; readonly uris?: readonly string[] } = {},
): Promise<KeyPair> => {
  const profile = {
    ...validity(SERVER_DAYS, now),
    keyUsage: KeyUsage.digitalSignature,
    extendedKeyUsage: [Eku.serverAuth],
    names: { dnsNames: names.filter((name) => !isAddress(name)), ipAddresses: names.filter(isAddress), uris },
  };
  const issuer = await holderOf(root, 'the root');
  const keys = like && (await keysOf(like));
  return newCertificate(names[0] ?? 'overlay-controller', profile, { issuer, random, ...(keys && { keys }) });
};

interface NewCertificateOptions {
  /** Default: the certificate is self-signed. */
  readonly issuer?: { readonly certificate: Certificate; readonly holder: KeyHolder };
  readonly random: Random;
  /** Default: a new key pair. */
  readonly keys?: Awaited<ReturnType<typeof newKeyPair>>;
}

/** Issues a certificate for a key pair. */
const newCertificate = async (
  name: string,
  profile: Omit<Profile, 'subject' | 'publicKey'>,
  { issuer, random, keys }: NewCertificateOptions,
): Promise<KeyPair> => {
  const { publicKey, privateKey, holder } = keys ?? (await newKeyPair());
  // A common name has at most 64 characters (RFC 5280, appendix A.1); clients check the alternative names.
  const subject = [{ O: ['overlay-controller'] }, { CN: [name.slice(0, 64)] }];
  const certificate = await issue({ ...profile, subject, publicKey }, issuer ?? { selfSigned: true, holder }, random);
  return { key: privateKey, cert: certificatesPem([certificate]) };
};

const authorityProfile = ({ days, pathLength }: { readonly days: number; readonly pathLength: number }, now: number) => ({
  ...validity(days, now),
  keyUsage: KeyUsage.keyCertSign | KeyUsage.cRLSign,
  pathLength,
});

/** Begins an hour ago, for clients whose clocks are behind. */
const validity = (days: number, now: number) => ({ notBefore: now - HOUR, notAfter: now + days * DAY });

/** @throws TypeError for an invalid certificate, or a key that does not match it */
const holderOf = async ({ key, cert }: KeyPair, what: string) => {
  const { value: [certificate] = [], fault = 'noPem' } = await readCertificates(cert);
  if (!certificate) throw new TypeError(`${what} must be a certificate in PEM: ${pemFaultText(fault)}`);
  return { certificate, holder: await keyHolder(key, certificate) };
};

/** The key pair of a certificate, to be reused for another one. */
const keysOf = async (pair: KeyPair): Promise<Awaited<ReturnType<typeof newKeyPair>>> => {
  const { certificate, holder } = await holderOf(pair, "the server's certificate");
  return { publicKey: await certificate.parsed.publicKey.export(holder.algorithm, ['verify']), privateKey: pair.key, holder };
};

const isAddress = (name: string): boolean => name.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name);

/** A unique part of the name, so that clients can distinguish the roots of several networks. */
const uniqueSuffix = (random: Random): string => random.uuid().slice(0, 8);
