import assert from 'node:assert/strict';
import type { ExternalIdClaim } from '../../src/contract/api/cas.ts';
import type { Answer, App } from './app.ts';
import { authority, type Party, type PartyOptions, party, sharedPki } from './pki.ts';

/** DER of a chain, as a client presents it. */
export const chainOf = (...parties: readonly Pick<Party, 'certificate'>[]): readonly Uint8Array[] =>
  parties.map(({ certificate }) => certificate.der);

export const caBody = (name: string, certPem?: string) => ({
  name,
  certPem,
  isAuthEnabled: true,
  isOttCaEnrollmentEnabled: true,
  isAutoCaEnrollmentEnabled: true,
  identityRoles: ['from-ca'],
});

export const COMMON_NAME: ExternalIdClaim = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

/** A claim for an external id in a SPIFFE id. */
export const SPIFFE = { ...COMMON_NAME, location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe' } as const;

export const readCa = async (app: App, id: string) => (await app.request('GET', `/cas/${id}`)).body.data;

/** A certificate authority of somebody else, as the controller knows it. */
export interface TestCa extends Party {
  readonly id: string;
  readonly name: string;
  readonly verificationToken: string;
  /** A client's certificate that it signed. */
  issue(name: string, options?: PartyOptions): Promise<Party>;
  verify(): Promise<Answer>;
}

let serial = 0;

export const aCa = async (
  app: App,
  fields: Readonly<Record<string, unknown>> = {},
  { verified = true, as }: { readonly verified?: boolean; readonly as?: Party } = {},
): Promise<TestCa> => {
  const name = `ca-${++serial}`;
  const own = as ?? (await authority(name));
  const id = await app.create('/cas', { ...caBody(name, own.cert), ...fields });
  const { verificationToken } = (await app.request('GET', `/cas/${id}`)).body.data;
  const issue: TestCa['issue'] = (to, options) => party(to, { by: own, ...options });
  const verify = async () => verifyCa(app, id, (await issue(verificationToken)).cert);
  if (verified) assert.equal((await verify()).status, 200);
  return { ...own, id, name, verificationToken, issue, verify };
};

export const verifyCa = (app: App, id: string, raw: string): Promise<Answer> =>
  app.request('POST', `/cas/${id}/verify`, { raw, headers: { 'content-type': 'text/plain' } });

/** Login by certificate: by the first of what is presented. */
export const certificateLogin = (app: App, ...parties: readonly Pick<Party, 'certificate'>[]): Promise<Answer> =>
  app.request('POST', '/edge/client/v1/authenticate?method=cert', { as: null, body: {}, certificates: chainOf(...parties) });

/** An identity with a certificate that the network issued, and its session. */
export const aCertificate = async (app: App, options: PartyOptions & { readonly identity?: Readonly<Record<string, unknown>> } = {}) => {
  const { signer } = await sharedPki();
  const { identity, ...profile } = options;
  const name = `device-${++serial}`;
  const own = await party(name, { by: signer, ...profile });
  const identityId = await app.create('/identities', { name, type: 'Device', isAdmin: false, ...identity });
  const id = await app.create('/authenticators', { identityId, method: 'cert', certPem: own.cert });
  const { body } = await certificateLogin(app, own, signer);
  return { ...own, id, identityId, as: body.data?.token as string, certificates: chainOf(own, signer) };
};

/** An identity with a certificate that an authority of somebody else issued. */
export const aForeignCertificate = async (app: App, own: Pick<TestCa, 'issue'>, options: PartyOptions = {}) => {
  const name = `device-${++serial}`;
  const mine = await own.issue(name, options);
  const identityId = await app.create('/identities', { name, type: 'Device', isAdmin: false });
  const id = await app.create('/authenticators', { identityId, method: 'cert', certPem: mine.cert });
  return { ...mine, id, identityId };
};
