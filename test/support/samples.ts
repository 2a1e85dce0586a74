import type { Operation } from '../../src/api/kit/operation.ts';
import { surfaces } from '../../src/api/surfaces/index.ts';
import { type App, PASSWORD } from './app.ts';
import { aCa, aCertificate, COMMON_NAME, caBody, chainOf } from './certificates.ts';
import { LATER, toEnroll } from './enrolling.ts';
import { beginMfa, enrollMfa } from './mfa.ts';
import { authority, csr, party } from './pki.ts';
import { policyBody } from './policies.ts';
import { aRouterCertificate, requestsOf, routerToEnroll } from './routers.ts';

/** A call of an operation that succeeds. */
export interface Sample {
  readonly id?: string;
  /** A second parameter of the path. */
  readonly other?: string;
  readonly query?: string;
  /** Text is sent as it is, in the first media type that the operation takes. */
  readonly body?: unknown;
  /** DER of what the client presents in TLS. */
  readonly certificates?: readonly Uint8Array[];
  /** Token; default: the administrator's. */
  readonly as?: string;
  /** The change records that it leaves; default none. */
  readonly leaves?: readonly string[];
  /** The code with which it is refused to whoever is there in this version; such an operation has no success to show. */
  readonly refused?: string;
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
const signerBody = async () => ({
  name: 'a signer',
  issuer: 'https://issuer.example',
  audience: 'us',
  enabled: true,
  certPem: (await party('a signer')).cert,
});
const aSigner = async (app: App) => app.create('/external-jwt-signers', { ...(await signerBody()), scopes: ['openid'], tags: { a: true } });
const anAuthenticator = async (app: App) => (await app.user()).authenticatorId;
const aSession = async (app: App) =>
  (await app.request('GET', '/current-api-session', { as: await (await app.user()).login() })).body.data.id;

/** The session and the authenticator of somebody without any right. */
const own = async (app: App) => {
  const user = await app.user();
  return { id: user.authenticatorId, as: await user.login() };
};

/** The session of somebody who began to enroll in MFA, or is enrolled. */
const withMfa = async (app: App, how: typeof enrollMfa) => {
  const user = await app.user();
  const as = await user.login();
  return { user, as, factor: await how(app, as) };
};

const anExtension = async (app: App): Promise<Sample> => {
  const own = await aCertificate(app);
  return { ...own, body: { clientCertCsr: (await csr('CN=ann')).csr }, leaves: ['update authenticator'] };
};
const aConfirmation = async (app: App): Promise<Sample> => {
  const { id, as, certificates } = await aCertificate(app);
  const clientCertCsr = (await csr('CN=ann')).csr;
  const { body } = await app.request('POST', `/authenticators/${id}/extend`, { as, certificates, body: { clientCertCsr } });
  return { id, as, body: { clientCert: body.data.clientCert }, leaves: ['update authenticator'] };
};

/** A session with a certificate. */
const withCertificate = async (app: App) => {
  const { as } = await own(app);
  const { body } = await app.request('POST', '/edge/client/v1/current-api-session/certificates', {
    as,
    body: { csr: (await csr('CN=ann')).csr },
  });
  return { as, id: body.data.id as string };
};

const nobody = { semantic: 'AnyOf', identityRoles: ['#a'], serviceRoles: ['#a'] } as const;
const aService = (app: App) => app.create('/services', { name: 'a service', encryptionRequired: true, roleAttributes: ['a'] });
const aServicePolicy = (app: App) => app.create('/service-policies', { name: 'a policy', type: 'Dial', ...nobody });
const aRouterPolicy = (app: App) =>
  app.create('/edge-router-policies', { name: 'a policy', semantic: 'AllOf', identityRoles: ['#a'], edgeRouterRoles: ['#a'] });
const aServiceRouterPolicy = (app: App) =>
  app.create('/service-edge-router-policies', { name: 'a policy', semantic: 'AllOf', serviceRoles: ['#a'], edgeRouterRoles: ['#a'] });
const aCheck = (app: App) =>
  app.create('/posture-checks', { name: 'a check', typeId: 'DOMAIN', domains: ['a.test'], roleAttributes: ['a'] });
const told = { typeId: 'DOMAIN', id: 'x', domain: 'a.test' } as const;

const anEdgeRouter = (app: App) => app.create('/edge-routers', { name: 'an edge router', roleAttributes: ['a'] });
const aRouter = (app: App) => app.create('/routers', { name: 'a router' });
const aTerminator = async (app: App) =>
  app.create('/terminators', { service: await aService(app), router: await aRouter(app), binding: 'edge', address: 'x' });

/** An identity, a service and an edge router that policies join. */
const aNetwork = async (app: App) => {
  const user = await app.user({ roleAttributes: ['a'] });
  const service = await aService(app);
  const router = await anEdgeRouter(app);
  const policy = await aServicePolicy(app);
  const routerPolicy = await aRouterPolicy(app);
  const serviceRouterPolicy = await aServiceRouterPolicy(app);
  return { user, service, router, policy, routerPolicy, serviceRouterPolicy };
};
const inNetwork = (which: Exclude<keyof Awaited<ReturnType<typeof aNetwork>>, 'user'> | 'identity', query?: string) => async (app: App) => {
  const network = await aNetwork(app);
  return { id: which === 'identity' ? network.user.id : network[which], ...(query === undefined ? {} : { query }) };
};
const asClient = async (app: App): Promise<Sample> => {
  const { user, service } = await aNetwork(app);
  return { id: service, as: await user.login() };
};

/** One who may dial a service, and the session to do so. */
const aServiceSession = async (app: App) => {
  const { user, service } = await aNetwork(app);
  const as = await user.login();
  const { body } = await app.request('POST', '/edge/client/v1/sessions', { as, body: { serviceId: service } });
  return { id: body.data.id as string, as };
};

/** An identity, and a service with a config of its own. */
const withServiceConfig = async (app: App) => {
  const [id, serviceId, configId] = [await anIdentity(app), await aService(app), await aConfig(app)];
  return { id, body: [{ serviceId, configId }] };
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
  removeIdentityMfa: async (app) => {
    const { user } = await withMfa(app, enrollMfa);
    return { id: user.id, leaves: ['update apiSession', 'delete mfa'] };
  },
  getIdentityFailedServiceRequests: async (app) => {
    const { user, service, policy } = await aNetwork(app);
    await aCheck(app);
    await app.request('PATCH', `/service-policies/${policy}`, { body: { postureCheckRoles: ['#a'] } });
    await app.request('POST', '/edge/client/v1/sessions', { as: await user.login(), body: { serviceId: service } });
    return { id: user.id };
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

  requestExtendAuthenticator: async (app) => ({
    id: (await aCertificate(app)).id,
    body: { rollKeys: true },
    leaves: ['update authenticator'],
  }),
  extendAuthenticator: anExtension,
  extendVerifyAuthenticator: aConfirmation,
  extendCurrentIdentityAuthenticator: anExtension,
  extendVerifyCurrentIdentityAuthenticator: aConfirmation,

  listCas: async (app) => {
    await aCa(app, { tags: { a: true } });
    return {};
  },
  detailCa: read(async (app) => (await aCa(app, { externalIdClaim: COMMON_NAME })).id),
  createCa: async () => ({ body: caBody('a CA', (await authority('a CA')).cert), leaves: ['create ca'] }),
  updateCa: async (app) => ({
    id: (await aCa(app)).id,
    body: { ...caBody('another name'), identityNameFormat: '[commonName]' },
    leaves: ['update ca'],
  }),
  patchCa: async (app) => ({ id: (await aCa(app)).id, body: { isAuthEnabled: false }, leaves: ['update ca'] }),
  deleteCa: async (app) => ({ id: (await aCa(app)).id, leaves: ['delete ca'] }),
  verifyCa: async (app) => {
    const own = await aCa(app, {}, { verified: false });
    return { id: own.id, body: (await own.issue(own.verificationToken)).cert, leaves: ['update ca'] };
  },
  getCaJwt: read(async (app) => (await aCa(app)).id),
  listExternalJwtSigners: read(aSigner),
  detailExternalJwtSigner: read(aSigner),
  createExternalJwtSigner: async () => ({ body: await signerBody(), leaves: ['create externalJwtSigner'] }),
  updateExternalJwtSigner: async (app) => ({ id: await aSigner(app), body: await signerBody(), leaves: ['update externalJwtSigner'] }),
  patchExternalJwtSigner: async (app) => ({ id: await aSigner(app), body: { enabled: false }, leaves: ['update externalJwtSigner'] }),
  deleteExternalJwtSigner: async (app) => ({ id: await aSigner(app), leaves: ['delete externalJwtSigner'] }),
  'client listExternalJwtSigners': async (app) => {
    await aSigner(app);
    return {};
  },
  reEnrollAuthenticator: async (app) => ({
    id: await anAuthenticator(app),
    body: { expiresAt: LATER },
    leaves: ['create enrollment', 'delete authenticator'],
  }),

  listEnrollments: async (app) => {
    await toEnroll(app);
    return {};
  },
  detailEnrollment: read(async (app) => (await toEnroll(app)).enrollment.id),
  createEnrollment: async (app) => ({
    body: { identityId: await anIdentity(app), method: 'ott', expiresAt: LATER },
    leaves: ['create enrollment'],
  }),
  deleteEnrollment: async (app) => ({ id: (await toEnroll(app)).enrollment.id, leaves: ['delete enrollment'] }),
  refreshEnrollment: async (app) => ({
    id: (await toEnroll(app)).enrollment.id,
    body: { expiresAt: LATER },
    leaves: ['update enrollment'],
  }),
  getIdentityEnrollments: read(async (app) => (await toEnroll(app)).identityId),
  enroll: async (app) => ({
    query: `method=ott&token=${(await toEnroll(app)).enrollment.token}`,
    body: { clientCsr: (await csr('CN=ann')).csr },
    leaves: ['create authenticator', 'delete enrollment'],
  }),
  enrollOtt: async (app) => ({
    body: { token: (await toEnroll(app)).enrollment.token, clientCsr: (await csr('CN=ann')).csr },
    leaves: ['create authenticator', 'delete enrollment'],
  }),
  enrollOttCa: async (app) => {
    const own = await aCa(app);
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    return {
      body: { token: enrollment.token },
      certificates: chainOf(await own.issue('ann')),
      leaves: ['create authenticator', 'delete enrollment'],
    };
  },
  enrollErOtt: async (app) => {
    const { id, token } = await routerToEnroll(app, '/edge-routers');
    const { certCsr, serverCertCsr } = await requestsOf(id);
    return { body: { token, clientCsr: certCsr, serverCsr: serverCertCsr }, leaves: ['update edgeRouter', 'delete enrollment'] };
  },
  enrollTrOtt: async (app) => {
    const { id, token } = await routerToEnroll(app, '/routers');
    const { certCsr, serverCertCsr } = await requestsOf(id);
    return { body: { token, clientCsr: certCsr, serverCsr: serverCertCsr }, leaves: ['update router', 'delete enrollment'] };
  },
  extendRouterEnrollment: async (app) => {
    const { id, certificates } = await aRouterCertificate(app);
    return { body: await requestsOf(id), certificates, leaves: ['update edgeRouter'] };
  },
  enrollCa: async (app) => ({
    body: { name: 'ann' },
    certificates: chainOf(await (await aCa(app)).issue('ann')),
    leaves: ['create identity', 'create authenticator'],
  }),
  enrollUpdb: async (app) => ({
    query: `token=${(await toEnroll(app, { updb: 'annie' })).enrollment.token}`,
    body: { username: 'annie', password: PASSWORD },
    leaves: ['create authenticator', 'delete enrollment'],
  }),

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

  enrollMfa: async (app) => ({ as: (await own(app)).as, leaves: ['create mfa'] }),
  detailMfa: async (app) => ({ as: (await withMfa(app, beginMfa)).as }),
  detailMfaQrCode: async (app) => ({ as: (await withMfa(app, beginMfa)).as }),
  verifyMfa: async (app) => {
    const { as, factor } = await withMfa(app, beginMfa);
    return { as, body: { code: factor.code() }, leaves: ['update mfa', 'update apiSession'] };
  },
  deleteMfa: async (app) => {
    const { as, factor } = await withMfa(app, enrollMfa);
    return { as, body: { code: factor.code() }, leaves: ['update apiSession', 'delete mfa'] };
  },
  detailMfaRecoveryCodes: async (app) => {
    const { as, factor } = await withMfa(app, enrollMfa);
    return { as, body: { code: factor.code() } };
  },
  createMfaRecoveryCodes: async (app) => {
    const { as, factor } = await withMfa(app, enrollMfa);
    return { as, body: { code: factor.code() }, leaves: ['update mfa'] };
  },
  authenticateMfa: async (app) => {
    const { user, factor } = await withMfa(app, enrollMfa);
    return { as: await user.login(), body: { code: factor.code() }, leaves: ['update mfa', 'update apiSession'] };
  },
  listServiceUpdates: async (app) => ({ as: (await own(app)).as }),
  createTotpToken: async (app) => ({ as: (await own(app)).as, body: { code: '000000' }, refused: 'INVALID_BACKING_TOKEN_TYPE' }),

  listServices: async (app) => {
    const { user } = await aNetwork(app);
    return { query: `asIdentity=${user.id}&configTypes=all&sort=name` };
  },
  detailService: read(aService),
  createService: async () => ({ body: { name: 'a service', encryptionRequired: false }, leaves: ['create service'] }),
  updateService: async (app) => ({ id: await aService(app), body: { name: 'a service' }, leaves: ['update service'] }),
  patchService: async (app) => ({ id: await aService(app), body: { maxIdleTimeMillis: 5 }, leaves: ['update service'] }),
  deleteService: async (app) => ({ id: await aService(app), leaves: ['delete service'] }),
  listServiceConfig: async (app) => ({
    id: await app.create('/services', { name: 'a service', encryptionRequired: true, configs: [await aConfig(app)] }),
  }),
  listServiceEdgeRouters: inNetwork('service'),
  listServiceIdentities: inNetwork('service', 'policyType=dial'),
  listServiceServicePolicies: inNetwork('service'),
  listServiceServiceEdgeRouterPolicies: inNetwork('service'),
  listServiceTerminators: async (app) => {
    const id = await aService(app);
    await app.create('/terminators', { service: id, router: await aRouter(app), binding: 'edge', address: 'x' });
    return { id };
  },

  'client listServices': asClient,
  'client detailService': asClient,
  'client listServiceTerminators': async (app) => {
    const { user, service, router } = await aNetwork(app);
    await app.create('/terminators', { service, router, binding: 'edge', address: 'x', identity: 'i' });
    return { id: service, as: await user.login() };
  },
  'client listServiceEdgeRouters': asClient,
  getCurrentIdentityEdgeRouters: async (app) => {
    const { user } = await aNetwork(app);
    await aRouterCertificate(app, '/edge-routers', { roleAttributes: ['a'] });
    return { as: await user.login() };
  },

  listSessions: aServiceSession,
  detailSession: aServiceSession,
  createSession: async (app) => {
    const { user, service } = await aNetwork(app);
    return { as: await user.login(), body: { serviceId: service, type: 'Dial', tags: { a: true } }, leaves: ['create session'] };
  },
  deleteSession: async (app) => ({ ...(await aServiceSession(app)), leaves: ['delete session'] }),
  detailSessionRoutePath: async (app) => ({ id: (await aServiceSession(app)).id }),

  listServicePolicies: read(aServicePolicy),
  detailServicePolicy: read(aServicePolicy),
  createServicePolicy: async () => ({ body: { name: 'a policy', type: 'Bind', ...nobody }, leaves: ['create servicePolicy'] }),
  updateServicePolicy: async (app) => ({
    id: await aServicePolicy(app),
    body: { name: 'a policy', type: 'Bind', semantic: 'AllOf' },
    leaves: ['update servicePolicy'],
  }),
  patchServicePolicy: async (app) => ({
    id: await aServicePolicy(app),
    body: { identityRoles: ['#all'] },
    leaves: ['update servicePolicy'],
  }),
  deleteServicePolicy: async (app) => ({ id: await aServicePolicy(app), leaves: ['delete servicePolicy'] }),
  listServicePolicyIdentities: inNetwork('policy'),
  listServicePolicyServices: inNetwork('policy'),
  listServicePolicyPostureChecks: async (app) => {
    await aCheck(app);
    return { id: await app.create('/service-policies', { name: 'a policy', type: 'Dial', ...nobody, postureCheckRoles: ['#a'] }) };
  },

  listPostureChecks: async (app) => {
    await aCheck(app);
    await app.create('/posture-checks', { name: 'another', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: [] }] });
    return { query: 'filter=true limit none&roleFilter=%23a&sort=typeId' };
  },
  detailPostureCheck: read(aCheck),
  createPostureCheck: async () => ({
    body: { name: 'a check', typeId: 'PROCESS', process: { osType: 'Linux', path: '/a' } },
    leaves: ['create postureCheck'],
  }),
  updatePostureCheck: async (app) => ({
    id: await aCheck(app),
    body: { name: 'a check', typeId: 'DOMAIN', domains: ['b.test'] },
    leaves: ['update postureCheck'],
  }),
  patchPostureCheck: async (app) => ({ id: await aCheck(app), body: { typeId: 'DOMAIN', name: 'x' }, leaves: ['update postureCheck'] }),
  deletePostureCheck: async (app) => ({ id: await aCheck(app), leaves: ['delete postureCheck'] }),
  listPostureCheckServicePolicies: async (app) => {
    await app.create('/service-policies', { name: 'a policy', type: 'Dial', ...nobody, postureCheckRoles: ['#a'] });
    return { id: await aCheck(app) };
  },
  listPostureCheckTypes: nothing,
  detailPostureCheckType: fixed('PROCESS_MULTI'),
  createPostureResponse: async (app) => ({ as: (await own(app)).as, body: told, leaves: ['create postureData'] }),
  createPostureResponseBulk: async (app) => ({
    as: (await own(app)).as,
    body: [told, { typeId: 'ENDPOINT_STATE', id: 'x', woken: true }],
    leaves: ['create postureData', 'update apiSession'],
  }),

