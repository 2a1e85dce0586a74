import { issuedCertificate, newCsr, type TestCertificate } from './certificates.ts';
import { readEnrollmentJwt } from './enrollment-jwt.ts';
import type { TestIdentity } from './identities.ts';
import type { Kit, TestFetch } from './kit.ts';

/** An identity with a client certificate. */
export interface TestDevice extends TestIdentity {
  /** Its current certificate. */
  readonly certificate: TestCertificate;
  /**
   * Requests that present the certificate, over HTTP messages without a socket.
   *
   * ```ts
   * const client = createClient({ baseUrl: controller.settings.address, credentials: { certificate: true }, fetch: device.fetch });
   * ```
   */
  readonly fetch: TestFetch;
  /** Replaces a certificate that the network issued by a new one with a new key, as a device does before the old one expires. */
  renew(): Promise<void>;
}

/** A new identity, enrolled with a one-time token. */
export const newDevice = async (kit: Kit, name: string, roleAttributes: readonly string[]): Promise<TestDevice> => {
  const { identities } = kit.controller.api;
  const { id } = await identities.create({
    body: { name, type: 'Device', isAdmin: false, roleAttributes, enrollment: { ott: true } },
  });
  return enrollDevice(kit, (await identities.get({ id })).enrollment.ott?.jwt ?? '');
};

/** Does what a device does with a JWT: it makes a key, and sends a request for a certificate, or presents the one that it has. */
export const enrollDevice = async (kit: Kit, jwt: string, own?: TestCertificate): Promise<TestDevice> => {
  const { sub, jti: token, em: method } = readEnrollmentJwt(kit, jwt, own ? ['ottca', 'ca'] : ['ott']);
  if (!own) {
    const { csr, key } = await newCsr(sub);
    const { cert = '' } = await kit.client().enrolling.ott({ body: { token, clientCsr: csr } });
    return device(kit, sub, await issuedCertificate(cert, key));
  }
  const { enrolling } = kit.client({ certificates: () => own.certificates });
  if (method === 'ottca') {
    await enrolling.ottca({ body: { token } });
    return device(kit, sub, own);
  }
  await enrolling.ca({ body: {} });
  return device(kit, await identityOf(kit, own), own);
};

const logIn = ({ client }: Kit, certificates: () => readonly Uint8Array[]) =>
  client({ certificates }).authentication.authenticate({ method: 'cert', body: {} });

/** Id of the identity that a certificate logs in. */
const identityOf = async (kit: Kit, { certificates }: TestCertificate): Promise<string> => {
  const { token, identityId } = await logIn(kit, () => certificates);
  await kit.controller.as(token).currentApiSession.delete();
  return identityId;
};

const device = async (kit: Kit, id: string, enrolled: TestCertificate): Promise<TestDevice> => {
  const { name } = await kit.controller.api.identities.get({ id });
  let certificate = enrolled;
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
