import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { AT, byCertificate, byEndpoint, common, detail, ENDPOINT, one, other } from '../support/external-jwt-signers.ts';
import { party } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

onEveryStore('bodies that make no external JWT signer', (open) => {
  test('an issuer or an audience that is blank is none, however it is written', async () => {
    await using app = await open();
    const id = await app.create(AT, byCertificate);
    const left = await app.trail(async () => {
      for (const field of ['issuer', 'audience'])
        for (const blank of ['', ' ', '\t \n', '\u00a0']) {
          assertInvalid(await app.request('POST', AT, { body: { ...byEndpoint, name: 'x', issuer: 'x', [field]: blank } }), field);
          assertInvalid(await app.request('PUT', `${AT}/${id}`, { body: { ...byCertificate, [field]: blank } }), field);
          assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { [field]: blank } }), field);
        }
    });
    assert.deepEqual(left, []);
  });

  test('addresses are http or https, and the target token is one of two', proves(154, 158), async () => {
    await using app = await open();
    const id = await app.create(AT, byEndpoint);
    const left = await app.trail(async () => {
      for (const field of ['jwksEndpoint', 'externalAuthUrl']) {
        const everyValue = [
          'nonsense',
          '/keys',
          'file:///etc/passwd',
          'ftp://issuer.example/keys',
          'javascript:alert(1)',
          'https://',
          'data:,x',
        ];
        for (const value of everyValue) {
          assertInvalid(await app.request('POST', AT, { body: { ...byEndpoint, name: 'x', issuer: 'x', [field]: value } }), field);
          assertInvalid(await app.request('PUT', `${AT}/${id}`, { body: { ...byEndpoint, [field]: value } }), field);
          assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { [field]: value } }), field);
        }
      }
      assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { jwksEndpoint: '' } }), 'jwksEndpoint');
      for (const value of ['REFRESH', 'access', ''])
        assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: { targetToken: value } }), 'targetToken');
    });
    assert.deepEqual(left, []);
    await app.request('PATCH', `${AT}/${id}`, { body: { externalAuthUrl: 'http://issuer.example/auth' } });
    assert.equal((await detail(app, id)).externalAuthUrl, 'http://issuer.example/auth');
    await app.request('PATCH', `${AT}/${id}`, { body: { externalAuthUrl: ' ' } });
    assert.equal((await detail(app, id)).externalAuthUrl, null);
  });

  test('a signer has a certificate or an address of keys, never both or neither, also by patches', proves(148, 155, 157), async () => {
    await using app = await open();
    const [certified, fetched] = [
      await app.create(AT, byCertificate),
      await app.create(AT, { ...byEndpoint, certPem: null, name: 'fetched', issuer: 'https://fetched.example' }),
    ];
    const both = { ...byCertificate, ...byEndpoint };
    const left = await app.trail(async () => {
      for (const body of [both, common]) {
        assertRefused(await app.request('POST', AT, { body: { ...body, name: 'x', issuer: 'x' } }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
        assertRefused(await app.request('PUT', `${AT}/${certified}`, { body }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
      }
      assertRefused(
        await app.request('PATCH', `${AT}/${certified}`, { body: { jwksEndpoint: ENDPOINT } }),
        400,
        'REFERENCED_ENTITY_NOT_FOUND',
      );
      assertRefused(await app.request('PATCH', `${AT}/${fetched}`, { body: { certPem: other.cert } }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
    });
    assert.deepEqual(left, []);
    assert.deepEqual(await app.trail(() => app.request('PATCH', `${AT}/${certified}`, { body: { certPem: null } })), []);
    await app.request('PUT', `${AT}/${certified}`, { body: { ...byEndpoint, certPem: null } });
    const { certPem, commonName, fingerprint, notAfter } = await detail(app, certified);
    assert.deepEqual(
      { certPem, commonName, fingerprint, notAfter },
      { certPem: null, commonName: '', fingerprint: null, notAfter: '0001-01-01T00:00:00.000Z' },
    );
    await app.request('PUT', `${AT}/${certified}`, { body: byCertificate });
    assert.equal((await detail(app, certified)).fingerprint, one.certificate.fingerprint);
  });

  test(
    'an address of keys that is null is none: left alone by a patch, taken away by a replace with a certificate',
    proves(148, 157),
    async () => {
      await using app = await open();
      assertRefused(await app.request('POST', AT, { body: { ...byEndpoint, jwksEndpoint: null } }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
      const made = await app.create(AT, { ...byCertificate, jwksEndpoint: null });
      assert.equal((await detail(app, made)).fingerprint, one.certificate.fingerprint);
      await app.request('DELETE', `${AT}/${made}`);
      const id = await app.create(AT, byEndpoint);
      const endpoint = async () => (await app.rows('externalJwtSigner')).find((row) => row.id === id)?.jwksEndpoint;
      assert.equal((await app.request('PATCH', `${AT}/${id}`, { body: { jwksEndpoint: null, enabled: false } })).status, 200);
      assert.equal(await endpoint(), ENDPOINT);
      assertRefused(
        await app.request('PUT', `${AT}/${id}`, { body: { ...byEndpoint, jwksEndpoint: null } }),
        400,
        'REFERENCED_ENTITY_NOT_FOUND',
      );
      for (const body of [byCertificate, { ...byCertificate, jwksEndpoint: null }]) {
        await app.request('PUT', `${AT}/${id}`, { body: byEndpoint });
        assert.equal((await app.request('PUT', `${AT}/${id}`, { body })).status, 200);
        assert.equal(await endpoint(), null);
        const { certPem, commonName, fingerprint, notAfter } = await detail(app, id);
        assert.deepEqual([certPem, commonName, fingerprint], [one.cert, 'one', one.certificate.fingerprint]);
        assert.equal(notAfter, '2027-11-21T10:00:00.000Z');
      }
    },
  );

  test('a certificate is exactly one, and a patch of it takes along what it says', proves(148), async () => {
    await using app = await open();
    const id = await app.create(AT, byCertificate);
    for (const certPem of ['', 'nonsense', one.cert + other.cert, one.cert.replace('MII', 'XXX'), one.key, one.cert.slice(0, -30)]) {
      assertRefused(
        await app.request('POST', AT, { body: { ...byCertificate, name: 'x', issuer: 'x', certPem } }),
        400,
        'INVALID_CERT_PEM',
      );
      assertRefused(await app.request('PATCH', `${AT}/${id}`, { body: { certPem } }), 400, 'INVALID_CERT_PEM');
    }
    await app.request('PATCH', `${AT}/${id}`, { body: { certPem: other.cert } });
    const { commonName, fingerprint } = await detail(app, id);
    assert.deepEqual([commonName, fingerprint], ['other', other.certificate.fingerprint]);
    await app.request('PATCH', `${AT}/${id}`, { body: { audience: 'them' } });
    assert.equal((await detail(app, id)).fingerprint, other.certificate.fingerprint);
  });

  test('name, issuer, kid and certificate are unique, on every write', proves(156, 159, 160), async () => {
    await using app = await open();
    await app.create(AT, { ...byCertificate, kid: 'k' });
    const body = { name: 'x', issuer: 'x', audience: 'us', enabled: true, certPem: other.cert, kid: 'x' };
    const id = await app.create(AT, body);
    for (const [field, taken] of [
      ['name', { name: 'mine' }],
      ['issuer', { issuer: byCertificate.issuer }],
      ['kid', { kid: 'k' }],
      ['fingerprint', { certPem: one.cert }],
    ] as const) {
      const fresh = { ...body, name: 'y', issuer: 'y', kid: 'y', certPem: (await party('fresh')).cert };
      assertInvalid(await app.request('POST', AT, { body: { ...fresh, ...taken } }), field);
      assertInvalid(await app.request('PUT', `${AT}/${id}`, { body: { ...body, ...taken } }), field);
      assertInvalid(await app.request('PATCH', `${AT}/${id}`, { body: taken }), field);
    }
    // No kid and no certificate are no values that could clash.
    await app.create(AT, { ...byEndpoint, name: 'a', issuer: 'a' });
    await app.create(AT, { ...byEndpoint, name: 'b', issuer: 'b' });
  });
});