  listEdgeRouterPolicies: read(aRouterPolicy),
  detailEdgeRouterPolicy: read(aRouterPolicy),
  createEdgeRouterPolicy: async () => ({ body: { name: 'a policy', semantic: 'AllOf' }, leaves: ['create edgeRouterPolicy'] }),
  updateEdgeRouterPolicy: async (app) => ({
    id: await aRouterPolicy(app),
    body: { name: 'a policy', semantic: 'AnyOf' },
    leaves: ['update edgeRouterPolicy'],
  }),
  patchEdgeRouterPolicy: async (app) => ({ id: await aRouterPolicy(app), body: { name: 'x' }, leaves: ['update edgeRouterPolicy'] }),
  deleteEdgeRouterPolicy: async (app) => ({ id: await aRouterPolicy(app), leaves: ['delete edgeRouterPolicy'] }),
  listEdgeRouterPolicyIdentities: inNetwork('routerPolicy'),
  listEdgeRouterPolicyEdgeRouters: inNetwork('routerPolicy'),

  listServiceEdgeRouterPolicies: read(aServiceRouterPolicy),
  detailServiceEdgeRouterPolicy: read(aServiceRouterPolicy),
  createServiceEdgeRouterPolicy: async () => ({
    body: { name: 'a policy', semantic: 'AllOf' },
    leaves: ['create serviceEdgeRouterPolicy'],
  }),
  updateServiceEdgeRouterPolicy: async (app) => ({
    id: await aServiceRouterPolicy(app),
    body: { name: 'a policy', semantic: 'AnyOf' },
    leaves: ['update serviceEdgeRouterPolicy'],
  }),
  patchServiceEdgeRouterPolicy: async (app) => ({
    id: await aServiceRouterPolicy(app),
    body: { name: 'x' },
    leaves: ['update serviceEdgeRouterPolicy'],
  }),
  deleteServiceEdgeRouterPolicy: async (app) => ({ id: await aServiceRouterPolicy(app), leaves: ['delete serviceEdgeRouterPolicy'] }),
  listServiceEdgeRouterPolicyEdgeRouters: inNetwork('serviceRouterPolicy'),
  listServiceEdgeRouterPolicyServices: inNetwork('serviceRouterPolicy'),

