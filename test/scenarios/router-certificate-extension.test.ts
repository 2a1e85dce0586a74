import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { aCertificate, chainOf } from '../support/certificates.ts';
import { post } from '../support/enrolling.ts';
import { csr, party } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { aRouterCertificate, certificatesIn, extendRouter, fingerprintOf, presented, readRouter, requestsOf } from '../support/routers.ts';

const PATHS = ['/edge-routers', '/routers'] as const;

onEveryStore('extension of router certificates', (open) => {
  test('a router extends its certificates, and the old one is dead at once', async () => {
    await using app = await open();
    for (const path of PATHS) {
      const { id, certificates } = await aRouterCertificate(app, path);
      const { status, body } = await extendRouter(app, certificates, await requestsOf(id));
      assert.deepEqual([status, Object.keys(body.data)], [200, ['cert', 'serverCert']]);
      const { fingerprint, certPem, isVerified } = await readRouter(app, id, path);
      assert.deepEqual([fingerprint, isVerified], [fingerprintOf(body.data.cert), true]);
      assert.equal(certPem, path === '/edge-routers' ? body.data.cert : undefined);
      assert.equal(certificatesIn(body.data.cert)[0]?.subject, `CN=${id}`);
      assertRefused(await extendRouter(app, certificates, await requestsOf(id)), 401, 'UNAUTHORIZED');
      assert.equal((await extendRouter(app, presented(body.data.cert), await requestsOf(id))).status, 200);
    }
  });

  test('certificates of routers are extended for those who present a valid one of a router, by two requests that are right', async () => {
    await using app = await open();
    const { id, certificates } = await aRouterCertificate(app);
    const good = await requestsOf(id);
    const device = await aCertificate(app);
    const forged = { certificates: chainOf(await party(id)) };
    const left = await app.trail(async () => {
      assertRefused(await post(app, '/enroll/extend/router', { body: good }), 401, 'UNAUTHORIZED');
      for (const others of [device.certificates, forged.certificates, [new Uint8Array([1])]])
        assertRefused(await extendRouter(app, others, good), 401, 'UNAUTHORIZED');
      assertInvalid(await extendRouter(app, certificates, { certCsr: good.certCsr }), 'serverCertCsr');
      assertInvalid(await extendRouter(app, certificates, { serverCertCsr: good.serverCertCsr }), 'certCsr');
      for (const body of [
        { ...good, certCsr: 'junk' },
        { ...good, serverCertCsr: '' },
        { ...good, certCsr: (await csr('CN=x')).csr },
      ])
        assertRefused(await extendRouter(app, certificates, body), 400, 'COULD_NOT_PROCESS_CSR');
    });
    assert.deepEqual(left, []);
    app.clock.suspend('366d');
    assertRefused(await extendRouter(app, certificates, good), 401, 'UNAUTHORIZED');
  });

  test('a router that is disabled gets no new certificates until it is enabled again', async () => {
    await using app = await open();
    for (const path of PATHS) {
      const { id, certificates } = await aRouterCertificate(app, path, { name: `disabled ${path}` });
      const requests = await requestsOf(id);
      await app.request('PATCH', `${path}/${id}`, { body: { disabled: true } });
      const left = await app.trail(async () => assertRefused(await extendRouter(app, certificates, requests), 401, 'UNAUTHORIZED'));
      assert.deepEqual(left, []);
      await app.request('PATCH', `${path}/${id}`, { body: { disabled: false } });
      assert.equal((await extendRouter(app, certificates, requests)).status, 200);
    }
  });

  test('of extensions at the same time one counts', async () => {
    await using app = await open();
    const { id, certificates } = await aRouterCertificate(app);
    const requests = await Promise.all([1, 2, 3, 4].map(() => requestsOf(id)));
    const answers = await Promise.all(requests.map((body) => extendRouter(app, certificates, body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    const won = answers.find(({ status }) => status === 200);
    assert.equal((await readRouter(app, id)).fingerprint, fingerprintOf(won?.body.data.cert));
  });
});
