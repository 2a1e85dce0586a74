import assert from 'node:assert/strict';
import { randomUUID, X509Certificate } from 'node:crypto';
import type { JsonGeneralNames } from '@peculiar/x509';
import type { App } from './app.ts';
import { post } from './enrolling.ts';
import { csr } from './pki.ts';

export type RouterPath = '/edge-routers' | '/routers' | '/transit-routers';

/** A new router, and the token by which it enrolls. */
export const routerToEnroll = async (app: App, path: RouterPath, fields: Readonly<Record<string, unknown>> = {}) => {
  const id = await app.create(path, { name: randomUUID(), ...fields });
  const { enrollmentToken: token, enrollmentJwt: jwt } = (await app.request('GET', `${path}/${id}`)).body.data;
  return { id, token: token as string, jwt: jwt as string };
};

interface Names {
  readonly client?: Readonly<JsonGeneralNames>;
  readonly server?: Readonly<JsonGeneralNames>;
}

/** The two requests of a router, which asks for these names in the one and the other. */
export const requestsOf = async (commonName: string, { client = [], server = [] }: Names = {}) => ({
  certCsr: (await csr([{ CN: [commonName] }], { names: [...client] })).csr,
  serverCertCsr: (await csr('CN=server', { names: [...server] })).csr,
});

export const methodOf = (path: RouterPath) => (path === '/edge-routers' ? 'erott' : 'trott');

export const enrollRouter = (app: App, path: RouterPath, token: string, body: unknown) =>
  post(app, `/enroll?method=${methodOf(path)}&token=${token}`, { body });

/** The certificates of a PEM, leaf first. */
export const certificatesIn = (pem: string): readonly X509Certificate[] =>
  pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n/g)?.map((one) => new X509Certificate(one)) ?? [];

/** As a router presents it in TLS. */
export const presented = (pem: string): readonly Uint8Array[] => certificatesIn(pem).map(({ raw }) => new Uint8Array(raw));

export const fingerprintOf = (pem: string): string | undefined => certificatesIn(pem)[0]?.fingerprint.replaceAll(':', '').toLowerCase();

export const readRouter = async (app: App, id: string, path: RouterPath = '/edge-routers') =>
  (await app.request('GET', `${path}/${id}`)).body.data;

export const patchEdgeRouter = (app: App, id: string, body: object) => app.request('PATCH', `/edge-routers/${id}`, { body });

export const extendRouter = (app: App, certificates: readonly Uint8Array[], body: unknown) =>
  post(app, '/enroll/extend/router', { body, certificates });

/** A router that has enrolled, and what it presents. */
export const aRouterCertificate = async (app: App, path: RouterPath = '/edge-routers', fields: Readonly<Record<string, unknown>> = {}) => {
  const { id, token } = await routerToEnroll(app, path, fields);
  const { status, body, text } = await enrollRouter(app, path, token, await requestsOf(id));
  assert.equal(status, 200, text);
  return { id, cert: body.data.cert as string, certificates: presented(body.data.cert) };
};
