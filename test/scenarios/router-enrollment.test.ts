import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore, openApp } from '../support/app.ts';
import { post } from '../support/enrolling.ts';
import { list } from '../support/lists.ts';
import { csr, sharedPki } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import {
  aRouterCertificate,
  certificatesIn,
  enrollRouter,
  fingerprintOf,
  methodOf,
  readRouter,
  requestsOf,
  routerToEnroll,
} from '../support/routers.ts';
import { newSharedStorage } from '../support/stores.ts';

const PATHS = ['/edge-routers', '/routers'] as const;
const UNKNOWN = '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f';
const OUTSTANDING = ['enrollmentCreatedAt', 'enrollmentExpiresAt', 'enrollmentJwt', 'enrollmentToken'];

onEveryStore('enrollment of routers', (open, store) => {
  test('a new router has an enrollment, which its details show until it has enrolled', proves(173, 179), async () => {
    await using app = await open({ settings: { enrollmentMinutes: 7 } });
    for (const path of PATHS) {
      const { id, token, jwt } = await routerToEnroll(app, path);
      const before = await readRouter(app, id, path);
      const field = path === '/edge-routers' ? 'edgeRouter' : 'transitRouter';
      const { data } = (await list(app, '/enrollments', { filter: `${field} = "${id}"` })).body;
      assert.equal(data.length, 1);
      const [{ expiresAt, method, createdAt, ...shown }] = data;
      assert.deepEqual([method, createdAt, expiresAt], [methodOf(path), before.enrollmentCreatedAt, '2026-11-21T10:07:00.000Z']);
      assert.deepEqual(
        [shown[`${field}Id`], shown[field].id, shown[field].entity],
        [id, id, field === 'edgeRouter' ? 'edge-routers' : 'transit-routers'],
      );
      assert.deepEqual([shown.token, shown.jwt, 'identity' in shown, 'identityId' in shown], [token, jwt, false, false]);
      const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
      assert.deepEqual(claims, {
        iss: 'https://127.0.0.1:1280',
        sub: id,
        aud: [''],
        exp: Date.parse(expiresAt) / 1000,
        jti: token,
        em: methodOf(path),
        ctrls: ['tls:127.0.0.1:1280'],
      });
      assert.deepEqual([before.enrollmentExpiresAt, before.isVerified], [expiresAt, false]);
      assert.equal((await enrollRouter(app, path, token, await requestsOf(id))).status, 200);
      const after = await readRouter(app, id, path);
      assert.deepEqual(
        OUTSTANDING.filter((name) => name in after),
        [],
      );
      assert.equal((await list(app, '/enrollments', { filter: `${field} = "${id}"` })).body.data.length, 0);
    }
  });

  test(
    'a router gets two certificates for its keys, with the chain below the root, and is verified by the first of them',
    proves(174, 175, 180),
    async () => {
      await using app = await open({ settings: { routerNames: ['*.router.example'] } });
      for (const path of PATHS) {
        const { id, token } = await routerToEnroll(app, path);
        const uri = { type: 'url', value: 'spiffe://example/router' } as const;
        const host = `${methodOf(path)}-${id.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}.router.example`;
        const requests = await requestsOf(id, { client: [uri], server: [{ type: 'dns', value: host }] });
        const { status, body } = await enrollRouter(app, path, token, requests);
        assert.deepEqual([status, Object.keys(body.data).sort()], [200, ['ca', 'cert', 'serverCert']]);
        const { root } = await sharedPki();
        assert.equal(body.data.ca, root.cert);
        const usages = [];
        for (const [pem, names] of [
          [body.data.cert, 'URI:spiffe://example/router'],
          [body.data.serverCert, `DNS:${host}`],
        ] as const) {
          const [leaf, signer, ...rest] = certificatesIn(pem);
          assert.ok(leaf && signer && rest.length === 0 && leaf.verify(signer.publicKey) && !leaf.ca);
          assert.deepEqual([leaf.subjectAltName, leaf.validToDate], [names, new Date('2027-11-21T10:00:00Z')]);
          usages.push(leaf.keyUsage?.join());
        }
        assert.deepEqual(usages, ['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1']);
        assert.equal(certificatesIn(body.data.cert)[0]?.subject, `CN=${id}`);
        const { isVerified, fingerprint, certPem } = await readRouter(app, id, path);
        assert.deepEqual([isVerified, fingerprint], [true, fingerprintOf(body.data.cert)]);
        assert.equal(certPem, path === '/edge-routers' ? body.data.cert : undefined);
        assert.deepEqual(
          (await list(app, path, { filter: `fingerprint = "${fingerprint}"` })).body.data.map((one: { id: string }) => one.id),
          [id],
        );
      }
    },
  );

  test('a router enrolls by the path of its method, too, and without naming it', async () => {
    await using app = await open();
    for (const path of PATHS) {
      const byPath = await routerToEnroll(app, path);
      const { certCsr: clientCsr, serverCertCsr: serverCsr } = await requestsOf(byPath.id);
      const other = path === '/edge-routers' ? 'trott' : 'erott';
      const body = { token: byPath.token, clientCsr, serverCsr };
      assertRefused(await post(app, `/enroll/${other}`, { body }), 400, 'INVALID_ENROLL_METHOD');
      assert.equal((await post(app, `/enroll/${methodOf(path)}`, { body })).status, 200);
      const silent = await routerToEnroll(app, path);
      assert.equal((await post(app, `/enroll?token=${silent.token}`, { body: await requestsOf(silent.id) })).status, 200);
    }
  });

  test('faults are reported in an order, and leave the enrollment of a router good', async () => {
    await using app = await open();
    for (const path of PATHS) {
      const isEdge = path === '/edge-routers';
      const { id, token } = await routerToEnroll(app, path);
      const good = await requestsOf(id);
      const go = (body: unknown, query = `method=${methodOf(path)}&token=${token}`) => post(app, `/enroll?${query}`, { body });
      const missing = isEdge ? 'MISSING_OR_INVALID_CSR' : 'COULD_NOT_PROCESS_CSR';
      const left = await app.trail(async () => {
        assertInvalid(await go({}, `method=${methodOf(path)}&token=nonsense`), 'token');
        assertRefused(await go({}, `method=ott&token=${UNKNOWN}`), 400, 'INVALID_ENROLLMENT_TOKEN');
        for (const method of ['ott', 'ottca', 'updb', isEdge ? 'trott' : 'erott', 'magic', ''])
          assertRefused(await go(good, `method=${method}&token=${token}`), 400, 'INVALID_ENROLL_METHOD');
        for (const body of [
          {},
          { certCsr: good.certCsr },
          { serverCertCsr: good.serverCertCsr },
          { ...good, certCsr: '' },
          { ...good, certCsr: null },
          { clientCsr: good.certCsr, serverCertCsr: good.serverCertCsr },
        ])
          assertRefused(await go(body), 400, missing);
        for (const body of [
          { ...good, certCsr: 'junk' },
          { ...good, serverCertCsr: 'junk' },
          { ...good, serverCertCsr: good.serverCertCsr.replaceAll('M', 'N') },
        ])
          assertRefused(await go(body), 400, 'COULD_NOT_PROCESS_CSR');
        if (isEdge) assertRefused(await go({ ...good, certCsr: (await csr('CN=someone else')).csr }), 400, 'COULD_NOT_PROCESS_CSR');
        assertRefused(await go({ ...good, certCsr: 7 }), 400, 'COULD_NOT_PARSE_BODY');
      });
      assert.deepEqual(left, []);
      assert.equal((await go(good)).status, 200);
      assertRefused(await go(good), 400, 'INVALID_ENROLLMENT_TOKEN');
    }
    const late = await routerToEnroll(app, '/edge-routers');
    app.clock.advance('180m');
    assertRefused(await enrollRouter(app, '/edge-routers', late.token, {}), 400, 'ENROLLMENT_EXPIRED');
  });

  test('administrators ask for enrollments of identities, and not of routers', async () => {
    await using app = await open();
    const id = await app.create('/edge-routers', { name: 'r' });
    for (const method of ['erott', 'trott'])
      assertInvalid(
        await app.request('POST', '/enrollments', {
          body: { identityId: id, edgeRouterId: id, method, expiresAt: '2026-11-22T10:00:00Z' },
        }),
        'method',
      );
  });

  test("a router's certificate opens no session", async () => {
    await using app = await open();
    for (const path of PATHS) {
      const { certificates } = await aRouterCertificate(app, path, path === '/edge-routers' ? { isTunnelerEnabled: true } : {});
      const answer = await app.request('POST', '/edge/client/v1/authenticate?method=cert', { as: null, body: {}, certificates });
      assertRefused(answer, 401, 'INVALID_AUTH');
    }
  });

  test('a token of a router is spent once, by whichever controller, however many ask at the same time', async () => {
    await using shared = newSharedStorage(store);
    await using one = await openApp(store, { storage: shared.adapter() });
    await using two = await openApp(store, { storage: shared.adapter() });
    for (const path of PATHS) {
      const { id, token } = await routerToEnroll(one, path);
      const requests = await Promise.all(Array.from({ length: 8 }, () => requestsOf(id)));
      const answers = await Promise.all(requests.map((body, i) => enrollRouter(i % 2 ? one : two, path, token, body)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)]);
      for (const { status, body } of answers) if (status === 400) assert.equal(body.error.code, 'INVALID_ENROLLMENT_TOKEN');
      const won = answers.find(({ status }) => status === 200);
      assert.equal((await readRouter(two, id, path)).fingerprint, fingerprintOf(won?.body.data.cert));
    }
  });
});
