import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { type Certificate, readCertificates } from '../../src/crypto/pki/certificate.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, aCertificate, aForeignCertificate, certificateLogin, chainOf } from '../support/certificates.ts';
import { list } from '../support/lists.ts';
import { csr, NOW, sharedPki } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

type Own = Awaited<ReturnType<typeof aCertificate>>;

const DAY = 86_400_000;
const PLACES = [
  '/edge/client/v1/current-identity/authenticators',
  '/edge/management/v1/current-identity/authenticators',
  '/edge/management/v1/authenticators',
] as const;

const extend = async (app: App, { id, as, certificates }: Own, { at = PLACES[0] as string, subject = 'CN=new' } = {}) =>
  app.request('POST', `${at}/${id}/extend`, {
    as,
    certificates,
    body: { clientCertCsr: (await csr(subject, { dnsNames: ['asked.for'] })).csr },
  });
const confirm = (app: App, { id, as }: Own, clientCert: string, at: string = PLACES[0]) =>
  app.request('POST', `${at}/${id}/extend-verify`, { as, body: { clientCert } });
const chainIn = async (pem: string) => (await readCertificates(pem)).value?.map((certificate) => ({ certificate })) ?? [];
const detail = async (app: App, id: string) => (await app.request('GET', `/authenticators/${id}`)).body.data;

