import { PASSWORD } from '../app.ts';
import { beginMfa, enrollMfa } from '../mfa.ts';
import { aRouterCertificate } from '../routers.ts';
import { aConfirmation, anExtension, byUser, own, withMfa } from './callers.ts';
import { aNetwork } from './entities.ts';
import type { SamplesOf } from './sample.ts';

export const currentIdentity: SamplesOf<'currentIdentity'> = {
  get: byUser(),
  listEdgeRouters: async (app) => {
    const { user } = await aNetwork(app);
    await aRouterCertificate(app, '/edge-routers', { roleAttributes: ['a'] });
    return { as: await user.login() };
  },
  listAuthenticators: byUser(),
  getAuthenticator: own,
  replaceAuthenticator: async (app) => ({
    ...(await own(app)),
    body: { username: 'annie', password: 'another password', currentPassword: PASSWORD },
    leaves: ['update authenticator'],
  }),
  patchAuthenticator: async (app) => ({
    ...(await own(app)),
    body: { password: 'another password', currentPassword: PASSWORD },
    leaves: ['update authenticator'],
  }),
  extendAuthenticator: anExtension,
  extendVerifyAuthenticator: aConfirmation,
};

export const currentMfa: SamplesOf<'currentMfa'> = {
  enroll: byUser({ leaves: ['create mfa'] }),
  get: async (app) => ({ as: (await withMfa(app, beginMfa)).as }),
  getQrCode: async (app) => ({ as: (await withMfa(app, beginMfa)).as }),
  verify: async (app) => {
    const { as, factor } = await withMfa(app, beginMfa);
    return { as, body: { code: factor.code() }, leaves: ['update mfa', 'update apiSession'] };
  },
  delete: async (app) => {
    const { as, factor } = await withMfa(app, enrollMfa);
    return { as, body: { code: factor.code() }, leaves: ['update apiSession', 'delete mfa'] };
  },
  getRecoveryCodes: async (app) => {
    const { as, factor } = await withMfa(app, enrollMfa);
    return { as, body: { code: factor.code() } };
  },
  replaceRecoveryCodes: async (app) => {
    const { as, factor } = await withMfa(app, enrollMfa);
    return { as, body: { code: factor.code() }, leaves: ['update mfa'] };
  },
};

export const ownAccount: SamplesOf<'ownAccount'> = {
  getPasswordRules: byUser(),
  listSessions: byUser(),
  endSession: async (app) => {
    const user = await app.user();
    const as = await user.login();
    const { id } = (await app.request('GET', '/current-api-session', { as: await user.login() })).body.data;
    return { id, as, leaves: ['delete apiSession'] };
  },
  endOtherSessions: async (app) => {
    const user = await app.user();
    await user.login();
    return { as: await user.login(), leaves: ['delete apiSession'] };
  },
};