  listEdgeRouters: read(anEdgeRouter),
  detailEdgeRouter: read(anEdgeRouter),
  createEdgeRouter: async () => ({
    body: { name: 'an edge router', isTunnelerEnabled: true },
    leaves: ['create edgeRouter', 'create identity', 'create edgeRouterPolicy', 'create enrollment'],
  }),
  reEnrollEdgeRouter: async (app) => ({
    id: await anEdgeRouter(app),
    leaves: ['delete enrollment', 'update edgeRouter', 'create enrollment'],
  }),
  updateEdgeRouter: async (app) => ({ id: await anEdgeRouter(app), body: { name: 'an edge router' }, leaves: ['update edgeRouter'] }),
  patchEdgeRouter: async (app) => ({ id: await anEdgeRouter(app), body: { cost: 5 }, leaves: ['update edgeRouter'] }),
  deleteEdgeRouter: async (app) => ({ id: await anEdgeRouter(app), leaves: ['delete enrollment', 'delete edgeRouter'] }),
  listEdgeRouterEdgeRouterPolicies: inNetwork('router'),
  listEdgeRouterIdentities: inNetwork('router'),
  listEdgeRouterServiceEdgeRouterPolicies: inNetwork('router'),
  listEdgeRouterServices: inNetwork('router'),

