import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { aCa, caBody, readCa, verifyCa } from '../support/certificates.ts';
import { list, namesIn } from '../support/lists.ts';
import { authority, NOW, party } from '../support/pki.ts';
import { assertRefused } from '../support/refusals.ts';

const DAY = 86_400_000;

onEveryStore('verification of certificate authorities', (open) => {
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
    assert.equal((await readCa(app, own.id)).isVerified, true);
    assertRefused(await own.verify(), 409, 'CA_ALREADY_VERIFIED');
    assertRefused(await verifyCa(app, 'no-such-id', (await own.issue(own.verificationToken)).cert), 404, 'NOT_FOUND');
  });

  test('nothing else verifies a CA, and it stays unverified', proves(91, 253, 254, 371, 447), async () => {
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
    assert.equal((await readCa(app, own.id)).isVerified, false);
  });

  test('a refusal of certificates says in plain words what is wrong with them, and what would be right', async () => {
    await using app = await open();
    const own = await aCa(app, {}, { verified: false });
    const { cert } = await own.issue(own.verificationToken);
    const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    const texts: readonly (readonly [string, RegExp])[] = [
      ['nonsense', /^it contains no block from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----$/],
      [own.key, /^it contains a block of another type than CERTIFICATE$/],
      [damaged, /^the content of a block CERTIFICATE is damaged: it must be the DER of one structure, in base64$/],
      [`${cert}-----BEGIN CERTIFICATE-----`, /^a block in it has no beginning or no end$/],
      [cert.repeat(11), /^it contains more than 10 blocks$/],
      [
        `${cert}${' '.repeat(400_000)}`,
        /^it is too large: a block may have at most 16384 bytes, and a limited number of names and extensions$/,
      ],
    ];
    for (const [certPem, sentence] of texts) {
      const { body } = await app.request('POST', '/cas', { body: caBody('refused', certPem) });
      assert.deepEqual([body.error?.code, body.error?.cause.field], ['COULD_NOT_VALIDATE', 'certPem']);
      const [, said = ''] = /^certPem must contain certificates in PEM: (.*)$/.exec(body.error?.cause.reason) ?? [];
      assert.match(said, sentence);
    }
    const verifications: readonly (readonly [string, RegExp])[] = [
      ['nonsense', /^the body must be a certificate in PEM: it contains no block from -----BEGIN CERTIFICATE-----/],
      [
        (await party(own.verificationToken)).cert,
        /^the certificate must be signed with the private key of an authority that may sign certificates/,
      ],
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
});
