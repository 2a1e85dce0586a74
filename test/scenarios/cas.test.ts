import assert from 'node:assert/strict';
import { createVerify } from 'node:crypto';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { aCa, caBody, readCa, SPIFFE } from '../support/certificates.ts';
import { authority, NAME_CONSTRAINTS, party, rootWith, sharedPki } from '../support/pki.ts';
import { assertInvalid } from '../support/refusals.ts';

onEveryStore('certificate authorities', (open) => {
  test(
    'a new CA is shown with its fingerprint and a token, unverified, with the roles sorted and the usual format of names',
    proves(5, 83, 89, 92, 320),
    async () => {
      await using app = await open();
      const { cert, certificate } = await authority('our CA');
      const id = await app.create('/cas', { ...caBody('ours', cert), identityRoles: ['b', 'a', 'b'], tags: { floor: '7' } });
      const { createdAt, updatedAt, verificationToken, ...fields } = await readCa(app, id);
      assert.equal(createdAt, updatedAt);
      assert.match(verificationToken, /^[0-9a-f-]{36}$/);
      assert.deepEqual(fields, {
        _links: { self: { href: `./cas/${id}` }, verify: { href: `./cas/${id}/verify` }, jwt: { href: `./cas/${id}/jwt` } },
        id,
        name: 'ours',
        certPem: cert,
        fingerprint: certificate.fingerprint,
        identityRoles: ['a', 'b'],
        identityNameFormat: '[caName]-[commonName]',
        isAuthEnabled: true,
        isOttCaEnrollmentEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isVerified: false,
        tags: { floor: '7' },
      });
      assert.deepEqual((await app.request('GET', '/cas')).body.data, [await readCa(app, id)]);
    },
  );

  test('links lead to verifying while it is owed, and to the JWT while clients may enroll by themselves', async () => {
    await using app = await open();
    const own = await aCa(app, {}, { verified: false });
    const links = async () => Object.keys((await readCa(app, own.id))._links).sort();
    assert.deepEqual(await links(), ['jwt', 'self', 'verify']);
    await app.request('PATCH', `/cas/${own.id}`, { body: { isAutoCaEnrollmentEnabled: false } });
    assert.deepEqual(await links(), ['self', 'verify']);
    await own.verify();
    assert.deepEqual(await links(), ['self']);
  });

  test('certPem is one or more certificates of which the first is that of an authority that may sign', proves(80), async () => {
    await using app = await open();
    const [root, client] = [await authority('root'), await party('client')];
    const noSigner = await authority('no signer', { keyUsage: 1 });
    const left = await app.trail(async () => {
      for (const certPem of ['', 'nonsense', root.key, root.cert + root.key, client.cert, client.cert + root.cert, noSigner.cert])
        assertInvalid(await app.request('POST', '/cas', { body: caBody('ours', certPem) }), 'certPem');
      assertInvalid(await app.request('POST', '/cas', { body: caBody('ours', root.cert.repeat(11)) }), 'certPem');
    });
    assert.deepEqual(left, []);
    const below = await authority('below', { by: root });
    const id = await app.create('/cas', caBody('ours', below.cert + root.cert));
    assert.equal((await readCa(app, id)).fingerprint, below.certificate.fingerprint);
  });

  test('an authority with critical name constraints, or another critical extension that is unknown, is refused at once with the reason', async () => {
    await using app = await open();
    const refused = [
      [NAME_CONSTRAINTS, /critical name constraints/],
      [{ oid: '1.2.3.4', hex: '0500' }, /critical extension that this controller does not support: 1\.2\.3\.4/],
    ] as const;
    for (const [extension, reason] of refused) {
      const create = async (isCritical: boolean) =>
        app.request('POST', '/cas', { body: caBody(`ours ${isCritical}`, (await rootWith({ ...extension, isCritical })).cert) });
      const answer = await create(true);
      assertInvalid(answer, 'certPem');
      assert.match(answer.body.error.cause.reason, reason);
    }
    const { cert } = await rootWith({ ...NAME_CONSTRAINTS, isCritical: false });
    await app.create('/cas', caBody('advised only', cert));
  });

  test('the certificate of an authority is that of no other', proves(90), async () => {
    await using app = await open();
    const own = await aCa(app);
    assertInvalid(await app.request('POST', '/cas', { body: caBody('another', own.cert) }), 'certPem');
  });

  test(
    'replace needs the format too, which may be blank, and takes away the claim, the roles and the tags that are not given',
    proves(84, 94, 320),
    async () => {
      await using app = await open();
      const own = await aCa(app, { externalIdClaim: SPIFFE, tags: { a: 'b' }, identityNameFormat: '[commonName]' });
      const body = {
        name: 'renamed',
        isAuthEnabled: false,
        isOttCaEnrollmentEnabled: false,
        isAutoCaEnrollmentEnabled: false,
        identityRoles: [],
        identityNameFormat: ' ',
      };
      for (const field of Object.keys(body))
        assertInvalid(await app.request('PUT', `/cas/${own.id}`, { body: { ...body, [field]: undefined } }), field);
      assert.equal((await app.request('PUT', `/cas/${own.id}`, { body: { ...body, certPem: 'x', isVerified: false } })).status, 200);
      const { externalIdClaim, certPem, ...after } = await readCa(app, own.id);
      assert.equal(externalIdClaim, undefined);
      assert.equal(certPem, own.cert);
      assert.partialDeepStrictEqual(after, {
        ...body,
        identityRoles: null,
        identityNameFormat: '[caName]-[commonName]',
        isVerified: true,
        tags: {},
      });
    },
  );

  test(
    'a patch changes what it names: of the claim each part on its own, and nothing that only the server may set',
    proves(80, 81, 89, 93),
    async () => {
      await using app = await open();
      const own = await aCa(app, { externalIdClaim: SPIFFE }, { verified: false });
      const patch = (body: object) => app.request('PATCH', `/cas/${own.id}`, { body });
      const before = await readCa(app, own.id);
      assert.equal((await patch({ externalIdClaim: { parser: 'SPLIT', parserCriteria: '/', index: 3 } })).status, 200);
      const claim = { ...SPIFFE, parser: 'SPLIT', parserCriteria: '/', index: 3 };
      assert.deepEqual((await readCa(app, own.id)).externalIdClaim, claim);
      assert.equal((await patch({ name: 'renamed', identityRoles: [], isVerified: true, certPem: 'x', fingerprint: 'x' })).status, 200);
      const after = await readCa(app, own.id);
      assert.deepEqual(
        { ...after, updatedAt: 0 },
        { ...before, name: 'renamed', identityRoles: null, externalIdClaim: claim, updatedAt: 0 },
      );
      assert.equal((await patch({ identityNameFormat: '[caId]', isAutoCaEnrollmentEnabled: false })).status, 200);
      const { identityNameFormat, isAutoCaEnrollmentEnabled, isAuthEnabled, isOttCaEnrollmentEnabled } = await readCa(app, own.id);
      assert.deepEqual(
        [identityNameFormat, isAutoCaEnrollmentEnabled, isAuthEnabled, isOttCaEnrollmentEnabled],
        ['[caId]', false, true, true],
      );
      const left = await app.trail(async () => {
        const flags = { isAuthEnabled: null, isOttCaEnrollmentEnabled: null, isAutoCaEnrollmentEnabled: null };
        assert.equal((await patch({ name: null, identityNameFormat: null, ...flags })).status, 200);
        assert.equal((await patch({})).status, 200);
        assertInvalid(await patch({ externalIdClaim: { matcherCriteria: '' } }), 'externalIdClaim');
      });
      assert.deepEqual(left, []);
    },
  );

  test('the JWT of a CA tells where to enroll, is signed by the key of the server, and does not end', proves(370), async () => {
    await using app = await open();
    const own = await aCa(app);
    const { status, text, headers } = await app.request('GET', `/cas/${own.id}/jwt`);
    assert.deepEqual([status, headers['content-type']], [200, 'application/jwt']);
    const [header = '', claims = '', signature = ''] = text.split('.');
    const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const { server } = await sharedPki();
    assert.deepEqual(json(header), { alg: 'ES256', kid: server.certificate.fingerprint, typ: 'JWT' });
    assert.deepEqual(json(claims), {
      iss: 'https://127.0.0.1:1280/',
      sub: own.id,
      aud: ['openziti-enroller'],
      jti: own.id,
      em: 'ca',
      ctrls: null,
    });
    const verify = createVerify('sha256').update(`${header}.${claims}`);
    assert.ok(verify.verify({ key: server.cert, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')));
  });
});