  ...Object.fromEntries(
    ['Router', 'TransitRouter'].flatMap((name): [string, (app: App) => Promise<Sample>][] => [
      [`list${name}s`, read(aRouter)],
      [`detail${name}`, read(aRouter)],
      [`create${name}`, async () => ({ body: { name: 'a router', cost: 5 }, leaves: ['create router', 'create enrollment'] })],
      [`update${name}`, async (app) => ({ id: await aRouter(app), body: { name: 'x' }, leaves: ['update router'] })],
      [`patch${name}`, async (app) => ({ id: await aRouter(app), body: { disabled: true }, leaves: ['update router'] })],
      [`delete${name}`, async (app) => ({ id: await aRouter(app), leaves: ['delete enrollment', 'delete router'] })],
    ]),
  ),

  listTerminators: read(aTerminator),
  detailTerminator: read(aTerminator),
  createTerminator: async (app) => ({
    body: { service: await aService(app), router: await aRouter(app), binding: 'edge', address: 'x', identitySecret: 'c2VjcmV0' },
    leaves: ['create terminator'],
  }),
  updateTerminator: async (app) => ({
    id: await aTerminator(app),
    body: { service: 'x', router: await anEdgeRouter(app), binding: '', address: 'udp:x' },
    leaves: ['update terminator'],
  }),
  patchTerminator: async (app) => ({ id: await aTerminator(app), body: { precedence: 'failed' }, leaves: ['update terminator'] }),
  deleteTerminator: async (app) => ({ id: await aTerminator(app), leaves: ['delete terminator'] }),

