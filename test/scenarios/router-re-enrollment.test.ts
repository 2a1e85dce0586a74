import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { assertRefused } from '../support/refusals.ts';
import { aRouterCertificate, enrollRouter, extendRouter, readRouter, requestsOf, routerToEnroll } from '../support/routers.ts';

const PATHS = ['/edge-routers', '/routers'] as const;

onEveryStore('re-enrollment of routers', (open) => {
  test('the enrollment of a router is refreshed like any other, and goes with the router', async () => {
    await using app = await open();
    for (const path of PATHS) {
      const { id, token } = await routerToEnroll(app, path, path === '/edge-routers' ? { isTunnelerEnabled: true } : {});
      const [row] = await app.rows('enrollment');
      const { status } = await app.request('POST', `/enrollments/${row?.id}/refresh`, { body: { expiresAt: '2026-11-22T10:00:00.000Z' } });
      assert.equal(status, 200);
      assertRefused(await enrollRouter(app, path, token, {}), 400, 'INVALID_ENROLLMENT_TOKEN');
      const { enrollmentToken, enrollmentExpiresAt } = await readRouter(app, id, path);
      assert.equal(enrollmentExpiresAt, '2026-11-22T10:00:00.000Z');
      await app.request('DELETE', `/routers/${id}`);
      assert.deepEqual(await app.rows('enrollment'), []);
      assertRefused(await enrollRouter(app, path, enrollmentToken, await requestsOf(id)), 400, 'INVALID_ENROLLMENT_TOKEN');
    }
  });

  test(
    're-enrolling makes certificate, token and JWT useless at once, and keeps what else the router is',
    proves(283, 285, 286, 393),
    async () => {
      await using app = await open();
      const fields = { name: 'r', cost: 6, tags: { a: 'b' }, roleAttributes: ['x'], isTunnelerEnabled: true, appData: { z: 1 } };
      const { id, certificates } = await aRouterCertificate(app, '/edge-routers', fields);
      const reEnroll = () => app.request('POST', `/edge-routers/${id}/re-enroll`);
      const others = ['edge-router-policies', 'identities'].map((name) => `/edge-routers/${id}/${name}`);
      const associated = () => Promise.all(others.map(async (path) => (await app.request('GET', path)).body.data));
      const before = await associated();
      assert.deepEqual((await reEnroll()).body.data, {});
      assert.deepEqual(await associated(), before);
      assert.deepEqual(
        before.map(([one]) => one.id),
        [id, id],
      );
      const first = await readRouter(app, id);
      assert.partialDeepStrictEqual(first, { ...fields, isVerified: false, certPem: null });
      assert.equal('fingerprint' in first, false);
      assert.equal((await app.request('GET', `/identities/${id}`)).body.data.typeId, 'Router');
      assertRefused(await extendRouter(app, certificates, await requestsOf(id)), 401, 'UNAUTHORIZED');

      await reEnroll();
      const second = await readRouter(app, id);
      assert.notEqual(second.enrollmentJwt, first.enrollmentJwt);
      assert.equal((await app.rows('enrollment')).length, 1);
      assertRefused(await enrollRouter(app, '/edge-routers', first.enrollmentToken, await requestsOf(id)), 400, 'INVALID_ENROLLMENT_TOKEN');
      assert.equal((await enrollRouter(app, '/edge-routers', second.enrollmentToken, await requestsOf(id))).status, 200);
      assert.partialDeepStrictEqual(await readRouter(app, id), { ...fields, isVerified: true });

      const plain = await app.create('/routers', { name: 'plain' });
      assertRefused(await app.request('POST', `/edge-routers/${plain}/re-enroll`), 404, 'NOT_FOUND');
      assertRefused(await app.request('POST', `/routers/${plain}/re-enroll`), 404, 'NOT_FOUND');
    },
  );

  test('clients see the enrolled routers that they may use, and only what it takes to connect', async () => {
    await using app = await open();
    const user = await app.user({ roleAttributes: ['a'] });
    const as = await user.login();
    const { id } = await aRouterCertificate(app, '/edge-routers', { name: 'r', roleAttributes: ['a'], appData: { secret: 1 }, cost: 5 });
    await routerToEnroll(app, '/edge-routers', { roleAttributes: ['a'] });
    await app.create('/edge-router-policies', { name: 'p', semantic: 'AnyOf', identityRoles: ['#a'], edgeRouterRoles: ['#a'] });
    const { data } = (await app.request('GET', '/edge/client/v1/current-identity/edge-routers', { as })).body;
    assert.equal(data.length, 1);
    const { createdAt, updatedAt, ...shown } = data[0];
    const self = `./edge-routers/${id}`;
    assert.deepEqual(shown, {
      _links: { self: { href: self }, 'edge-router-policies': { href: `${self}/edge-router-policies` } },
      id,
      name: 'r',
      tags: {},
      hostname: '',
      isOnline: false,
      supportedProtocols: {},
      syncStatus: 'SYNC_UNKNOWN',
      cost: null,
      noTraversal: null,
      disabled: null,
    });
  });
});
