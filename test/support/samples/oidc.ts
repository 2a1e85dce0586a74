import { randomUUID } from 'node:crypto';
import { type App, PASSWORD } from '../app.ts';
import { aCertificate } from '../certificates.ts';
import { beginMfa, enrollMfa } from '../mfa.ts';
import { authorizeFields, begin, byPassword, CLIENT, codeOf, pkce, post, tokensOf } from '../oidc.ts';
import { policyBody } from '../policies.ts';
import { nothing, type PrepareSample, type SamplesOf } from './sample.ts';

const form = (fields: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)).toString();

/** A login whose first step has succeeded. */
const aLogin = async (app: App, enroll?: typeof enrollMfa) => {
  const user = await app.user();
  const factor = enroll && (await enroll(app, await user.login()));
  const login = await begin(app);
  await byPassword(app, login, user.username);
  return { user, login, factor };
};

/** A login that owes TOTP, which its identity has not set up. */
const anOwingLogin = async (app: App) => {
  const authPolicyId = await app.create('/auth-policies', policyBody(`owing-${randomUUID()}`, { secondary: { requireTotp: true } }));
  const { username } = await app.user({ authPolicyId });
  const login = await begin(app);
  await byPassword(app, login, username);
  return { id: login.id };
};

const aToken = async (app: App) => (await tokensOf(app, (await app.user()).username)).access_token;
const authorized: PrepareSample = async () => ({ query: form(authorizeFields(pkce().challenge)) });
const asking: PrepareSample = async (app) => ({ body: form({ client_id: CLIENT, token: await aToken(app) }) });
const page: PrepareSample = async (app) => ({ query: form({ authRequestID: (await begin(app)).id }) });
const byName: PrepareSample = async (app) => ({
  body: { id: (await begin(app)).id, username: (await app.user()).username, password: PASSWORD },
  leaves: ['create apiSession'],
});

export const revocations: SamplesOf<'revocations'> = {
  list: async (app) => {
    await app.create('/revocations', { id: randomUUID(), type: 'JTI' });
    return {};
  },
  get: async (app) => ({ id: await app.create('/revocations', { id: randomUUID(), type: 'API_SESSION' }) }),
  create: async () => ({ body: { id: randomUUID(), type: 'JTI', tags: { a: true } }, leaves: ['create revocation'] }),
};

export const oidc: SamplesOf<'oidc'> = {
  discover: nothing,
  listKeys: nothing,
  authorize: authorized,
  authorizeByForm: async () => ({ body: form(authorizeFields(pkce().challenge)) }),
  callback: async (app) => ({ query: form({ id: (await aLogin(app)).login.id }) }),
  token: async (app) => {
    const { login } = await aLogin(app);
    const { client_id, redirect_uri } = login.fields;
    const code = await codeOf(app, login);
    return {
      body: form({ grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: login.verifier }),
      leaves: ['update apiSession'],
    };
  },
  getUserinfo: async () => ({ refused: 'UNAUTHORIZED' }),
  postUserinfo: async () => ({ refused: 'UNAUTHORIZED' }),
  introspect: async (app) => ({ ...(await asking(app)), refused: 'INVALID_CLIENT' }),
  revoke: async (app) => ({ ...(await asking(app)), leaves: ['update apiSession', 'create revocation'] }),
  revokeAlias: async (app) => ({ ...(await asking(app)), leaves: ['update apiSession', 'create revocation'] }),
  endSession: nothing,
  endSessionByForm: nothing,
  loggedOut: nothing,
  getHealth: nothing,
  getReady: nothing,
};

export const oidcLogin: SamplesOf<'oidcLogin'> = {
  usernamePage: page,
  passwordPage: page,
  certPage: page,
  extJwtPage: page,
  byUsername: byName,
  byPassword: byName,
  byCert: async (app) => {
    const { certificates } = await aCertificate(app);
    return { certificates, body: { id: (await begin(app)).id }, leaves: ['create apiSession'] };
  },
  byExtJwt: async (app) => ({ body: { id: (await begin(app)).id }, refused: 'INVALID_AUTH' }),
  totp: async (app) => {
    const { login, factor } = await aLogin(app, enrollMfa);
    return { body: { id: login.id, code: factor?.code() }, leaves: ['update mfa', 'update apiSession'] };
  },
  enrollTotp: async (app) => ({ body: await anOwingLogin(app), leaves: ['create mfa'] }),
  removeTotp: async (app) => {
    const body = await anOwingLogin(app);
    await post(app, '/login/totp/enroll', body);
    return { body, leaves: ['delete mfa'] };
  },
  verifyTotp: async (app) => {
    const { login, factor } = await aLogin(app, beginMfa);
    return { body: { id: login.id, code: factor?.code() }, leaves: ['update mfa', 'update apiSession'] };
  },
  listAuthQueries: async (app) => ({ query: form({ id: (await aLogin(app)).login.id }) }),
};