  listIdentityServices: inNetwork('identity', 'policyType=dial'),
  listIdentityServicePolicies: inNetwork('identity'),
  listIdentitysEdgeRouterPolicies: inNetwork('identity'),
  listIdentityEdgeRouters: inNetwork('identity'),
  getIdentityPostureData: async (app) => {
    const user = await app.user();
    await app.request('POST', '/edge/client/v1/posture-response', { as: await user.login(), body: told });
    return { id: user.id };
  },
  getIdentityPolicyAdvice: async (app) => {
    const { user, service } = await aNetwork(app);
    return { id: user.id, other: service };
  },
  listChanges: nothing,
  followChanges: async () => ({ query: 'after=0' }),
  explainAccess: async (app) => {
    const { user, service } = await aNetwork(app);
    return { id: user.id, other: service, query: 'type=Bind' };
  },
  listIdentitysServiceConfigs: async (app) => {
    const { id, body } = await withServiceConfig(app);
    await app.request('POST', `/identities/${id}/service-configs`, { body });
    return { id };
  },
  associateIdentitysServiceConfigs: async (app) => ({ ...(await withServiceConfig(app)), leaves: ['create serviceConfig'] }),
  disassociateIdentitysServiceConfigs: async (app) => {
    const { id, body } = await withServiceConfig(app);
    await app.request('POST', `/identities/${id}/service-configs`, { body });
    return { id, body, leaves: ['delete serviceConfig'] };
  },

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
  listConfigServices: async (app) => {
    const id = await aConfig(app);
    await app.create('/services', { name: 'a service', encryptionRequired: true, configs: [id] });
    return { id };
  },
  deleteConfig: async (app) => ({ id: await aConfig(app), leaves: ['delete config'] }),

