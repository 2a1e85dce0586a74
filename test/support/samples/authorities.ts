import type { App } from '../app.ts';
import { aCa, COMMON_NAME, caBody } from '../certificates.ts';
import { authority, party } from '../pki.ts';
import { listed, read, type SamplesOf } from './sample.ts';

const signerBody = async () => ({
  name: 'a signer',
  issuer: 'https://issuer.example',
  audience: 'us',
  enabled: true,
  certPem: (await party('a signer')).cert,
});
const aSigner = async (app: App) => app.create('/external-jwt-signers', { ...(await signerBody()), scopes: ['openid'], tags: { a: true } });

export const cas: SamplesOf<'cas'> = {
  list: listed((app) => aCa(app, { tags: { a: true } })),
  get: read(async (app) => (await aCa(app, { externalIdClaim: COMMON_NAME })).id),
  create: async () => ({ body: caBody('a CA', (await authority('a CA')).cert), leaves: ['create ca'] }),
  replace: async (app) => ({
    id: (await aCa(app)).id,
    body: { ...caBody('another name'), identityNameFormat: '[commonName]' },
    leaves: ['update ca'],
  }),
  patch: async (app) => ({ id: (await aCa(app)).id, body: { isAuthEnabled: false }, leaves: ['update ca'] }),
  delete: async (app) => ({ id: (await aCa(app)).id, leaves: ['delete ca'] }),
  verify: async (app) => {
    const own = await aCa(app, {}, { verified: false });
    return { id: own.id, body: (await own.issue(own.verificationToken)).cert, leaves: ['update ca'] };
  },
  getJwt: read(async (app) => (await aCa(app)).id),
};

export const externalJwtSigners: SamplesOf<'externalJwtSigners'> = {
  list: listed(aSigner),
  get: read(aSigner),
  create: async () => ({ body: await signerBody(), leaves: ['create externalJwtSigner'] }),
  replace: async (app) => ({ id: await aSigner(app), body: await signerBody(), leaves: ['update externalJwtSigner'] }),
  patch: async (app) => ({ id: await aSigner(app), body: { enabled: false }, leaves: ['update externalJwtSigner'] }),
  delete: async (app) => ({ id: await aSigner(app), leaves: ['delete externalJwtSigner'] }),
  checkToken: async (app) => {
    await aSigner(app);
    return { body: { token: 'no token of a provider' } };
  },
  discover: async () => ({ body: { issuer: 'http://127.0.0.1:9' } }),
};

export const publicExternalJwtSigners: SamplesOf<'publicExternalJwtSigners'> = {
  list: listed(aSigner),
};
