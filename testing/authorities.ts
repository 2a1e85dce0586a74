import { type Certificate, certificatesPem, KeyUsage } from '../src/crypto/pki/certificate.ts';
import { clientProfile, type Issuer, issue } from '../src/crypto/pki/issue.ts';
import { newKeyPair } from '../src/crypto/pki/keys.ts';
import type { CaCreate } from '../src/index.ts';
import { DAY, YEAR } from '../src/runtime/platform/clock.ts';
import { webRandom } from '../src/runtime/platform/web.ts';
import { type TestCertificate, testCertificate } from './certificates.ts';
import { enrollDevice, type TestDevice } from './devices.ts';
import type { TestEntity } from './entity.ts';
import type { Kit } from './kit.ts';

/** The content of a certificate that a CA issues, in addition to its common name. */
export interface TestCertificateOptions {
  /** Number of intermediate CAs between the CA and the certificate. Default: 0. */
  readonly intermediates?: 0 | 1;
  /** Days for which the certificate is valid. Default: 365. */
  readonly days?: number;
  /** URIs in the subject alternative names, e.g. `spiffe://acme/ann`. Default: none. */
  readonly uris?: readonly string[];
  /** Email addresses in the subject alternative names. Default: none. */
  readonly emails?: readonly string[];
}

/** A third-party certificate authority that the network trusts. */
export interface TestCa extends TestEntity {
  /** The certificate of the CA in PEM. */
  readonly cert: string;
  /**
   * Issues a client certificate.
   * @param commonName at most 64 characters
   */
  issue(commonName: string, options?: TestCertificateOptions): Promise<TestCertificate>;
  /** Creates an identity, and enrolls it with a new certificate of this CA. */
  device(name: string, ...roleAttributes: string[]): Promise<TestDevice>;
}

/** Creates a verified CA. Its certificates can log in and enroll, unless `fields` override that. */
export const newCa = async (kit: Kit, name: string, fields: Partial<CaCreate> = {}): Promise<TestCa> => {
  const { cas, identities } = kit.controller.api;
  const now = () => kit.clock.now();
  const root = await authority(name, undefined, now());
  const cert = certificatesPem([root.certificate]);
  const allowed = { isAuthEnabled: true, isOttCaEnrollmentEnabled: true, isAutoCaEnrollmentEnabled: true };
  const { id } = await cas.create({ body: { name, certPem: cert, identityRoles: [], ...allowed, ...fields } });

  const issueOne: TestCa['issue'] = async (commonName, { intermediates = 0, days = 365, uris = [], emails = [] } = {}) => {
    const issuer = intermediates === 0 ? root : await authority(`${name} intermediate`, root, now());
    const { publicKey, privateKey } = await newKeyPair();
    const profile = clientProfile({ subject: [{ CN: [commonName] }], publicKey: await spkiOf(publicKey) }, now(), { uris, emails });
    const leaf = await issue({ ...profile, notAfter: now() + days * DAY }, issuer, webRandom);
    return testCertificate([leaf, ...(issuer === root ? [] : [issuer.certificate])], privateKey);
  };
  const { verificationToken } = await cas.get({ id });
  await cas.verify({ id, body: (await issueOne(String(verificationToken))).cert });

  return {
    id,
    name,
    cert,
    issue: issueOne,
    device: async (deviceName, ...roleAttributes) => {
      const body = { name: deviceName, type: 'Device', isAdmin: false, roleAttributes, enrollment: { ottca: id } } as const;
      const { enrollment } = await identities.get(await identities.create({ body }));
      return enrollDevice(kit, enrollment.ottca?.jwt ?? '', await issueOne(deviceName.slice(0, 64)));
    },
  };
};

type Authority = Issuer & { readonly certificate: Certificate };

/** Creates an authority, which is self-signed unless it has an issuer. */
const authority = async (name: string, issuer: Authority | undefined, now: number): Promise<Authority> => {
  const { publicKey, holder } = await newKeyPair();
  const profile = {
    subject: [{ CN: [name.slice(0, 64)] }],
    publicKey,
    notBefore: now - DAY,
    notAfter: now + 10 * YEAR,
    keyUsage: KeyUsage.keyCertSign,
    pathLength: issuer ? 0 : 1,
  };
  return { certificate: await issue(profile, issuer ?? { selfSigned: true, holder }, webRandom), holder };
};

const spkiOf = (key: Awaited<ReturnType<typeof newKeyPair>>['publicKey']): Promise<ArrayBuffer> => crypto.subtle.exportKey('spki', key);
