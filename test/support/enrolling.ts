import { randomUUID } from 'node:crypto';
import { type App, PASSWORD } from './app.ts';
import { csr } from './pki.ts';

/** As long as an enrollment that nobody says anything of lasts, and a little more. */
export const LATER = '2026-11-21T13:30:00.000Z';

export interface Outstanding {
  readonly id: string;
  readonly token: string;
  readonly jwt: string;
  readonly expiresAt: string;
}

/** A new identity with an enrollment. */
export const toEnroll = async (
  app: App,
  request: Readonly<Record<string, unknown>> = { ott: true },
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly identityId: string; readonly enrollment: Outstanding }> => {
  const identityId = await app.create('/identities', {
    name: randomUUID(),
    type: 'Device',
    isAdmin: false,
    enrollment: request,
    ...fields,
  });
  const [method = ''] = Object.keys(request);
  const { data } = (await app.request('GET', `/identities/${identityId}`)).body;
  return { identityId, enrollment: data.enrollment[method] };
};

export const readEnrollment = async (app: App, id: string) => (await app.request('GET', `/enrollments/${id}`)).body.data;

/** The outstanding enrollments of an identity by their methods, as the identity shows them. */
export const enrollmentsOf = async (app: App, identityId: string) =>
  (await app.request('GET', `/identities/${identityId}`)).body.data.enrollment;

const C = '/edge/client/v1';

/** `POST` to a path of enrollment, as a client without a session. */
export const post = (app: App, path: string, options: Parameters<App['request']>[2] = {}) =>
  app.request('POST', `${C}${path}`, { as: null, ...options });

/** Sends a certificate request as it is. */
export const sendCsr = (app: App, token: string, raw: string, contentType = 'application/x-pem-file') =>
  post(app, `/enroll?method=ott&token=${token}`, { raw, headers: { 'content-type': contentType } });

/** A device that has enrolled: its identity, its certificates and its key. */
export const enrolled = async (app: App, fields: Readonly<Record<string, unknown>> = {}) => {
  const { identityId, enrollment } = await toEnroll(app, { ott: true }, fields);
  const { csr: request, key } = await csr('CN=a device');
  const { cert } = (await sendCsr(app, enrollment.token, request)).body.data;
  const { cert: own } = (await app.request('GET', `/identities/${identityId}`)).body.data.authenticators;
  return { identityId, cert: cert as string, key, authenticatorId: own.id as string, fingerprint: own.fingerprint as string };
};

export const setPassword = (app: App, token: string, password = PASSWORD) =>
  post(app, `/enroll?method=updb&token=${token}`, { body: { username: 'of no effect', password } });