onEveryStore('extending a certificate', (open) => {
  test(
    'at each place the old certificate serves until the new one is confirmed, and the new one alone from then on',
    proves(270, 272, 273, 301, 378, 379, 380),
    async () => {
      for (const at of PLACES) {
        await using app = await open();
        const own = await aCertificate(app);
        const { signer } = await sharedPki();
        const { status, body } = await extend(app, own, { at });
        assert.equal(status, 200);
        const fresh = await chainIn(body.data.clientCert);
        assert.equal((await certificateLogin(app, own, signer)).status, 200);
        assertRefused(await certificateLogin(app, ...fresh), 401, 'INVALID_AUTH');
        assert.equal((await detail(app, own.id)).certPem, own.cert);

        const confirmed = await confirm(app, own, body.data.clientCert, at);
        assert.deepEqual([confirmed.status, confirmed.body.data], [200, {}]);
        const session = (await certificateLogin(app, ...fresh)).body.data;
        assert.deepEqual([session.authenticatorId, session.isCertExtendable], [own.id, true]);
        assertRefused(await certificateLogin(app, own, signer), 401, 'INVALID_AUTH');
        const after = await detail(app, own.id);
        assert.deepEqual([after.certPem, after.fingerprint], [body.data.clientCert, fresh[0]?.certificate.fingerprint]);
        assert.equal((await app.request('GET', '/current-identity', { as: own.as })).status, 200, 'the session goes on');
      }
    },
  );

  test('the new certificate has the subject of the request, the names of the old one, and a year', proves(231), async () => {
    await using app = await open();
    const names = { uris: ['spiffe://a/b'], emails: ['ann@example.org'], dnsNames: ['ann.example.org'], ipAddresses: ['10.0.0.1'] };
    const own = await aCertificate(app, { names });
    const { data } = (await extend(app, own, { subject: 'O=us, CN=new name' })).body;
    const [leaf, ...above] = await chainIn(data.clientCert);
    const certificate = leaf?.certificate as Certificate; // an answer of 200 has one
    assert.equal(certificate.subject, 'O=us, CN=new name');
    const { uris, emails, dnsNames, ipAddresses } = certificate;
    assert.deepEqual({ uris, emails, dnsNames, ipAddresses }, names);
    assert.equal(certificate.isCa, false);
    assert.deepEqual([NOW - certificate.notBefore, certificate.notAfter - NOW], [60_000, 365 * DAY]);
    assert.deepEqual(certificate.extendedKeyUsage, ['1.3.6.1.5.5.7.3.2']);
    const { root, signer } = await sharedPki();
    assert.deepEqual(
      above.map((one) => one.certificate.fingerprint),
      [signer.certificate.fingerprint],
    );
    assert.ok(data.ca.includes(root.cert));
    assert.ok(new X509Certificate(data.clientCert).verify(new X509Certificate(signer.cert).publicKey));
  });

  test('an authenticator tells and finds whether the last extension replaced its key', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const found = async (rolled: boolean) =>
      (await list(app, '/authenticators', { filter: `id = "${own.id}" and lastExtendRolledKeys = ${rolled}` })).body.data.length === 1;
    assert.ok(!('lastExtendRolledKeys' in (await detail(app, own.id))));
    const confirmed = async (clientCertCsr: string, certificates: Own['certificates']) => {
      const answer = await app.request('POST', `${PLACES[0]}/${own.id}/extend`, { as: own.as, certificates, body: { clientCertCsr } });
      assert.equal((await confirm(app, own, answer.body.data.clientCert)).status, 200);
      return chainIn(answer.body.data.clientCert);
    };
    const request = (await csr('CN=new')).csr;
    const extended = await confirmed(request, own.certificates);
    assert.equal((await detail(app, own.id)).lastExtendRolledKeys, true);
    assert.deepEqual([await found(true), await found(false)], [true, false]);
    await confirmed(request, chainOf(...extended));
    assert.ok(!('lastExtendRolledKeys' in (await detail(app, own.id))), 'the key of the same request stays');
    assert.deepEqual([await found(true), await found(false)], [false, true]);
  });

  test('of several extensions the last one counts', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const first = (await extend(app, own)).body.data.clientCert;
    const second = (await extend(app, own)).body.data.clientCert;
    assertRefused(await confirm(app, own, first), 400, 'INVALID_CLIENT_CERT');
    assert.equal((await confirm(app, own, second)).status, 200);
    assert.equal((await certificateLogin(app, ...(await chainIn(second)))).status, 200);
    assertRefused(await certificateLogin(app, ...(await chainIn(first))), 401, 'INVALID_AUTH');
  });

  test('the new certificate can be extended in turn, and the old one cannot any more', proves(273), async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const { clientCert } = (await extend(app, own)).body.data;
    await confirm(app, own, clientCert);
    assertRefused(await extend(app, own), 401, 'UNAUTHORIZED');
    const certificates = (await chainIn(clientCert)).map(({ certificate }) => certificate.der);
    assert.equal((await extend(app, { ...own, certificates })).status, 200);
  });

  test('what confirms is the leaf or the whole chain, once, and nothing else', proves(232, 273, 301, 380), async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const { signer } = await sharedPki();
    assertRefused(await confirm(app, own, own.cert), 409, 'CAN_NOT_UPDATE_AUTHENTICATOR');
    const { clientCert } = (await extend(app, own)).body.data;
    const left = await app.trail(async () => {
      assertInvalid(await app.request('POST', `${PLACES[0]}/${own.id}/extend-verify`, { as: own.as, body: {} }), 'clientCert');
      for (const wrong of ['', 'nonsense', own.cert, signer.cert + clientCert, own.key])
        assertRefused(await confirm(app, own, wrong), 400, 'INVALID_CLIENT_CERT');
    });
    assert.deepEqual(left, []);
    const [leaf = ''] = clientCert.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n/g) ?? [];
    assert.ok(leaf.length < clientCert.length);
    assert.deepEqual(await app.trail(() => confirm(app, own, leaf)), ['update authenticator']);
    assertRefused(await confirm(app, own, leaf), 409, 'CAN_NOT_UPDATE_AUTHENTICATOR');
  });

  test('only certificates of the network are extended, by their own identity', proves(271), async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const other = await aCertificate(app);
    const user = await app.user();
    const foreign = await aForeignCertificate(app, await aCa(app));
    const as = (await certificateLogin(app, foreign)).body.data.token;
    const certificates = [foreign.certificate.der];
    const pretend = (id: string) => ({ ...own, id });
    const answers: readonly (readonly [string, Own, number, string])[] = [
      ['an unknown one', pretend('no-such-id'), 404, 'NOT_FOUND'],
      ['a password', pretend(user.authenticatorId), 409, 'CAN_NOT_UPDATE_AUTHENTICATOR'],
      ["another identity's", pretend(other.id), 401, 'UNAUTHORIZED'],
      ["an authority's", { ...own, ...foreign, as, certificates }, 409, 'CAN_NOT_UPDATE_AUTHENTICATOR'],
    ];
    const { clientCert } = (await extend(app, other)).body.data;
    const left = await app.trail(async () => {
      for (const [what, given, status, code] of answers) {
        for (const answer of [await extend(app, given), await confirm(app, given, clientCert)])
          assert.deepEqual([answer.status, answer.body.error.code], [status, code], what);
      }
    });
    assert.deepEqual(left, []);
  });

  test(
    'faults are reported in their order: no certificate, no request, whose it is, what is presented, and last the request itself',
    proves(230),
    async () => {
      await using app = await open();
      const own = await aCertificate(app);
      const at = (id: string) => `${PLACES[0]}/${id}/extend`;
      const bad = { clientCertCsr: 'nonsense' };
      assertRefused(await app.request('POST', at('no-such-id'), { as: own.as, body: {} }), 401, 'UNAUTHORIZED');
      assertInvalid(await app.request('POST', at('no-such-id'), { as: own.as, certificates: own.certificates, body: {} }), 'clientCertCsr');
      assertRefused(
        await app.request('POST', at('no-such-id'), { as: own.as, certificates: own.certificates, body: bad }),
        404,
        'NOT_FOUND',
      );
      const other = await aCertificate(app);
      assertRefused(
        await app.request('POST', at(own.id), { as: own.as, certificates: other.certificates, body: bad }),
        401,
        'UNAUTHORIZED',
      );
      const left = await app.trail(async () => {
        for (const clientCertCsr of ['nonsense', '', own.cert, own.key])
          assertRefused(
            await app.request('POST', at(own.id), { as: own.as, certificates: own.certificates, body: { clientCertCsr } }),
            400,
            'COULD_NOT_PROCESS_CSR',
          );
      });
      assert.deepEqual(left, []);
    },
  );

  test('an expired certificate can still be extended', async () => {
    await using app = await open();
    const own = await aCertificate(app, { notBefore: NOW - 10 * DAY, notAfter: NOW - DAY });
    assert.equal((await extend(app, own)).status, 200);
  });

  test('a client may leave out what stands above its certificate', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    assert.equal((await extend(app, { ...own, certificates: own.certificates.slice(0, 1) })).status, 200);
  });

  test('an administrator asks for an extension, the next logins show it, and a confirmed one ends the asking', proves(273), async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const own = await aCertificate(app);
    const ask = (body?: object) => app.request('POST', `/authenticators/${own.id}/request-extend`, { body });
    assert.equal((await ask({ rollKeys: true })).status, 200);
    const asked = await detail(app, own.id);
    assert.deepEqual([asked.isExtendRequested, asked.isKeyRollRequested], [true, true]);
    assert.match(asked.extendRequestedAt, /^2026-11-21T10:00:00\.\d{3}Z$/);
    const told = await certificateLogin(app, own, signer);
    assert.equal(told.headers['ziti-authenticator-extend-requested'], 'true');
    assert.deepEqual([told.body.data.isCertExtendRequested, told.body.data.isCertKeyRollRequested], [true, true]);

    for (const body of [{}, undefined]) assert.equal((await ask(body)).status, 200);
    const again = await detail(app, own.id);
    assert.deepEqual([again.isExtendRequested, 'isKeyRollRequested' in again], [true, false]);
    assert.equal('isCertKeyRollRequested' in (await certificateLogin(app, own, signer)).body.data, false);

    const { clientCert } = (await extend(app, own)).body.data;
    await confirm(app, own, clientCert);
    const after = await detail(app, own.id);
    for (const field of ['isExtendRequested', 'isKeyRollRequested', 'extendRequestedAt', 'unverifiedCertPem'])
      assert.equal(field in after, false, field);
    const silent = await certificateLogin(app, ...(await chainIn(clientCert)));
    assert.equal(silent.headers['ziti-authenticator-extend-requested'], undefined);
    assert.equal('isCertExtendRequested' in silent.body.data, false);
  });

  test('an extension is asked of certificates of the network only', async () => {
    await using app = await open();
    const user = await app.user();
    const foreign = await aForeignCertificate(app, await aCa(app));
    const ask = (id: string, body: object = {}) => app.request('POST', `/authenticators/${id}/request-extend`, { body });
    assertRefused(await ask(user.authenticatorId), 401, 'UNAUTHORIZED');
    assertRefused(await ask(foreign.id), 409, 'CAN_NOT_UPDATE_AUTHENTICATOR');
    assertRefused(await ask('no-such-id'), 404, 'NOT_FOUND');
    assertRefused(await ask(user.authenticatorId, { rollKeys: 'yes' }), 400, 'COULD_NOT_PARSE_BODY');
  });

  test('of two confirmations at once one succeeds', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const { clientCert } = (await extend(app, own)).body.data;
    const answers = await Promise.all([confirm(app, own, clientCert), confirm(app, own, clientCert)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  });

  test('extensions that run into each other leave one certificate to confirm', async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const issued = await Promise.all([extend(app, own), extend(app, own), extend(app, own)]);
    const confirmed = [];
    for (const { body } of issued) confirmed.push((await confirm(app, own, body.data.clientCert)).status);
    assert.equal(confirmed.filter((status) => status === 200).length, 1);
  });
});
