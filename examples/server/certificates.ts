/** Issues the two certificates that the server makes for itself. Loaded only when one is due, for the library takes a while to load. */
import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { X509Certificate } from '@peculiar/x509';

// @peculiar/x509 refuses to load without a polyfill of Reflect's metadata. It only asks for it while it loads, to find that no
// class of its own wants anything injected; so it is given just that answer, and only for that long.
const withoutMetadata = !('getMetadata' in Reflect);
const none = () => undefined;
if (withoutMetadata) Object.assign(Reflect, { getMetadata: none, getOwnMetadata: none });
const x509 = await import('@peculiar/x509');
if (withoutMetadata) for (const name of ['getMetadata', 'getOwnMetadata']) Reflect.deleteProperty(Reflect, name);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const ROOT_DAYS = 3650;
/** Below the 398 days that clients of public authorities put up with. */
const SERVER_DAYS = 365;

/** A private key and its certificate, both in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** A new root: signs server certificates for itself, or another authority below it. */
export const issueRoot = async (now: Date): Promise<KeyPair> => {
  const keys = await newKeys();
  const mark = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString('hex');
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    // A name of its own: clients that trust several networks' roots tell them apart by it.
    name: [{ O: ['overlay-controller'] }, { CN: [`overlay-controller root ${mark}`] }],
    serialNumber: newSerial(),
    ...validity(now, ROOT_DAYS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pem(keys.privateKey, cert);
};

/** A server certificate for these names and addresses, valid no longer than the root. */
export const issueServer = async (root: KeyPair, names: readonly string[], now: Date): Promise<KeyPair> => {
  const issuer = new x509.X509Certificate(root.cert);
  const signingKey = await crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(root.key), ALGORITHM, false, ['sign']);
  const keys = await newKeys();
  const { notBefore, notAfter } = validity(now, SERVER_DAYS);
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ O: ['overlay-controller'] }, { CN: [names[0] ?? 'localhost'] }],
    issuer: issuer.subjectName,
    serialNumber: newSerial(),
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), issuer.notAfter.getTime())),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return pem(keys.privateKey, cert);
};

const newKeys = (): Promise<webcrypto.CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** 16 random bytes; the first bit is 0, lest it be a negative number, and the second is 1, lest it be shorter. */
const newSerial = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
};

/** From an hour ago, for clients whose clock is behind. */
const validity = (now: Date, days: number) => ({
  notBefore: new Date(now.getTime() - 3_600_000),
  notAfter: new Date(now.getTime() + days * DAY_MS),
});

const pem = async (privateKey: webcrypto.CryptoKey, cert: X509Certificate): Promise<KeyPair> => ({
  key: `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')}\n`,
  cert: `${cert.toString('pem')}\n`,
});
