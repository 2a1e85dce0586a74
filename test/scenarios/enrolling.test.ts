import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { controller } from '../../src/contract/api/controllers.ts';
import { proves } from '../specification.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { enrolled, LATER, post, sendCsr, setPassword, toEnroll } from '../support/enrolling.ts';
import { csr, party, SHARED_PKI } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { enrollRouter, requestsOf, routerToEnroll } from '../support/routers.ts';

const UNKNOWN = '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f';
const chainOf = (pem: string) =>
  pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n/g)?.map((one) => new X509Certificate(one)) ?? [];

onEveryStore('enrolling', (open) => {
  test(
    'a device gets a certificate for its key, with the chain below the root, and the token is spent',
    proves(5, 63, 64, 108, 114, 416, 425),
    async () => {
      await using app = await open();
      const { identityId, enrollment } = await toEnroll(app);
      const { csr: request, key } = await csr('CN=a device, O=somebody', { dnsNames: ['example.org'] });
      const answer = await sendCsr(app, enrollment.token, request);
      assert.deepEqual([answer.status, Object.keys(answer.body.data)], [200, ['cert', 'controllers']]);
      const [leaf, signer, ...rest] = chainOf(answer.body.data.cert);
      assert.ok(leaf && signer && rest.length === 0);
      assert.ok(leaf.checkPrivateKey(createPrivateKey(key)));
      assert.ok(leaf.verify(signer.publicKey) && signer.ca && !leaf.ca);
      assert.deepEqual([leaf.subject, leaf.subjectAltName, leaf.keyUsage], ['CN=a device\nO=somebody', undefined, ['1.3.6.1.5.5.7.3.2']]);
      assert.deepEqual([leaf.validFromDate, leaf.validToDate], [new Date('2026-11-21T09:59:00Z'), new Date('2027-11-21T10:00:00Z')]);

      const { data } = (await app.request('GET', `/identities/${identityId}`)).body;
      const fingerprint = leaf.fingerprint.replaceAll(':', '').toLowerCase();
      assert.deepEqual([data.enrollment, data.authenticators.cert.fingerprint], [{}, fingerprint]);
      const own = (await app.request('GET', `/identities/${identityId}/authenticators`)).body.data[0];
      assert.deepEqual([own.method, own.certPem, own.isIssuedByNetwork, own.identityId], ['cert', answer.body.data.cert, true, identityId]);
      assertRefused(await sendCsr(app, enrollment.token, request), 400, 'INVALID_ENROLLMENT_TOKEN');
      assertRefused(await app.request('GET', `/enrollments/${enrollment.id}`), 404, 'NOT_FOUND');
    },
  );

  test('a controller without a name lists itself for the clients that it enrolls', async () => {
    await using app = await open({ settings: { address: 'https://ctrl.example:8441' } });
    const { enrollment } = await toEnroll(app, { updb: 'ann-sales' });
    const { username, controllers } = (await setPassword(app, enrollment.token)).body.data;
    const [itself, ...others] = controllers;
    assert.deepEqual(
      [username, others, itself.name, itself.isOnline, itself.ctrlAddress],
      ['ann-sales', [], 'ctrl.example:8441', true, null],
    );
    assert.partialDeepStrictEqual(controller.schemas.detail.parse(itself), itself);
    assert.deepEqual(itself.apiAddresses, {
      'edge-client': [{ url: 'https://ctrl.example:8441/edge/client/v1', version: 'v1' }],
      'edge-oidc': [{ url: 'https://ctrl.example:8441/oidc', version: 'v1' }],
    });
  });

  test('controllers with a name are listed for the clients that they enroll as clients list them, and not for routers', async () => {
    await using app = await open({ member: { name: 'ctrl-1', ctrlAddress: 'tls:ctrl:6262' } });
    const { enrollment } = await toEnroll(app);
    const { controllers } = (await sendCsr(app, enrollment.token, (await csr('CN=a device')).csr)).body.data;
    const user = await app.user();
    const { data } = (await app.request('GET', '/edge/client/v1/controllers', { as: await user.login() })).body;
    assert.deepEqual([controllers.length, controllers], [1, data]);
    const { id, token } = await routerToEnroll(app, '/edge-routers');
    const { body } = await enrollRouter(app, '/edge-routers', token, await requestsOf(id));
    assert.deepEqual(Object.keys(body.data).toSorted(), ['ca', 'cert', 'serverCert']);
  });

  test('a request comes as PEM under three media types, or in JSON, with the token in the query or the body', async () => {
    await using app = await open();
    const { csr: clientCsr } = await csr('CN=a device');
    for (const type of ['application/x-pem-file', 'text/plain; charset=utf-8', 'application/pkcs7'])
      assert.equal((await sendCsr(app, (await toEnroll(app)).enrollment.token, clientCsr, type)).status, 200, type);
    const forms = [
      (token: string) => post(app, `/enroll?method=ott&token=${token}`, { body: { clientCsr } }),
      (token: string) => post(app, `/enroll?token=${token}`, { body: { clientCsr } }),
      (token: string) => post(app, '/enroll/ott', { body: { token, clientCsr } }),
      (token: string) => post(app, `/enroll?token=${token}`, { body: { clientCsr }, headers: { accept: '*/*', 'zt-session': 'stale' } }),
    ];
    for (const form of forms) assert.equal((await form((await toEnroll(app)).enrollment.token)).status, 200);
  });

  test('another media type, and an answer in another than JSON, are not supported', async () => {
    await using app = await open();
    const { enrollment } = await toEnroll(app);
    const { csr: request } = await csr('CN=a device');
    assertRefused(await sendCsr(app, enrollment.token, request, 'application/xml'), 415, 'UNSUPPORTED_MEDIA');
    for (const type of ['text/plain', 'text/plain; charset=utf-8', 'application/x-pem-file', 'application/pkcs7'])
      for (const accept of ['application/x-pem-file', 'text/plain, text/html;q=0.5', 'application/json;q=0']) {
        const headers = { 'content-type': type, accept };
        const answer = await post(app, `/enroll?token=${enrollment.token}`, { raw: request, headers });
        assertRefused(answer, 415, 'UNSUPPORTED_MEDIA');
        assert.equal(answer.body.error.cause.field, 'Accept');
      }
    assertRefused(await post(app, '/enroll/ott', { raw: request, headers: { 'content-type': 'text/plain' } }), 415, 'UNSUPPORTED_MEDIA');
  });

  test('enrolling is for the client API alone', async () => {
    await using app = await open();
    for (const path of ['/enroll', '/enroll/ott', '/enroll/updb'])
      assertRefused(await app.request('POST', path, { body: {} }), 404, 'NOT_FOUND');
  });

  test('a token that is not there, another method and a bad request are refused, and leave the enrollment good', async () => {
    await using app = await open();
    const { identityId, enrollment } = await toEnroll(app);
    const { csr: request } = await csr('CN=a device');
    const good = { raw: request, headers: { 'content-type': 'text/plain' } };
    const go = (query: string, raw = request) => post(app, `/enroll?${query}`, { ...good, raw });
    const { token } = enrollment;
    const left = await app.trail(async () => {
      for (const query of [`method=ott&token=${UNKNOWN}`, 'method=ott', 'method=ott&token=', `token=${UNKNOWN}&method=magic`, ''])
        assertRefused(await go(query), 400, 'INVALID_ENROLLMENT_TOKEN');
      for (const query of ['method=ott&token=none', 'token=none', 'method=updb&token=none', 'method=magic&token=none'])
        for (const type of ['application/x-pem-file', 'text/plain', 'application/pkcs7']) {
          const answer = await post(app, `/enroll?${query}`, { raw: request, headers: { 'content-type': type } });
          assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
        }
      assertInvalid(await post(app, '/enroll?method=ott&token=none', { body: { clientCsr: request } }), 'token');
      assertInvalid(await post(app, '/enroll/ott', { body: { token: 'nonsense', clientCsr: request } }), 'token');
      for (const method of ['updb', 'ottca', 'ca', 'magic', 'constructor', ''])
        assertRefused(await go(`method=${method}&token=${token}`), 400, 'INVALID_ENROLL_METHOD');
      assertRefused(await post(app, `/enroll/updb?token=${token}`, { body: { password: PASSWORD } }), 400, 'INVALID_ENROLL_METHOD');
      for (const raw of ['', 'nonsense', (await party('x')).cert, request + request, `${request}-----BEGIN x`, request.replace(/M/g, 'N')])
        assertRefused(await go(`method=ott&token=${token}`, raw), 400, 'COULD_NOT_PROCESS_CSR');
      assertRefused(await post(app, `/enroll?token=${token}`, { body: {} }), 400, 'COULD_NOT_PROCESS_CSR');
      assertRefused(await post(app, `/enroll?token=${token}`, { body: { clientCsr: 7 } }), 400, 'COULD_NOT_PARSE_BODY');
      assertRefused(await post(app, `/enroll?token=${token}`, { raw: '{"clientCsr":' }), 400, 'COULD_NOT_PARSE_BODY');
    });
    assert.deepEqual(left, []);
    assert.equal((await app.request('GET', `/identities/${identityId}`)).body.data.enrollment.ott.token, token);
    assert.equal((await go(`method=ott&token=${token}`)).status, 200);
  });

  test('an enrollment is good until its end, not at it', async () => {
    await using app = await open();
    const [first, second] = [await toEnroll(app), await toEnroll(app)];
    const { csr: request } = await csr('CN=a device');
    app.clock.advance('10799999ms');
    assert.equal((await sendCsr(app, first.enrollment.token, request)).status, 200);
    app.clock.advance('1ms');
    assertRefused(await sendCsr(app, second.enrollment.token, request), 400, 'ENROLLMENT_EXPIRED');
  });

  test('of many that use one token at the same time, one gets a certificate', async () => {
    await using app = await open();
    const { identityId, enrollment } = await toEnroll(app);
    const requests = await Promise.all(Array.from({ length: 8 }, () => csr('CN=a device')));
    const answers = await Promise.all(requests.map(({ csr: request }) => sendCsr(app, enrollment.token, request)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)]);
    for (const { status, body } of answers) if (status === 400) assert.equal(body.error.code, 'INVALID_ENROLLMENT_TOKEN');
    const won = answers.find(({ status }) => status === 200);
    const { data } = (await app.request('GET', `/identities/${identityId}/authenticators`)).body;
    assert.deepEqual(
      data.map(({ certPem }: { certPem: string }) => certPem),
      [won?.body.data.cert],
    );
  });

  test('more clients than may wait for a certificate are asked to come back later', async () => {
    await using app = await open({ settings: { maxQueuedEnrollments: 1 } });
    const all = await Promise.all(Array.from({ length: 12 }, () => toEnroll(app)));
    const { csr: request } = await csr('CN=a device');
    const answers = await Promise.all(all.map(({ enrollment }) => sendCsr(app, enrollment.token, request)));
    const turned = answers.filter(({ status }) => status === 429);
    assert.ok(turned.length > 0 && turned.length < 12);
    for (const { body, headers } of turned) assert.deepEqual([body.error.code, headers['retry-after']], ['SERVER_TOO_MANY_REQUESTS', '1']);
  });

  test('an identity sets its password by the username of the enrollment, whatever name it gives', proves(116, 418, 427), async () => {
    await using app = await open();
    const { identityId, enrollment } = await toEnroll(app, { updb: 'annie' });
    assertRefused(await app.login('annie', PASSWORD), 401, 'INVALID_AUTH');
    const { status, body } = await setPassword(app, enrollment.token);
    const { controllers: _, ...answered } = body.data;
    assert.deepEqual([status, answered], [200, { username: 'annie' }]);
    assert.equal((await app.login('annie', PASSWORD)).body.data.identityId, identityId);
    const { data } = (await app.request('GET', `/identities/${identityId}`)).body;
    assert.deepEqual([data.enrollment, data.authenticators.updb.username], [{}, 'annie']);
    const { enrollment: other } = await toEnroll(app, { updb: 'bert' });
    assert.equal((await post(app, `/enroll/updb?token=${other.token}`, { body: { username: 'bert', password: PASSWORD } })).status, 200);
    assert.equal((await app.login('bert', PASSWORD)).status, 200);
  });

  test('a password is needed, of 5 to 100 characters, as the policy of the identity wants it', proves(53, 55, 461), async () => {
    await using app = await open();
    const rules = { updb: { requireNumberChar: true, minPasswordLength: 12 } };
    const authPolicyId = await app.create('/auth-policies', policyBody('strict', rules));
    const { enrollment } = await toEnroll(app, { updb: 'annie' }, { authPolicyId });
    const { token } = enrollment;
    const left = await app.trail(async () => {
      for (const password of ['abcd', '7'.repeat(101), 'without a digit', '11 letters7'])
        assertInvalid(await setPassword(app, token, password), 'password');
      assertInvalid(await post(app, `/enroll?token=${token}`, { body: {} }), 'password');
      assertInvalid(await post(app, `/enroll?token=${token}`), 'password');
      assertInvalid(await post(app, '/enroll/updb', { body: { password: PASSWORD } }), 'token');
      assertInvalid(await post(app, '/enroll/updb?token=nonsense', { body: { password: PASSWORD } }), 'token');
      assertRefused(await setPassword(app, UNKNOWN), 400, 'INVALID_ENROLLMENT_TOKEN');
    });
    assert.deepEqual(left, []);
    assert.equal((await setPassword(app, token, 'with digit 7')).status, 200);
  });

  test('a username that was taken meanwhile is refused, and the enrollment stays', async () => {
    await using app = await open();
    const user = await app.user();
    const { identityId, enrollment } = await toEnroll(app, { updb: user.username });
    assertInvalid(await setPassword(app, enrollment.token), 'username');
    await app.request('DELETE', `/authenticators/${user.authenticatorId}`);
    assert.equal((await setPassword(app, enrollment.token)).status, 200);
    assert.equal((await app.login(user.username, PASSWORD)).body.data.identityId, identityId);
  });

  test('an identity has one authenticator of a method: with one, an enrollment of the method is of no use, and stays', async () => {
    await using app = await open();
    const device = await enrolled(app);
    const id = await app.create('/enrollments', { identityId: device.identityId, method: 'ott', expiresAt: LATER });
    const { token } = (await app.request('GET', `/enrollments/${id}`)).body.data;
    const { csr: request } = await csr('CN=a device');
    assertRefused(await sendCsr(app, token, request), 409, 'MAX_AUTHENTICATOR_METHODS_REACHED');
    await app.request('DELETE', `/authenticators/${device.authenticatorId}`);
    assert.equal((await sendCsr(app, token, request)).status, 200);
  });

  test('two devices may have certificates of the same name, and not the same certificate', async () => {
    await using app = await open();
    const [one, other] = [await enrolled(app), await enrolled(app)];
    assert.notEqual(one.fingerprint, other.fingerprint);
  });

  test("the host's own code enrolls, too, and the certificate leads to the root", async () => {
    await using app = await open();
    const { enrollment } = await toEnroll(app);
    const { cert } = await app.controller.api.enrolling.enroll({ token: enrollment.token, body: (await csr('CN=a device')).csr });
    const { anchors = '' } = await (SHARED_PKI.pki as () => Promise<{ anchors: string }>)();
    const [leaf, signer] = chainOf(cert ?? '');
    assert.ok(leaf && signer?.verify(new X509Certificate(anchors).publicKey) && leaf.verify(signer.publicKey));
  });

  test('an identity sees no enrollment of its own, by whose token a stolen session could become an authenticator', async () => {
    await using app = await open();
    const user = await app.user();
    await app.create('/enrollments', { identityId: user.id, method: 'ott', expiresAt: LATER });
    const { data } = (await app.request('GET', '/current-identity', { as: await user.login() })).body;
    assert.deepEqual(data.enrollment, {});
    assert.ok((await app.request('GET', `/identities/${user.id}`)).body.data.enrollment.ott.token);
  });

  test('a signer of the host that does not fit is said to the host, not to clients', async () => {
    const broken = await open({ pki: { certificates: 'nonsense', anchors: 'nonsense', key: 'nonsense' }, platform: { logger: silent } });
    const { enrollment } = await toEnroll(broken);
    const left = await broken.trail(async () => {
      const answer = await sendCsr(broken, enrollment.token, (await csr('CN=a device')).csr);
      assert.equal(answer.status, 500);
      assert.doesNotMatch(answer.text, /nonsense|PEM/);
    });
    assert.deepEqual(left, []);
    await broken.close();
  });
});

const nothing = () => {};
const silent = { error: nothing, warn: nothing, info: nothing };
