import { issuedCertificate, newCsr, type TestCertificate } from './certificates.ts';
import { readEnrollmentJwt } from './enrollment-jwt.ts';
import type { TestIdentity } from './identities.ts';
import type { Kit, TestFetch } from './kit.ts';

/** An identity with a client certificate. */
export interface TestDevice extends TestIdentity {
  /** The current certificate of the device. */
  readonly certificate: TestCertificate;
  /**
   * Sends requests that present the certificate, as HTTP messages without a socket.
   *
   * ```ts
   * const client = createClient({ baseUrl: controller.settings.address, credentials: { certificate: true }, fetch: device.fetch });
   * ```
   */
  readonly fetch: TestFetch;
  /**
   * Replaces the certificate with one for a new key, as devices do before the old one expires. The network must have issued the old one.
   */
  renew(): Promise<void>;
}

/** Creates an identity, and enrolls it with a one-time token. */
export const newDevice = async (kit: Kit, name: string, roleAttributes: readonly string[]): Promise<TestDevice> => {
  const { identities } = kit.controller.api;
  const { id } = await identities.create({
    body: { name, type: 'Device', isAdmin: false, roleAttributes, enrollment: { ott: true } },
  });
  return enrollDevice(kit, (await identities.get({ id })).enrollment.ott?.jwt ?? '');
};

/** Enrolls a device with a JWT. It presents its own certificate if it has one, and otherwise requests one for a new key. */
export const enrollDevice = async (kit: Kit, jwt: string, ownCertificate?: TestCertificate): Promise<TestDevice> => {
  const { sub, jti: token, em: method } = readEnrollmentJwt(kit, jwt, ownCertificate ? ['ottca', 'ca'] : ['ott']);
  if (!ownCertificate) {
    const { csr, key } = await newCsr(sub);
    const { cert = '' } = await kit.client().enrolling.ott({ body: { token, clientCsr: csr } });
    return device(kit, sub, await issuedCertificate(cert, key));
  }
  const { enrolling } = kit.client({ certificates: () => ownCertificate.certificates });
  if (method === 'ottca') {
    await enrolling.ottca({ body: { token } });
    return device(kit, sub, ownCertificate);
  }
  await enrolling.ca({ body: {} });
  return device(kit, await identityOf(kit, ownCertificate), ownCertificate);
};

const logIn = ({ client }: Kit, certificates: () => readonly Uint8Array[]) =>
  client({ certificates }).authentication.authenticate({ method: 'cert', body: {} });

/** Id of the identity that logs in with a certificate. */
const identityOf = async (kit: Kit, { certificates }: TestCertificate): Promise<string> => {
  const { token, identityId } = await logIn(kit, () => certificates);
  await kit.controller.as(token).currentApiSession.delete();
  return identityId;
};

const device = async (kit: Kit, id: string, initialCertificate: TestCertificate): Promise<TestDevice> => {
  const { name } = await kit.controller.api.identities.get({ id });
  let certificate = initialCertificate;
  const certificates = () => certificate.certificates;
  return {
    id,
    name,
    get certificate() {
      return certificate;
    },
    fetch: kit.fetch({ certificates }),
    login: async () => kit.session(await logIn(kit, certificates)),
    renew: async () => {
      const login = await logIn(kit, certificates);
      const { token, authenticatorId } = login;
      if (login.isMfaRequired && !login.isMfaComplete) await kit.session(login).passCode();
      const { currentIdentity, currentApiSession } = kit.client({ certificates, credentials: { session: token } });
      const { csr, key } = await newCsr(id);
      const { clientCert } = await currentIdentity.extendAuthenticator({ id: authenticatorId, body: { clientCertCsr: csr } });
      const renewed = await issuedCertificate(clientCert, key);
      await currentIdentity.extendVerifyAuthenticator({ id: authenticatorId, body: { clientCert: renewed.chain } });
      await currentApiSession.delete();
      certificate = renewed;
    },
  };
};