  listIdentityRoleAttributes: async (app) => {
    await app.user({ roleAttributes: ['a', 'b'] });
    return {};
  },

  listServiceRoleAttributes: async (app) => {
    await aService(app);
    return {};
  },
  listPostureCheckRoleAttributes: async (app) => {
    await aCheck(app);
    return {};
  },
  listEdgeRouterRoleAttributes: async (app) => {
    await anEdgeRouter(app);
    return {};
  },

  listCurrentApiSessionCertificates: async (app) => ({ as: (await withCertificate(app)).as }),
  detailCurrentApiSessionCertificate: async (app) => withCertificate(app),
  createCurrentApiSessionCertificate: async (app) => ({
    as: (await own(app)).as,
    body: { csr: (await csr('CN=ann')).csr },
    leaves: ['create apiSessionCertificate'],
  }),
  deleteCurrentApiSessionCertificate: async (app) => ({ ...(await withCertificate(app)), leaves: ['delete apiSessionCertificate'] }),
  listNetworkJWTs: nothing,
  listWellKnownCas: nothing,

  listRoot: nothing,
  updateIdentityTracing: async (app) => ({
    id: await anIdentity(app),
    body: { enabled: true, duration: '5m', traceId: 'x', channels: ['all'] },
    leaves: ['create trace'],
  }),
  listControllers: nothing,

