import assert from 'node:assert/strict';
import { createVerify } from 'node:crypto';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, aForeignCertificate, COMMON_NAME, caBody, certificateLogin, verifyCa } from '../support/certificates.ts';
import { list, namesIn } from '../support/lists.ts';
import { authority, NOW, party, sharedPki } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const read = async (app: App, id: string) => (await app.request('GET', `/cas/${id}`)).body.data;
const DAY = 86_400_000;
const SPIFFE = { ...COMMON_NAME, location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe' } as const;

onEveryStore('certificate authorities', (open) => {
  test(
    'a new CA is shown with its fingerprint and a token, unverified, with the roles sorted and the usual format of names',
    proves(5, 83, 89, 92, 320),
    async () => {
      await using app = await open();
      const { cert, certificate } = await authority('our CA');
      const id = await app.create('/cas', { ...caBody('ours', cert), identityRoles: ['b', 'a', 'b'], tags: { floor: '7' } });
      const { createdAt, updatedAt, verificationToken, ...fields } = await read(app, id);
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
      assert.deepEqual((await app.request('GET', '/cas')).body.data, [await read(app, id)]);
    },
  );

  test('links lead to verifying while it is owed, and to the JWT while clients may enroll by themselves', async () => {
    await using app = await open();
    const own = await aCa(app, {}, { verified: false });
    const links = async () => Object.keys((await read(app, own.id))._links).sort();
    assert.deepEqual(await links(), ['jwt', 'self', 'verify']);
    await app.request('PATCH', `/cas/${own.id}`, { body: { isAutoCaEnrollmentEnabled: false } });
    assert.deepEqual(await links(), ['self', 'verify']);
    await own.verify();
    assert.deepEqual(await links(), ['self']);
  });

  test('creation needs every field but the format, the claim and tags', proves(85, 86, 87, 88, 90), async () => {
    await using app = await open();
    const body = caBody('ours', (await authority('our CA')).cert);
    const left = await app.trail(async () => {
      for (const field of ['name', 'certPem', 'identityRoles', 'isAuthEnabled', 'isOttCaEnrollmentEnabled', 'isAutoCaEnrollmentEnabled'])
        for (const value of [undefined, null])
          assertInvalid(await app.request('POST', '/cas', { body: { ...body, [field]: value } }), field);
      for (const role of ['#a', '@a', ''])
        assertInvalid(await app.request('POST', '/cas', { body: { ...body, identityRoles: ['ok', role] } }), 'identityRoles');
      assertInvalid(await app.request('POST', '/cas', { body: { ...body, name: '' } }), 'name');
    });
    assert.deepEqual(left, []);
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
    assert.equal((await read(app, id)).fingerprint, below.certificate.fingerprint);
  });

  test('name and certificate are unique', proves(90), async () => {
    await using app = await open();
    const own = await aCa(app);
    assertInvalid(await app.request('POST', '/cas', { body: caBody('another', own.cert) }), 'certPem');
    assertInvalid(await app.request('POST', '/cas', { body: caBody(own.name, (await authority('x')).cert) }), 'name');
    const other = await aCa(app);
    for (const body of [{ name: own.name }, { name: '' }]) assertInvalid(await app.request('PATCH', `/cas/${other.id}`, { body }), 'name');
    assert.equal((await read(app, other.id)).name, other.name);
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
      const { externalIdClaim, certPem, ...after } = await read(app, own.id);
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
      const before = await read(app, own.id);
      assert.equal((await patch({ externalIdClaim: { parser: 'SPLIT', parserCriteria: '/', index: 3 } })).status, 200);
      const claim = { ...SPIFFE, parser: 'SPLIT', parserCriteria: '/', index: 3 };
      assert.deepEqual((await read(app, own.id)).externalIdClaim, claim);
      assert.equal((await patch({ name: 'renamed', identityRoles: [], isVerified: true, certPem: 'x', fingerprint: 'x' })).status, 200);
      const after = await read(app, own.id);
      assert.deepEqual(
        { ...after, updatedAt: 0 },
        { ...before, name: 'renamed', identityRoles: null, externalIdClaim: claim, updatedAt: 0 },
      );
      const left = await app.trail(async () => {
        assert.equal((await patch({ externalIdClaim: null, name: null, isAuthEnabled: null, identityNameFormat: null })).status, 200);
        assert.equal((await patch({})).status, 200);
        assertInvalid(await patch({ externalIdClaim: { matcherCriteria: '' } }), 'externalIdClaim');
      });
      assert.deepEqual(left, []);
    },
  );

  test('a claim is whole and of some use, however it is written', proves(81), async () => {
    await using app = await open();
    const post = async (externalIdClaim: object) =>
      app.request('POST', '/cas', { body: { ...caBody('x', (await authority('x')).cert), externalIdClaim } });
    for (const leaf of Object.keys(COMMON_NAME))
      assertInvalid(await post({ ...COMMON_NAME, [leaf]: undefined }), `externalIdClaim.${leaf}`);
    assertInvalid(await post({ ...COMMON_NAME, location: 'SAN_DNS' }), 'externalIdClaim.location');
    assertInvalid(await post({ ...COMMON_NAME, matcher: 'REGEX' }), 'externalIdClaim.matcher');
    assertInvalid(await post({ ...COMMON_NAME, parser: 'JSON' }), 'externalIdClaim.parser');
    assertInvalid(await post({ ...COMMON_NAME, index: -1 }), 'externalIdClaim');
    assertRefused(await post({ ...COMMON_NAME, matcher: 'SCHEME', matcherCriteria: 'x' }), 400, 'REFERENCED_ENTITY_NOT_FOUND');
    const own = await aCa(app);
    const patched = await app.request('PATCH', `/cas/${own.id}`, { body: { externalIdClaim: { location: 'SAN_URI' } } });
    assertInvalid(patched, 'externalIdClaim.matcher');
  });

  test('a claim without any part counts as not given, as the command-line client sends it', async () => {
    await using app = await open();
    const certPem = (await authority('none')).cert;
    const body = { ...caBody('none', certPem), identityNameFormat: '[caName]' };
    const nulls = { location: null, index: null };
    const id = await app.create('/cas', { ...body, externalIdClaim: {} });
    const claimed = (await aCa(app, { externalIdClaim: SPIFFE })).id;
    for (const externalIdClaim of [{}, nulls]) {
      for (const [method, of, expected] of [
        ['PATCH', id, undefined],
        ['PATCH', claimed, SPIFFE],
        ['PUT', id, undefined],
      ] as const) {
        const answer = await app.request(method, `/cas/${of}`, { body: { ...body, name: `renamed-${of}`, externalIdClaim } });
        assert.equal(answer.status, 200, answer.text);
        const after = await read(app, of);
        assert.deepEqual([after.name, after.externalIdClaim], [`renamed-${of}`, expected]);
      }
    }
    assert.deepEqual(await app.trail(() => app.request('PATCH', `/cas/${id}`, { body: { externalIdClaim: {} } })), []);
    assert.equal((await app.request('PUT', `/cas/${claimed}`, { body: { ...body, name: 'x', externalIdClaim: nulls } })).status, 200);
    assert.equal((await read(app, claimed)).externalIdClaim, undefined);
    const other = { ...body, name: 'other', certPem: (await authority('other')).cert };
    for (const externalIdClaim of [[], 'x', { location: 'SAN_URI' }, { index: 0 }])
      assert.equal(
        (await app.request('POST', '/cas', { body: { ...other, externalIdClaim } })).status,
        400,
        JSON.stringify(externalIdClaim),
      );
  });

  test('the verification token cannot be asked for, and everything else can', proves(91), async () => {
    await using app = await open();
    const own = await aCa(app, { identityRoles: ['a'] }, { verified: false });
    const found = async (filter: string) => namesIn(await list(app, '/cas', { filter }));
    assert.deepEqual(await found(`verificationToken = "${own.verificationToken}"`), []);
    for (const filter of [
      `name = "${own.name}"`,
      `fingerprint = "${own.certificate.fingerprint}"`,
      'anyOf(identityRoles) = "a"',
      'isVerified = false and isAuthEnabled = true and isOttCaEnrollmentEnabled and isAutoCaEnrollmentEnabled',
    ])
      assert.deepEqual(await found(filter), [own.name], filter);
    const { filterableFields } = (await app.request('GET', '/cas')).body.meta;
    assert.deepEqual(filterableFields.toSorted(), [
      'createdAt',
      'fingerprint',
      'id',
      'identityRoles',
      'isAuthEnabled',
      'isAutoCaEnrollmentEnabled',
      'isOttCaEnrollmentEnabled',
      'isSystem',
      'isVerified',
      'name',
      'tags',
      'updatedAt',
      'verificationToken',
    ]);
    assertRefused(await list(app, '/cas', { filter: 'subjectHash != ""' }), 400, 'INVALID_FILTER');
  });

  test('a CA is verified by a certificate of its own for its token, once', proves(91, 253, 371), async () => {
    await using app = await open();
    const own = await aCa(app, {}, { verified: false });
    assert.deepEqual(await app.trail(() => own.verify()), ['update ca']);
    assert.equal((await read(app, own.id)).isVerified, true);
    assertRefused(await own.verify(), 409, 'CA_ALREADY_VERIFIED');
    assertRefused(await verifyCa(app, 'no-such-id', (await own.issue(own.verificationToken)).cert), 404, 'NOT_FOUND');
  });

  test('nothing else verifies a CA, and it stays unverified', proves(254, 371, 447), async () => {
    await using app = await open();
    const own = await aCa(app, {}, { verified: false });
    const token = own.verificationToken;
    const impostor = await authority(own.name);
    const below = await authority('below', { by: own });
    const attempts: readonly (readonly [string, string, string])[] = [
      ['nothing', '', 'COULD_NOT_VALIDATE'],
      ['no PEM', 'nonsense', 'COULD_NOT_PARSE_BODY'],
      ['a key', own.key, 'EXPECTED_PEM_CERTIFICATE'],
      ['broken bytes', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'COULD_NOT_PARSE_DER_BLOCK'],
      ['another name', (await own.issue('somebody')).cert, 'INVALID_COMMON_NAME'],
      ['the token in capitals', (await own.issue(token.toUpperCase())).cert, 'INVALID_COMMON_NAME'],
      ['the token and more', (await own.issue(`${token} `)).cert, 'INVALID_COMMON_NAME'],
      ['signed by itself', (await party(token)).cert, 'CERTIFICATE_FAILED_VALIDATION'],
      ['signed by another of the same name', (await party(token, { by: impostor })).cert, 'CERTIFICATE_FAILED_VALIDATION'],
      ['signed by one below the CA', (await party(token, { by: below })).cert + below.cert, 'CERTIFICATE_FAILED_VALIDATION'],
      ['expired', (await own.issue(token, { notAfter: NOW - 1000 })).cert, 'CERTIFICATE_FAILED_VALIDATION'],
      ['of tomorrow', (await own.issue(token, { notBefore: NOW + DAY })).cert, 'CERTIFICATE_FAILED_VALIDATION'],
    ];
    const left = await app.trail(async () => {
      for (const [what, raw, code] of attempts) {
        const { status, body } = await verifyCa(app, own.id, raw);
        assert.deepEqual([status, body.error?.code], [400, code], what);
      }
      const json = await app.request('POST', `/cas/${own.id}/verify`, { body: { certificate: 'x' } });
      assert.equal(json.status, 415);
    });
    assert.deepEqual(left, []);
    assert.equal((await read(app, own.id)).isVerified, false);
  });

  test('a refusal of certificates says in plain words what is wrong with them, and what would be right', async () => {
    await using app = await open();
    const own = await aCa(app, {}, { verified: false });
    const { cert } = await own.issue(own.verificationToken);
    const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    const texts: readonly (readonly [string, RegExp])[] = [
      ['nonsense', /^it holds no block from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----$/],
      [own.key, /^it holds a block of another type than CERTIFICATE$/],
      [damaged, /^the content of a block CERTIFICATE is damaged: it must be the DER of one structure, in base64$/],
      [`${cert}and more`, /^there may be nothing but white space between and after the blocks$/],
      [cert.repeat(11), /^it holds more than 10 blocks$/],
      [`${cert}${' '.repeat(400_000)}`, /^it is too large: a block may have 16384 bytes, and few names and extensions$/],
    ];
    for (const [certPem, sentence] of texts) {
      const { body } = await app.request('POST', '/cas', { body: caBody('refused', certPem) });
      assert.deepEqual([body.error?.code, body.error?.cause.field], ['COULD_NOT_VALIDATE', 'certPem']);
      const [, said = ''] = /^certPem must be certificates in PEM: (.*)$/.exec(body.error?.cause.reason) ?? [];
      assert.match(said, sentence);
    }
    const verifications: readonly (readonly [string, RegExp])[] = [
      ['nonsense', /^the body must be a certificate in PEM: it holds no block from -----BEGIN CERTIFICATE-----/],
      [(await party(own.verificationToken)).cert, /^the certificate must be signed with the private key of the authority/],
      [
        (await own.issue(own.verificationToken, { notAfter: NOW - 1000 })).cert,
        /^the certificate, or that of the authority, has expired or is not valid yet$/,
      ],
    ];
    for (const [pem, sentence] of verifications) {
      const { body } = await verifyCa(app, own.id, pem);
      assert.equal(body.error?.cause.code, 'UNHANDLED');
      assert.match(body.error?.cause.message, sentence);
    }
  });

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

  test(
    'deleting a CA deletes the authenticators of its certificates and ends their sessions, and no others',
    proves(320, 342, 440),
    async () => {
      await using app = await open();
      const [own, other] = [await aCa(app), await aCa(app)];
      const [mine, theirs] = [await aForeignCertificate(app, own), await aForeignCertificate(app, other)];
      const tokenOf = async (who: typeof mine) => (await certificateLogin(app, who)).body.data.token;
      const [ended, kept] = [await tokenOf(mine), await tokenOf(theirs)];
      const left = await app.trail(() => app.request('DELETE', `/cas/${own.id}`));
      assert.deepEqual(left.toSorted(), ['delete apiSession', 'delete authenticator', 'delete ca']);
      assertRefused(await app.request('GET', `/authenticators/${mine.id}`), 404, 'NOT_FOUND');
      assertRefused(await app.request('GET', '/current-identity', { as: ended }), 401, 'UNAUTHORIZED');
      assertRefused(await certificateLogin(app, mine), 401, 'INVALID_AUTH');
      assert.equal((await app.request('GET', '/current-identity', { as: kept })).status, 200);
      assert.equal((await app.request('GET', `/identities/${mine.identityId}`)).status, 200);
      assertRefused(await app.request('GET', `/cas/${own.id}`), 404, 'NOT_FOUND');
    },
  );

  test('deleting a CA ends the sessions of those who proved an external id by it', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME });
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const { token } = (await certificateLogin(app, await own.issue('ann'))).body.data;
    assert.equal((await app.request('GET', '/current-identity', { as: token })).status, 200);
    await app.request('DELETE', `/cas/${own.id}`);
    assertRefused(await app.request('GET', '/current-identity', { as: token }), 401, 'UNAUTHORIZED');
  });
});
