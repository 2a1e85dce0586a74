import assert from 'node:assert/strict';
import type { App } from './app.ts';
import { caBody } from './certificates.ts';
import type { Shown } from './console.ts';
import { network } from './network.ts';
import { authority, party } from './pki.ts';

const HOST_V1 = 'NH5p4FpGR';
const SETTINGS = { protocol: 'tcp', address: 'db.internal', port: 5432 };
export const TAGS = { place: 'attic' };

/** One of everything that pages show, joined by policies. */
export const aNetwork = async (app: App) => {
  const net = network(app);
  const identity = await app.user({ name: 'ann', roleAttributes: ['sales'], tags: TAGS, appData: { floor: 2 }, externalId: 'a-1' });
  const bob = await net.identity('bob', 'ops');
  const config = await app.create('/configs', { name: 'db host', configTypeId: HOST_V1, data: SETTINGS, tags: TAGS });
  const body = { name: 'web', encryptionRequired: true, roleAttributes: ['web'], configs: [config], maxIdleTimeMillis: 500, tags: TAGS };
  const service = await app.create('/services', { ...body, terminatorStrategy: 'sticky' });
  const router = await app.create('/edge-routers', { name: 'edge', roleAttributes: ['public'], cost: 7, noTraversal: true, tags: TAGS });
  const check = await app.create('/posture-checks', {
    name: 'systems',
    typeId: 'OS',
    operatingSystems: [{ type: 'Linux', versions: ['>=5'] }],
    roleAttributes: ['managed'],
    tags: TAGS,
  });
  const servicePolicy = await app.create('/service-policies', {
    name: 'with checks',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#sales', `@${bob}`],
    serviceRoles: [`@${service}`],
    postureCheckRoles: ['#managed', `@${check}`],
    tags: TAGS,
  });
  await app.create('/service-policies', {
    name: 'plain',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: ['#sales'],
    serviceRoles: ['#web'],
  });
  const routerPolicy = await net.routersOfIdentities({ identities: ['#sales'], routers: [`@${router}`, '#public'] });
  const serviceRouterPolicy = await net.routersOfServices({ services: ['#web'], routers: ['#all'] });
  const terminator = await app.create('/terminators', { service, router, binding: 'transport', address: 'tcp:10.0.0.1:80', cost: 3 });
  const signer = {
    name: 'provider',
    issuer: 'https://issuer.example',
    audience: 'us',
    enabled: true,
    certPem: (await party('provider')).cert,
  };
  const signerId = await app.create('/external-jwt-signers', {
    ...signer,
    clientId: 'console',
    scopes: ['openid'],
    claimsProperty: 'email',
    tags: TAGS,
  });
  const ca = await app.create('/cas', {
    ...caBody('factory', (await authority('factory')).cert),
    identityNameFormat: '[caName]-[commonName]',
    tags: TAGS,
  });
  await app.create('/transit-routers', { name: 'transit', tags: TAGS });
  await app.request('POST', `/identities/${identity.id}/service-configs`, { body: [{ serviceId: service, configId: config }] });
  const as = await identity.login();
  await app.request('POST', '/edge/client/v1/sessions', { as, body: { serviceId: service, type: 'Dial' } });
  const shown: Shown = {
    identity: identity.id,
    service,
    router,
    config,
    configType: HOST_V1,
    servicePolicy,
    routerPolicy,
    serviceRouterPolicy,
  };
  return { ...shown, bob, check, terminator, signer: signerId, ca, shown, as };
};

/** An entity without the time of its last change. */
export const read = async (app: App, collection: string, id: string) => {
  const { status, text, body } = await app.request('GET', `/${collection}/${id}//`);
  assert.equal(status, 200, text);
  const { updatedAt: _, ...rest } = body.data;
  return rest;
};
