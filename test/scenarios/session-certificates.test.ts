import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { authority, csr, SHARED_PKI } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const AT = '/edge/client/v1/current-api-session/certificates';
const request = (app: App, as: string, body: object) => app.request('POST', AT, { as, body });
const get = async (app: App, as: string, id = '') => app.request('GET', `${AT}${id && `/${id}`}`, { as });
const make = async (app: App, as: string) => (await request(app, as, { csr: (await csr('CN=ann')).csr })).body.data;

onEveryStore('certificates of a session', (open) => {
  test('a session gets a certificate that names it, for twelve hours, with what to trust', async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const { csr: pem, key } = await csr('CN=ann', { dnsNames: ['example.org'] });
    const { status, body } = await request(app, as, { csr: pem });
    const { _links, id, certificate, cas } = body.data;
    assert.deepEqual([status, _links], [201, { self: { href: `./current-api-session/certificates/${id}` } }]);
    const [leaf, signer] = certificate.split(/(?<=-----END CERTIFICATE-----\n)/).map((one: string) => new X509Certificate(one));
    const root = new X509Certificate(cas);
    assert.ok(leaf.checkPrivateKey(createPrivateKey(key)) && leaf.verify(signer.publicKey) && signer.verify(root.publicKey));
    const session = (await app.request('GET', '/current-api-session', { as })).body.data.id;
    const trustDomain = root.fingerprint.replaceAll(':', '').toLowerCase();
    assert.equal(leaf.subjectAltName, `URI:spiffe://${trustDomain}/identity/${user.id}/apiSession/${session}/apiSessionCertificate/${id}`);
    assert.deepEqual([leaf.keyUsage, leaf.ca], [['1.3.6.1.5.5.7.3.2'], false]);

    const { data } = (await get(app, as, id)).body;
    const { createdAt, updatedAt, ...fields } = data;
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(fields, {
      _links,
      id,
      tags: {},
      certificate,
      fingerprint: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
      subject: 'CN=ann',
      validFrom: '2026-11-21T10:00:00.000Z',
      validTo: '2026-11-21T22:00:00.000Z',
    });
    assert.deepEqual((await get(app, as)).body.data, [data]);
  });

  test('a request is needed, and must be one', async () => {
    await using app = await open();
    const as = await (await app.user()).login();
    assertInvalid(await request(app, as, {}), 'csr');
    for (const bad of ['', 'nonsense']) assertRefused(await request(app, as, { csr: bad }), 400, 'COULD_NOT_PROCESS_CSR');
    assert.deepEqual((await get(app, as)).body.data, []);
  });

  test('a session sees and deletes its own certificates only, an administrator too', async () => {
    await using app = await open();
    const user = await app.user();
    const [as, sameOwner] = [await user.login(), await user.login()];
    const { id } = await make(app, as);
    for (const other of [sameOwner, app.admin]) {
      for (const query of ['', '?filter=true%20limit%20none', `?filter=id%3D%22${id}%22%20or%20true`])
        assert.deepEqual((await app.request('GET', `${AT}${query}`, { as: other })).body.data, []);
      assertRefused(await get(app, other, id), 404, 'NOT_FOUND');
      assertRefused(await app.request('DELETE', `${AT}/${id}`, { as: other }), 404, 'NOT_FOUND');
    }
    assert.equal((await app.request('DELETE', `${AT}/${id}`, { as })).status, 200);
    assertRefused(await get(app, as, id), 404, 'NOT_FOUND');
  });

  const endings: Readonly<Record<string, (app: App, as: string, owner: string) => Promise<unknown>>> = {
    'logging out': (app, as) => app.request('DELETE', '/current-api-session', { as }),
    'an administrator': async (app, as) =>
      app.request('DELETE', `/api-sessions/${(await app.request('GET', '/current-api-session', { as })).body.data.id}`),
    'disabling the identity': (app, _as, owner) => app.request('POST', `/identities/${owner}/disable`, { body: { durationMinutes: 5 } }),
    'deleting the identity': (app, _as, owner) => app.request('DELETE', `/identities/${owner}`),
    idling: async (app) => {
      app.clock.advance('31m');
      await app.login('admin', 'the-admin-password');
    },
  };
  for (const [how, end] of Object.entries(endings))
    test(`certificates go with their session, ended by ${how}`, async () => {
      await using app = await open();
      const user = await app.user();
      const as = await user.login();
      await make(app, as);
      assert.equal((await app.rows('apiSessionCertificate')).length, 1);
      await end(app, as, user.id);
      assert.deepEqual(await app.rows('apiSessionCertificate'), []);
    });

  test('a session has fifty certificates at most, and expired ones make room', async () => {
    await using app = await open({ settings: { sessionTimeoutMinutes: 60 * 24 } });
    const as = await (await app.user()).login();
    const { csr: pem } = await csr('CN=ann');
    for (let i = 0; i < 50; i++) assert.equal((await request(app, as, { csr: pem })).status, 201);
    assertRefused(await request(app, as, { csr: pem }), 429, 'RATE_LIMITED');
    app.clock.advance('12h');
    assertRefused(await request(app, as, { csr: pem }), 429, 'RATE_LIMITED');
    app.clock.advance('1s');
    assert.equal((await request(app, as, { csr: pem })).status, 201);
    assert.equal((await app.rows('apiSessionCertificate')).length, 1);
  });
});