  checkDataIntegrity: nothing,
  fixDataIntegrity: nothing,
  dataIntegrityResults: async (app) => {
    await app.request('POST', '/database/check-data-integrity');
    return {};
  },
  createDatabaseSnapshot: nothing,
  databaseSnapshotState: nothing,

  listVersion: nothing,
  listEnumeratedCapabilities: nothing,
  listProtocols: nothing,
  listSpecs: nothing,
  detailSpec: fixed('edge-client'),
  detailSpecBody: fixed('edge-management'),
  getSwagger: nothing,
  getOpenApi: nothing,
  listSummary: nothing,
};

/** Where a parent that is not there has an empty list, as the specification lists no 404 for it. */
export const listsOfUnknownParents: readonly string[] = [
  'listConfigsForConfigType',
  'listConfigServices',
  'listServiceConfig',
  'listServiceEdgeRouters',
  'listServiceIdentities',
  'listServiceServicePolicies',
  'listServiceServiceEdgeRouterPolicies',
  'listServiceTerminators',
  'listServicePolicyIdentities',
  'listServicePolicyServices',
  'listServicePolicyPostureChecks',
];

/** Lists that may be empty, because what they hold is made by the host only. */
export const emptyLists: readonly string[] = ['listControllers'];

/** Names of operations, told apart where both APIs have one of a name and they differ. */
export const nameOf = ({ operationId, surfaces: offered }: Pick<Operation, 'operationId' | 'surfaces'>): string => {
  const ofClient = `client ${operationId}`;
  return offered.includes(surfaces.management) || !(ofClient in samples) ? operationId : ofClient;
};
