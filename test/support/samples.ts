import { type App, PASSWORD } from './app.ts';
import { policyBody } from './policies.ts';

/** A call of an operation that succeeds. */
export interface Sample {
  readonly id?: string;
  readonly query?: string;
  readonly body?: unknown;
  /** Token; default: the administrator's. */
  readonly as?: string;
  /** The change records that it leaves; default none. */
  readonly leaves?: readonly string[];
}

const person = { name: 'ann', type: 'User', isAdmin: false } as const;
const read =
  (id: (app: App) => Promise<string>) =>
  async (app: App): Promise<Sample> => ({ id: await id(app) });
const nothing = async (): Promise<Sample> => ({});
const fixed = (id: string) => async (): Promise<Sample> => ({ id });

const anIdentity = (app: App) => app.create('/identities', person);
const aPolicy = (app: App) => app.create('/auth-policies', policyBody('strict'));
const aType = (app: App) => app.create('/config-types', { name: 'a type', schema: { type: 'object' } });
const aConfig = async (app: App) => app.create('/configs', { name: 'a config', configTypeId: await aType(app), data: { a: 1 } });
const anAuthenticator = async (app: App) => (await app.user()).authenticatorId;
const aSession = async (app: App) =>
  (await app.request('GET', '/current-api-session', { as: await (await app.user()).login() })).body.data.id;

/** The session and the authenticator of somebody without any right. */
const own = async (app: App) => {
  const user = await app.user();
  return { id: user.authenticatorId, as: await user.login() };
};

/** For every operation of the table, by its name, what is needed to call it. A new operation needs a line here. */
export const samples: Readonly<Record<string, (app: App) => Promise<Sample>>> = {
  listIdentities: async (app) => {
    await app.user({ roleAttributes: ['a'], tags: { a: true }, appData: { b: [1] } });
    return { query: 'filter=true limit none&roleFilter=%23a&roleFilter=%40x&sort=name' };
  },
  detailIdentity: read(anIdentity),
  createIdentity: async () => ({ body: person, leaves: ['create identity'] }),
  updateIdentity: async (app) => ({ id: await anIdentity(app), body: person, leaves: ['update identity'] }),
  patchIdentity: async (app) => ({ id: await anIdentity(app), body: { isAdmin: true }, leaves: ['update identity'] }),
  deleteIdentity: async (app) => ({ id: await anIdentity(app), leaves: ['delete identity'] }),
  disableIdentity: async (app) => ({ id: await anIdentity(app), body: { durationMinutes: 5 }, leaves: ['update identity'] }),
  enableIdentity: async (app) => {
    const id = await anIdentity(app);
    await app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 5 } });
    return { id, leaves: ['update identity'] };
  },
  getIdentityAuthenticators: async (app) => ({ id: (await app.user()).id }),

  listIdentityTypes: nothing,
  detailIdentityType: fixed('Router'),

  listAuthPolicies: nothing,
  detailAuthPolicy: fixed('default'),
  createAuthPolicy: async () => ({ body: policyBody('strict'), leaves: ['create authPolicy'] }),
  updateAuthPolicy: async (app) => ({ id: await aPolicy(app), body: policyBody('lenient'), leaves: ['update authPolicy'] }),
  patchAuthPolicy: async (app) => ({
    id: await aPolicy(app),
    body: { primary: { updb: { maxAttempts: 3 } } },
    leaves: ['update authPolicy'],
  }),
  deleteAuthPolicy: async (app) => ({ id: await aPolicy(app), leaves: ['delete authPolicy'] }),

  listAuthenticators: nothing,
  detailAuthenticator: read(anAuthenticator),
  createAuthenticator: async (app) => ({
    body: { identityId: await anIdentity(app), method: 'updb', username: 'annie', password: PASSWORD },
    leaves: ['create authenticator'],
  }),
  updateAuthenticator: async (app) => ({
    id: await anAuthenticator(app),
    body: { username: 'annie', password: PASSWORD },
    leaves: ['update authenticator'],
  }),
  patchAuthenticator: async (app) => ({ id: await anAuthenticator(app), body: { username: 'annie' }, leaves: ['update authenticator'] }),
  deleteAuthenticator: async (app) => ({ id: await anAuthenticator(app), leaves: ['delete authenticator'] }),

  authenticate: async (app) => {
    const { username } = await app.user();
    const body = { username, password: PASSWORD, configTypes: ['all'], envInfo: { os: 'linux' }, sdkInfo: { version: '1' } };
    return { query: 'method=password', body, leaves: ['update identity', 'create apiSession'] };
  },

  listAPISessions: nothing,
  detailAPISessions: read(aSession),
  deleteAPISessions: async (app) => ({ id: await aSession(app), leaves: ['delete apiSession'] }),
  getCurrentAPISession: async (app) => ({ as: (await own(app)).as }),
  deleteCurrentAPISession: async (app) => ({ as: (await own(app)).as, leaves: ['delete apiSession'] }),

  getCurrentIdentity: async (app) => ({ as: (await own(app)).as }),
  listCurrentIdentityAuthenticators: async (app) => ({ as: (await own(app)).as }),
  detailCurrentIdentityAuthenticator: own,
  updateCurrentIdentityAuthenticator: async (app) => ({
    ...(await own(app)),
    body: { username: 'annie', password: 'another password', currentPassword: PASSWORD },
    leaves: ['update authenticator'],
  }),
  patchCurrentIdentityAuthenticator: async (app) => ({
    ...(await own(app)),
    body: { password: 'another password', currentPassword: PASSWORD },
    leaves: ['update authenticator'],
  }),

  listConfigTypes: async () => ({ query: 'limit=500' }),
  detailConfigType: fixed('g7cIWbcGg'),
  createConfigType: async () => ({ body: { name: 'a type', schema: { type: 'object' } }, leaves: ['create configType'] }),
  updateConfigType: async (app) => ({ id: await aType(app), body: { name: 'a type' }, leaves: ['update configType'] }),
  patchConfigType: async (app) => ({ id: await aType(app), body: { tags: { a: 'b' } }, leaves: ['update configType'] }),
  deleteConfigType: async (app) => ({ id: await aType(app), leaves: ['delete configType'] }),
  listConfigsForConfigType: async (app) => {
    const id = await aType(app);
    await app.create('/configs', { name: 'a config', configTypeId: id, data: {} });
    return { id };
  },

  listConfigs: async (app) => {
    await aConfig(app);
    return {};
  },
  detailConfig: read(aConfig),
  createConfig: async (app) => ({
    body: { name: 'a config', configTypeId: await aType(app), data: { a: [1] } },
    leaves: ['create config'],
  }),
  updateConfig: async (app) => ({ id: await aConfig(app), body: { name: 'a config', data: {} }, leaves: ['update config'] }),
  patchConfig: async (app) => ({ id: await aConfig(app), body: { data: { b: null } }, leaves: ['update config'] }),
  deleteConfig: async (app) => ({ id: await aConfig(app), leaves: ['delete config'] }),

  listIdentityRoleAttributes: async (app) => {
    await app.user({ roleAttributes: ['a', 'b'] });
    return {};
  },

  listRoot: nothing,
  listVersion: nothing,
  listEnumeratedCapabilities: nothing,
  listSpecs: nothing,
  detailSpec: fixed('edge-client'),
  detailSpecBody: fixed('edge-management'),
  getSwagger: nothing,
  getOpenApi: nothing,
  listSummary: nothing,
};

/** Where a parent that is not there has an empty list, as the specification lists no 404 for it. */
export const listsOfUnknownParents: readonly string[] = ['listConfigsForConfigType'];
