import { PASSWORD } from '../app.ts';
import { aCa, chainOf } from '../certificates.ts';
import { LATER, toEnroll } from '../enrolling.ts';
import { csr } from '../pki.ts';
import { certificateSigner } from '../provider.ts';
import { aRouterCertificate, requestsOf, routerToEnroll } from '../routers.ts';
import { anIdentity } from './entities.ts';
import { listed, read, type SamplesOf } from './sample.ts';

export const enrollments: SamplesOf<'enrollments'> = {
  list: listed(toEnroll),
  get: read(async (app) => (await toEnroll(app)).enrollment.id),
  create: async (app) => ({
    body: { identityId: await anIdentity(app), method: 'ott', expiresAt: LATER },
    leaves: ['create enrollment'],
  }),
  delete: async (app) => ({ id: (await toEnroll(app)).enrollment.id, leaves: ['delete enrollment'] }),
  refresh: async (app) => ({
    id: (await toEnroll(app)).enrollment.id,
    body: { expiresAt: LATER },
    leaves: ['update enrollment'],
  }),
};

export const enrolling: SamplesOf<'enrolling'> = {
  enroll: async (app) => ({
    query: `method=ott&token=${(await toEnroll(app)).enrollment.token}`,
    body: { clientCsr: (await csr('CN=ann')).csr },
    leaves: ['create authenticator', 'delete enrollment'],
  }),
  ott: async (app) => ({
    body: { token: (await toEnroll(app)).enrollment.token, clientCsr: (await csr('CN=ann')).csr },
    leaves: ['create authenticator', 'delete enrollment'],
  }),
  ottca: async (app) => {
    const own = await aCa(app);
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    return {
      body: { token: enrollment.token },
      certificates: chainOf(await own.issue('ann')),
      leaves: ['create authenticator', 'delete enrollment'],
    };
  },
  erott: async (app) => {
    const { id, token } = await routerToEnroll(app, '/edge-routers');
    const { certCsr, serverCertCsr } = await requestsOf(id);
    return { body: { token, clientCsr: certCsr, serverCsr: serverCertCsr }, leaves: ['update edgeRouter', 'delete enrollment'] };
  },
  trott: async (app) => {
    const { id, token } = await routerToEnroll(app, '/routers');
    const { certCsr, serverCertCsr } = await requestsOf(id);
    return { body: { token, clientCsr: certCsr, serverCsr: serverCertCsr }, leaves: ['update router', 'delete enrollment'] };
  },
  extendRouter: async (app) => {
    const { id, certificates } = await aRouterCertificate(app);
    return { body: await requestsOf(id), certificates, leaves: ['update edgeRouter'] };
  },
  ca: async (app) => ({
    body: { name: 'ann' },
    certificates: chainOf(await (await aCa(app)).issue('ann')),
    leaves: ['create identity', 'create authenticator'],
  }),
  token: async (app) => ({
    externalToken: await (await certificateSigner(app, { enrollToCertEnabled: true })).token({ sub: 'ann' }),
    body: { clientCsr: (await csr('CN=ann')).csr },
    leaves: ['create identity', 'create authenticator'],
  }),
  updb: async (app) => ({
    query: `token=${(await toEnroll(app, { updb: 'annie' })).enrollment.token}`,
    body: { username: 'annie', password: PASSWORD },
    leaves: ['create authenticator', 'delete enrollment'],
  }),
};
