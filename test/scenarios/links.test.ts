import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa } from '../support/certificates.ts';
import { kindRules } from '../support/kinds.ts';
import { beginMfa, MFA } from '../support/mfa.ts';
import { network } from '../support/network.ts';
import { begin, dialGround } from '../support/sessions.ts';

/** The lists below an entity that it links to, by collection. Kinds that are not named have only the link to themselves. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  '/identities': [
    ...['authenticators', 'edge-router-policies', 'edge-routers', 'enrollments', 'failed-service-requests', 'posture-data'],
    ...['service-configs', 'service-policies', 'services'],
  ],
  '/cas': ['verify'],
  '/edge-routers': ['edge-router-policies'],
  '/edge-router-policies': ['edge-routers', 'identities'],
  '/service-edge-router-policies': ['edge-routers', 'services'],
  '/service-policies': ['identities', 'posture-checks', 'services'],
  '/services': ['configs', 'service-edge-router-policies', 'service-policies', 'terminators'],
  '/api-sessions': ['sessions'],
  '/sessions': ['route-path'],
  '/specs': ['spec'],
};

interface Linked {
  readonly id: string;
  readonly _links: unknown;
  readonly [field: string]: unknown;
}

const others: Readonly<Record<string, (item: Linked) => object>> = {
  '/identities': ({ authPolicyId }) => ({ 'auth-policies': { href: `./auth-policies/${authPolicyId}` } }),
  '/authenticators': ({ identityId }) => ({ identities: { href: `./identities/${identityId}` } }),
};

const expectedOf = (collection: string, item: Linked) => {
  const self = `.${collection === '/routers' ? '/transit-routers' : collection}/${item.id}`;
  const lists = (LISTS[collection] ?? []).map((name) => [name, { href: `${self}/${name}` }]);
  return { self: { href: self }, ...Object.fromEntries(lists), ...others[collection]?.(item) };
};

const linksAt = async (app: App, path: string, as = app.admin) => (await app.request('GET', path, { as })).body.data._links;

onEveryStore('links', (open) => {
  test('every entity links to itself and to the lists below it, in details and in lists', proves(33), async () => {
    await using app = await open({ member: { name: 'here' } });
    const { ann, wiki, router, net, staff } = await dialGround(app);
    await net.dial(staff);
    await begin(app, ann, wiki);
    await app.create('/terminators', { service: wiki, router, binding: 'edge', address: 'x' });
    const made = await kindRules(app);
    for (const { path, body } of made) await app.create(path, body);
    const fixed = ['/api-sessions', '/sessions', '/terminators', '/specs', '/identity-types', '/posture-check-types', '/controllers'];
    for (const collection of [...made.map(({ path }) => path), ...fixed]) {
      const { data } = (await app.request('GET', `${collection}?limit=500`)).body;
      assert.ok(data.length > 0, collection);
      for (const item of data) {
        assert.deepEqual(item._links, expectedOf(collection, item), collection);
        if (collection !== '/controllers') assert.deepEqual(await linksAt(app, `${collection}/${item.id}`), item._links);
      }
    }
  });

  test(
    'an authority links to its verification until it is verified, and to its JWT while clients may enroll by themselves',
    proves(33),
    async () => {
      await using app = await open();
      const { id, verify } = await aCa(app, {}, { verified: false });
      const self = { href: `./cas/${id}` };
      const [toVerify, jwt] = [{ href: `${self.href}/verify` }, { href: `${self.href}/jwt` }];
      assert.deepEqual(await linksAt(app, `/cas/${id}`), { self, verify: toVerify, jwt });
      await verify();
      assert.deepEqual(await linksAt(app, `/cas/${id}`), { self, jwt });
      await app.request('PATCH', `/cas/${id}`, { body: { isAutoCaEnrollmentEnabled: false } });
      assert.deepEqual(await linksAt(app, `/cas/${id}`), { self });
    },
  );

  test('what a session sees of its own identity links to places of its own', proves(33), async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const href = (path: string) => ({ href: `./current-identity${path}` });
    assert.deepEqual(await linksAt(app, '/current-identity', as), { self: href(''), mfa: href('/mfa') });
    assert.deepEqual(await linksAt(app, `/current-identity/authenticators/${user.authenticatorId}`, as), {
      self: href(`/authenticators/${user.authenticatorId}`),
    });
    const { code } = await beginMfa(app, as);
    const common = { self: href('/mfa'), 'current-identity': href('') };
    assert.deepEqual(await linksAt(app, MFA, as), { ...common, verify: href('/mfa/verify'), qr: href('/mfa/qr-code') });
    await app.request('POST', `${MFA}/verify`, { as, body: { code: code() } });
    assert.deepEqual(await linksAt(app, MFA, as), { ...common, 'recovery-codes': href('/mfa/recovery-codes') });
    const { id } = (await app.request('GET', '/current-api-session', { as })).body.data;
    const session = `./api-sessions/${id}`;
    assert.deepEqual(await linksAt(app, '/current-api-session', as), {
      self: { href: session },
      sessions: { href: `${session}/sessions` },
    });
  });

  test('the router of a terminator is linked as a plain router, also where it is an edge router', proves(33), async () => {
    await using app = await open();
    const net = network(app);
    const [service, router] = [await net.service('s'), await net.router('r')];
    const id = await app.create('/terminators', { service, router, binding: 'edge', address: 'x' });
    const { router: reference } = (await app.request('GET', `/terminators/${id}`)).body.data;
    assert.deepEqual(reference, {
      _links: { self: { href: `./transit-routers/${router}` } },
      entity: 'transit-routers',
      id: router,
      name: 'r',
    });
  });
});