onEveryStore('what clients trust', (open) => {
  const EST = '.well-known/est/cacerts';
  const places = [`/edge/client/v1/${EST}`, `/edge/management/v1/${EST}`];

  test('the authorities of the network are there for anybody, as PKCS#7 in base64', async () => {
    await using app = await open();
    const answers = await Promise.all(
      places.map((path) => app.request('GET', path, { as: null, headers: { accept: 'application/pkcs7-mime' } })),
    );
    for (const { status, headers, text } of answers) {
      assert.deepEqual([status, headers['content-type'], headers['content-transfer-encoding']], [200, 'application/pkcs7-mime', 'base64']);
      assert.equal(text, answers[0]?.text);
      const { anchors } = await (SHARED_PKI.pki as () => Promise<{ anchors: string }>)();
      assert.ok(Buffer.from(text, 'base64').includes(new X509Certificate(anchors).raw));
      assert.ok(text.split('\n').every((line) => line.length <= 64));
    }
  });

  test('what the host adds to the bundle is trusted, too, but for the certificates of servers', async () => {
    const { cert = '' } = (await SHARED_PKI.serverCertificate?.()) ?? {};
    const { certificates } = await (SHARED_PKI.pki as () => Promise<{ certificates: string }>)();
    await using app = await open({ bundle: certificates + cert });
    const { text } = await app.request('GET', places[0] ?? '', { as: null });
    const der = Buffer.from(text, 'base64');
    assert.ok(der.includes(new X509Certificate(certificates).raw));
    assert.ok(!der.includes(new X509Certificate(cert).raw));
  });

  test('a bundle that changes with the certificate of the server is what clients are given from then on', async () => {
    const [before, after] = await Promise.all([authority('before'), authority('after')]);
    let bundle = before.cert;
    await using app = await open({ bundle: () => bundle });
    const trusts = async ({ cert }: { readonly cert: string }) => {
      const { text } = await app.request('GET', places[0] ?? '', { as: null });
      return Buffer.from(text, 'base64').includes(new X509Certificate(cert).raw);
    };
    assert.deepEqual([await trusts(before), await trusts(after)], [true, false]);
    bundle = after.cert;
    assert.deepEqual([await trusts(before), await trusts(after)], [false, true]);
  });

  test('the network JWT says where the network is, and is the same on both APIs and each time', proves(241, 396), async () => {
    await using app = await open({ settings: { address: 'https://controller.example.com:1280' } });
    const paths = ['/edge/client/v1/network-jwts', '/edge/management/v1/network-jwts', '/edge/client/v1/network-jwts'];
    const answers = await Promise.all(paths.map((path) => app.request('GET', path, { as: null })));
    const [{ body } = assert.fail()] = answers;
    for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, body]);
    assert.deepEqual([Object.keys(body.meta), body.data.length, body.data[0].name], [['apiEnrollmentVersion', 'apiVersion'], 1, 'default']);
    const { jwtVerify } = await import('jose');
    const { cert = '' } = (await SHARED_PKI.serverCertificate?.()) ?? {};
    const { payload, protectedHeader } = await jwtVerify(body.data[0].token, new X509Certificate(cert).publicKey);
    assert.equal(protectedHeader.kid, new X509Certificate(cert).fingerprint.replaceAll(':', '').toLowerCase());
    const { jti, ...claims } = payload;
    assert.match(String(jti), /^[0-9a-f-]{36}$/);
    const place = 'https://controller.example.com:1280/';
    assert.deepEqual(claims, { iss: place, sub: place, aud: ['openziti-enroller'], em: 'network', ctrls: null });
  });

  test('when the certificate of the server is renewed, its new key signs', async () => {
    const { newRoot, newServerCertificate } = await import('../../src/index.ts');
    const root = await newRoot();
    let pair = await newServerCertificate(root, ['localhost']);
    await using app = await open({ serverCertificate: () => pair });
    const token = async () => (await app.request('GET', '/network-jwts', { as: null })).body.data[0].token;
    const before = await token();
    assert.equal(await token(), before);
    pair = await newServerCertificate(root, ['localhost']);
    assert.notEqual(await token(), before);
  });
});
