/** Sessions of those who call, and what they hold. */
import type { App } from '../app.ts';
import { aCertificate } from '../certificates.ts';
import type { enrollMfa } from '../mfa.ts';
import { csr } from '../pki.ts';
import type { PrepareSample, Sample } from './sample.ts';

/** The session and the authenticator of an identity without any right. */
export const own = async (app: App) => {
  const user = await app.user();
  return { id: user.authenticatorId, as: await user.login() };
};

/** A call by an identity without any right. */
export const byUser =
  (call: Omit<Sample, 'as'> = {}): PrepareSample =>
  async (app) => ({ as: (await own(app)).as, ...call });

/** The session of an identity that began to enroll in MFA, or is enrolled. */
export const withMfa = async (app: App, how: typeof enrollMfa) => {
  const user = await app.user();
  const as = await user.login();
  return { user, as, factor: await how(app, as) };
};

/** An identity asks for another certificate. */
export const anExtension: PrepareSample = async (app) => {
  const own = await aCertificate(app);
  return { ...own, body: { clientCertCsr: (await csr('CN=ann')).csr }, leaves: ['update authenticator'] };
};

/** An identity confirms the certificate that it was given. */
export const aConfirmation: PrepareSample = async (app) => {
  const { id, as, certificates } = await aCertificate(app);
  const clientCertCsr = (await csr('CN=ann')).csr;
  const { body } = await app.request('POST', `/authenticators/${id}/extend`, { as, certificates, body: { clientCertCsr } });
  return { id, as, body: { clientCert: body.data.clientCert }, leaves: ['update authenticator'] };
};
