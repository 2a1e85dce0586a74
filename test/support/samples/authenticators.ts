import { type App, PASSWORD } from '../app.ts';
import { aCertificate } from '../certificates.ts';
import { LATER } from '../enrolling.ts';
import { policyBody } from '../policies.ts';
import { aConfirmation, anExtension } from './callers.ts';
import { anIdentity } from './entities.ts';
import { fixed, nothing, read, type SamplesOf } from './sample.ts';

const aPolicy = (app: App) => app.create('/auth-policies', policyBody('strict'));
const anAuthenticator = async (app: App) => (await app.user()).authenticatorId;

export const authPolicies: SamplesOf<'authPolicies'> = {
  upsert: (app) => authPolicies.create(app),
  list: nothing,
  get: fixed('default'),
  create: async () => ({ body: policyBody('strict'), leaves: ['create authPolicy'] }),
  replace: async (app) => ({ id: await aPolicy(app), body: policyBody('lenient'), leaves: ['update authPolicy'] }),
  patch: async (app) => ({
    id: await aPolicy(app),
    body: { primary: { updb: { maxAttempts: 3 } } },
    leaves: ['update authPolicy'],
  }),
  delete: async (app) => ({ id: await aPolicy(app), leaves: ['delete authPolicy'] }),
};

export const authenticators: SamplesOf<'authenticators'> = {
  list: nothing,
  get: read(anAuthenticator),
  create: async (app) => ({
    body: { identityId: await anIdentity(app), method: 'updb', username: 'annie', password: PASSWORD },
    leaves: ['create authenticator'],
  }),
  replace: async (app) => ({
    id: await anAuthenticator(app),
    body: { username: 'annie', password: PASSWORD },
    leaves: ['update authenticator'],
  }),
  patch: async (app) => ({ id: await anAuthenticator(app), body: { username: 'annie' }, leaves: ['update authenticator'] }),
  delete: async (app) => ({ id: await anAuthenticator(app), leaves: ['delete authenticator'] }),
  reEnroll: async (app) => ({
    id: await anAuthenticator(app),
    body: { expiresAt: LATER },
    leaves: ['create enrollment', 'delete authenticator'],
  }),
  requestExtend: async (app) => ({
    id: (await aCertificate(app)).id,
    body: { rollKeys: true },
    leaves: ['update authenticator'],
  }),
  extend: anExtension,
  extendVerify: aConfirmation,
};
