import { type App, PASSWORD } from '../app.ts';
import { enrollMfa } from '../mfa.ts';
import { csr } from '../pki.ts';
import { byUser, own, withMfa } from './callers.ts';
import { aNetwork } from './entities.ts';
import { nothing, read, type SamplesOf } from './sample.ts';

const aSession = async (app: App) =>
  (await app.request('GET', '/current-api-session', { as: await (await app.user()).login() })).body.data.id;

/** A session with a certificate. */
const withCertificate = async (app: App) => {
  const { as } = await own(app);
  const { body } = await app.request('POST', '/edge/client/v1/current-api-session/certificates', {
    as,
    body: { csr: (await csr('CN=ann')).csr },
  });
  return { as, id: body.data.id as string };
};

/** One who may dial a service, and the session to do so. */
const aServiceSession = async (app: App) => {
  const { user, service } = await aNetwork(app);
  const as = await user.login();
  const { body } = await app.request('POST', '/edge/client/v1/sessions', { as, body: { serviceId: service } });
  return { id: body.data.id as string, as };
};

export const authentication: SamplesOf<'authentication'> = {
  authenticate: async (app) => {
    const { username } = await app.user();
    const body = { username, password: PASSWORD, configTypes: ['all'], envInfo: { os: 'linux' }, sdkInfo: { version: '1' } };
    return { query: 'method=password', body, leaves: ['update identity', 'create apiSession'] };
  },
  authenticateMfa: async (app) => {
    const { user, factor } = await withMfa(app, enrollMfa);
    return { as: await user.login(), body: { code: factor.code() }, leaves: ['update mfa', 'update apiSession'] };
  },
};

export const apiSessions: SamplesOf<'apiSessions'> = {
  list: nothing,
  get: read(aSession),
  delete: async (app) => ({ id: await aSession(app), leaves: ['delete apiSession'] }),
};

export const liveApiSessions: SamplesOf<'liveApiSessions'> = {
  list: nothing,
  get: read(aSession),
  delete: async (app) => ({ id: await aSession(app), leaves: ['delete apiSession'] }),
};

export const currentApiSession: SamplesOf<'currentApiSession'> = {
  get: byUser(),
  delete: byUser({ leaves: ['delete apiSession'] }),
  getServiceUpdates: byUser(),
  createTotpToken: byUser({ body: { code: '000000' }, refused: 'INVALID_BACKING_TOKEN_TYPE' }),
};

export const apiSessionCertificates: SamplesOf<'apiSessionCertificates'> = {
  list: async (app) => ({ as: (await withCertificate(app)).as }),
  get: withCertificate,
  create: async (app) => ({
    as: (await own(app)).as,
    body: { csr: (await csr('CN=ann')).csr },
    leaves: ['create apiSessionCertificate'],
  }),
  delete: async (app) => ({ ...(await withCertificate(app)), leaves: ['delete apiSessionCertificate'] }),
};

export const sessions: SamplesOf<'sessions'> = {
  list: aServiceSession,
  get: aServiceSession,
  create: async (app) => {
    const { user, service } = await aNetwork(app);
    return { as: await user.login(), body: { serviceId: service, type: 'Dial', tags: { a: true } }, leaves: ['create session'] };
  },
  delete: async (app) => ({ ...(await aServiceSession(app)), leaves: ['delete session'] }),
  getRoutePath: async (app) => ({ id: (await aServiceSession(app)).id }),
};
