/** A console with every kind of page, and the addresses of the pages. */
import { type ConsoleInBrowser, openConsole } from './console-in-browser.ts';
import { authority, party } from './pki.ts';

export interface EveryPage {
  readonly network: ConsoleInBrowser;
  /** Addresses such as `#/audit`, by what they show. */
  readonly routes: Readonly<Record<string, string>>;
  /** The id of a service. */
  readonly service: string;
}

const ROUTES = {
  overview: '#/',
  access: '#/access',
  traffic: '#/traffic',
  network: '#/network',
  audit: '#/audit',
  account: '#/account',
  list: '#/entities/identities',
  'role attributes': '#/attributes/identities',
  'new identity': '#/entities/identities/new',
  'new policy': '#/entities/servicePolicies/new',
  'new posture check': '#/entities/postureChecks/new',
  'new auth policy': '#/entities/authPolicies/new',
  'new authority': '#/entities/cas/new',
  setups: '#/setup',
  'setup of a service': '#/setup/publish-service',
  'setup of a service, server': '#/setup/publish-service?step=2',
  'setup of a service, routers': '#/setup/publish-service?step=4',
  'setup of a service, review': '#/setup/publish-service?step=5',
  'setup of an identity': '#/setup/add-identity',
  'setup of a router': '#/setup/add-router',
  'setup of a provider': '#/setup/connect-provider',
  'setup of a provider, people': '#/setup/connect-provider?step=3',
  'setup of an authority': '#/setup/trust-authority',
  nowhere: '#/nowhere',
};

export const openEveryPage = async (): Promise<EveryPage> => {
  const network = await openConsole();
  const { api } = network.controller;
  const identity = await api.identities.create({
    body: { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['staff'], enrollment: { ott: true } },
  });
  const { id: service } = await api.services.create({ body: { name: 'wiki', encryptionRequired: true, roleAttributes: ['web'] } });
  const check = await api.postureChecks.create({
    body: { name: 'windows', typeId: 'OS', operatingSystems: [{ type: 'Windows', versions: [] }], roleAttributes: ['managed'] },
  });
  await api.servicePolicies.create({
    body: {
      name: 'staff',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#staff'],
      serviceRoles: ['#web'],
      postureCheckRoles: ['#managed'],
    },
  });
  await api.identities.patch({ id: identity.id, body: { roleAttributes: ['staff', 'night'] } });
  const { data: types } = await api.configTypes.list({ filter: 'name = "host.v1"' });
  const host = { protocol: 'tcp', address: '10.0.0.1', port: 22, listenOptions: { cost: 7 }, portChecks: [] };
  const config = await api.configs.create({ body: { name: 'host', configTypeId: types[0]?.id ?? '', data: host } });
  await api.services.patch({ id: service, body: { configs: [config.id], tags: { floor: '7' } } });
  const router = await api.edgeRouters.create({ body: { name: 'paris', isTunnelerEnabled: true } });
  const ca = await api.cas.create({
    body: {
      name: 'acme',
      certPem: (await authority('acme')).cert,
      isAuthEnabled: true,
      isOttCaEnrollmentEnabled: false,
      isAutoCaEnrollmentEnabled: false,
      identityRoles: [],
    },
  });
  const signer = await api.externalJwtSigners.create({
    body: {
      name: 'accounts',
      issuer: 'https://login.example.com',
      audience: 'us',
      enabled: true,
      certPem: (await party('accounts')).cert,
    },
  });
  const routes = {
    ...ROUTES,
    'published service': `#/setup/publish-service?id=${service}`,
    'new identity joins': `#/setup/add-identity?id=${identity.id}`,
    'new router starts': `#/setup/add-router?id=${router.id}`,
    'connected provider': `#/setup/connect-provider?id=${signer.id}`,
    'proof of an authority': `#/setup/trust-authority?id=${ca.id}`,
    'details of an authority': `#/entities/cas/${ca.id}`,
    'data by a schema': `#/entities/configs/${config.id}/edit`,
    'details with references': `#/entities/services/${service}`,
    details: `#/entities/identities/${identity.id}`,
    'lists of parts': `#/entities/postureChecks/${check.id}/edit`,
    edit: `#/entities/services/${service}/edit`,
    'access of an identity': `#/access?identities=${identity.id}`,
    'access of a service': `#/access?services=${service}`,
    explanation: `#/access/explain/${identity.id}/${service}`,
    history: `#/history/identity/${identity.id}`,
  };
  return { network, routes, service };
};
