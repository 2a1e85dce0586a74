/** Networks that adopt the authority of another controller, and what their clients see. */
import { createHash, X509Certificate } from 'node:crypto';
import { x509 } from '../../src/crypto/pki/x509.ts';
import {
  ManagementController,
  type NetworkAuthorityOptions,
  networkAuthority,
  newSecretKey,
  rotateAuthority,
  webPlatform,
} from '../../src/index.ts';
import { fastPasswordHasher } from '../../src/runtime/platform/testing.ts';
import { frozenClock, type TestClock } from './clock.ts';
import { adoptedParts } from './old-authority.ts';
import { csr, NOW } from './pki.ts';
import { newSharedStorage } from './stores.ts';

export const settings = { address: 'https://controller.old.example' };
export const DAY = 86_400_000;
export const clockAt = () => frozenClock(new Date(NOW).toISOString());

/** A platform on a clock, and what it logs. */
export const platformOn = (clock: TestClock) => {
  const log: string[] = [];
  const note = (...line: unknown[]) => void log.push(JSON.stringify(line));
  return { platform: webPlatform({ passwords: fastPasswordHasher(), clock, logger: { error: note, warn: note, info: note } }), log };
};

export const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g;
export const subjectsIn = (pem: string) => (pem.match(PEM) ?? []).map((one) => new X509Certificate(one).subject.replace(/^.*CN=/s, ''));
export const isSignedBy = (pem: string, issuer: string) => new X509Certificate(pem).verify(new X509Certificate(issuer).publicKey);
/** SHA-1 of the first certificate: the `kid` of JWTs. */
export const kidOf = (pem: string) => createHash('sha1').update(new X509Certificate(pem).raw).digest('hex');
export const headOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());

/** A device that enrolls: its token, and the certificate that it gets. */
export const enrolled = async ({ api }: ManagementController, name: string) => {
  const { id } = await api.identities.create({ body: { name, type: 'User', isAdmin: false, enrollment: { ott: true } } });
  const { enrollment } = await api.identities.get({ id });
  const { token = '', jwt = '' } = enrollment?.ott ?? {};
  const { cert = '' } = await api.enrolling.ott({ body: { token, clientCsr: (await csr('CN=device')).csr } });
  return { id, jwt, cert };
};

/** A request to the client API, as it comes from a client with a certificate. */
export const post = async ({ handle }: ManagementController, path: string, chain: string, body: unknown = {}, token = '') => {
  const headers: Readonly<Record<string, string>> = { 'content-type': 'application/json', 'zt-session': token };
  const answer = await handle({
    method: 'POST',
    target: `/edge/client/v1${path}`,
    header: (name) => headers[name],
    body: async () => new TextEncoder().encode(JSON.stringify(body)),
    remoteAddress: '127.0.0.1',
    peerCertificates: (chain.match(PEM) ?? []).map((one) => new Uint8Array(new X509Certificate(one).raw)),
  });
  const text = typeof answer.body === 'string' ? answer.body : '';
  return { status: answer.status, data: JSON.parse(text).data };
};
export const login = (controller: ManagementController, chain: string) => post(controller, '/authenticate?method=cert', chain);

/** The certificates that clients are told to trust. */
export const trusted = async ({ api }: ManagementController) => {
  const { body } = await api.trust.authorities();
  const { X509Certificates } = await x509();
  return [...new X509Certificates(Buffer.from(String(body), 'base64'))].map(({ subject }) => subject.replace(/^.*CN=/, ''));
};

/** An adopted network on a store that several share. */
export const opened = async (name: string, former?: NetworkAuthorityOptions['former']) => {
  const [shared, secretKey, clock] = [newSharedStorage(name), newSecretKey(), clockAt()];
  const { platform, log } = platformOn(clock);
  const options = () => ({ storage: shared.adapter(), secretKey, platform });
  await networkAuthority({ ...options(), former: former ?? (await adoptedParts()) });
  return {
    clock,
    log,
    options,
    authority: () => networkAuthority(options()),
    rotate: () => rotateAuthority(options()),
    open: (more: object = {}) => ManagementController.open({ ...options(), settings, ...more }),
    [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
  };
};
