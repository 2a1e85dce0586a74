import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, aCertificate, aForeignCertificate, COMMON_NAME, certificateLogin, chainOf, type TestCa } from '../support/certificates.ts';
import { LATER, post, toEnroll } from '../support/enrolling.ts';
import { list, namesIn } from '../support/lists.ts';
import { authority, NOW, type Party, party, sharedPki } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const DAY = 86_400_000;
const WAYS = ['/enroll?method=ca', '/enroll/ca'] as const;

/** Becomes an identity by what is presented. */
const become = (
  app: App,
  parties: readonly Pick<Party, 'certificate'>[],
  { name, at = WAYS[0] as string }: { name?: string; at?: string } = {},
) => post(app, at, { certificates: chainOf(...parties), ...(name === undefined ? {} : { body: { name } }) });
const byToken = (app: App, token: string, ...parties: readonly Pick<Party, 'certificate'>[]) =>
  post(app, `/enroll?method=ottca&token=${token}`, { certificates: chainOf(...parties) });
const identityNamed = async (app: App, name: string) => (await list(app, '/identities', { filter: `name = "${name}"` })).body.data[0];
const counted = async (app: App) => (await app.request('GET', '/identities')).body.meta.pagination.totalCount as number;

/** What an authority answers to with whom, and why: certificates that it does not stand for. */
const strangers = async (own: TestCa): Promise<readonly (readonly [string, readonly Party[]])[]> => {
  const impostor = await authority(own.name);
  const below = await authority('below', { by: own });
  const client = await own.issue('client');
  return [
    ['nothing', []],
    ['one that signed itself', [await party('ann')]],
    ["an impostor's", [await party('ann', { by: impostor }), impostor]],
    ['a stranger with a good one behind', [await party('ann'), client, own]],
    ['one of an authority below that is not sent', [await party('ann', { by: below })]],
    ["a client's", [await party('ann', { by: client }), client]],
    ['expired', [await own.issue('ann', { notAfter: NOW - 1000 })]],
    ['of tomorrow', [await own.issue('ann', { notBefore: NOW + DAY })]],
    ['for servers', [await own.issue('ann', { extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'] })]],
  ];
};

onEveryStore('enrollment by a certificate of an authority', (open) => {
  test('a client becomes an identity with the roles of the authority, without a token, and logs in', proves(85, 426), async () => {
    for (const at of WAYS) {
      await using app = await open();
      const own = await aCa(app, { identityRoles: ['b', 'a'] });
      const mine = await own.issue('ann');
      const { status, body } = await become(app, [mine], { at });
      assert.deepEqual([status, body.data], [200, {}]);
      const made = await identityNamed(app, `${own.name}-ann`);
      assert.partialDeepStrictEqual(made, {
        roleAttributes: ['a', 'b'],
        typeId: 'Default',
        isAdmin: false,
        authPolicyId: 'default',
        externalId: null,
        enrollment: {},
      });
      assert.equal(made.authenticators.cert.fingerprint, mine.certificate.fingerprint);
      const { data } = (await certificateLogin(app, mine)).body;
      assert.deepEqual([data.identityId, data.authenticatorId, data.isCertExtendable], [made.id, made.authenticators.cert.id, false]);
    }
  });

  test('an identity of an authority with a claim is known by its external id, and has no authenticator', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME, identityRoles: [] });
    const mine = await own.issue('ann');
    assert.deepEqual(await app.trail(() => become(app, [mine])), ['create identity']);
    const made = await identityNamed(app, `${own.name}-ann`);
    assert.deepEqual([made.externalId, made.authenticators, made.roleAttributes], ['ann', {}, null]);
    const renewed = await own.issue('ann');
    assert.equal((await certificateLogin(app, renewed)).body.data.identityId, made.id);
    assertInvalid(await become(app, [renewed]), 'externalId');
    assert.equal(await counted(app), 2);
  });

  test('every combination of format, roles and claim gives the name, the roles and the external id that it says', proves(84), async () => {
    await using app = await open();
    let serial = 0;
    for (const identityNameFormat of ['', '[commonName]', '[caId]/[requestedName]', 'x-[nope]-[identityId]'])
      for (const identityRoles of [[], ['sales']])
        for (const externalIdClaim of [undefined, COMMON_NAME]) {
          const own = await aCa(app, { identityNameFormat, identityRoles, externalIdClaim });
          const commonName = `device ${++serial}`;
          const before = new Set((await list(app, '/identities', { limit: 100 })).body.data.map(({ id }: { id: string }) => id));
          assert.equal((await become(app, [await own.issue(commonName)], { name: `wish ${serial}` })).status, 200);
          const made = (await list(app, '/identities', { limit: 100 })).body.data.find(({ id }: { id: string }) => !before.has(id));
          const name = {
            '': `${own.name}-${commonName}`,
            '[commonName]': commonName,
            '[caId]/[requestedName]': `${own.id}/wish ${serial}`,
            'x-[nope]-[identityId]': `x-[nope]-${made.id}`,
          }[identityNameFormat];
          assert.deepEqual(
            [made.name, made.roleAttributes, made.externalId, 'cert' in made.authenticators],
            [name, identityRoles.length > 0 ? identityRoles : null, externalIdClaim ? commonName : null, !externalIdClaim],
          );
        }
  });

  test('without a requested name its place is taken by the id, and one that is too long is refused', async () => {
    await using app = await open();
    const own = await aCa(app, { identityNameFormat: '[requestedName]' });
    assert.equal((await become(app, [await own.issue('ann')])).status, 200);
    const made = (await app.request('GET', '/identities')).body.data.find(({ isAdmin }: { isAdmin: boolean }) => !isAdmin);
    assert.equal(made.name, made.id);
    assertInvalid(await become(app, [await own.issue('bob')], { name: 'x'.repeat(257) }), 'name');
  });

  test('names that are taken get numbers, also when many come at once', async () => {
    await using app = await open();
    const own = await aCa(app, { identityNameFormat: 'device' });
    const parties = await Promise.all(Array.from({ length: 4 }, (_, i) => own.issue(`d${i}`)));
    const answers = await Promise.all(parties.map((each) => become(app, [each])));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    assert.deepEqual(namesIn(await list(app, '/identities', { filter: 'name contains "device" sort by name' })), [
      'device',
      'device000001',
      'device000001000002',
      'device000001000002000003',
    ]);
  });

  test('one certificate makes one identity, however often and at once it is presented', async () => {
    await using app = await open();
    const own = await aCa(app);
    const mine = await own.issue('ann');
    const answers = await Promise.all([become(app, [mine]), become(app, [mine]), become(app, [mine])]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409]);
    assertRefused(await become(app, [mine]), 409, 'CERT_IN_USE');
    assert.equal(await counted(app), 2);
  });

  test('nobody becomes an identity by a certificate that the authority does not stand for', async () => {
    await using app = await open();
    const own = await aCa(app);
    const left = await app.trail(async () => {
      for (const [what, parties] of await strangers(own)) {
        for (const at of WAYS) {
          const { status, body } = await become(app, parties, { at });
          assert.deepEqual([status, body.error?.code], [400, 'CERT_FAILED_VALIDATION'], what);
        }
      }
      const { signer } = await sharedPki();
      assertRefused(await become(app, [await party('device', { by: signer }), signer]), 400, 'CERT_FAILED_VALIDATION');
    });
    assert.deepEqual(left, []);
  });

  test(
    'nobody becomes an identity by an authority that is not verified or switched off, and the refusal says when none is known',
    proves(87, 255),
    async () => {
      await using app = await open();
      assertRefused(await become(app, []), 400, 'ENROLLMENT_NO_VALID_CAS');
      const unverified = await aCa(app, {}, { verified: false });
      const off = await aCa(app, { isAutoCaEnrollmentEnabled: false });
      for (const own of [unverified, off]) assertRefused(await become(app, [await own.issue('ann')]), 400, 'CERT_FAILED_VALIDATION');
      await app.request('PATCH', `/cas/${off.id}`, { body: { isAutoCaEnrollmentEnabled: true, isAuthEnabled: false } });
      const mine = await off.issue('ann');
      assert.equal((await become(app, [mine])).status, 200);
      assertRefused(await certificateLogin(app, mine), 401, 'INVALID_AUTH');
    },
  );

  test('a certificate from which no external id comes is refused where one is needed', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: { ...COMMON_NAME, matcher: 'PREFIX', matcherCriteria: 'id-' } });
    for (const name of ['ann', 'id-', 'id- ']) assertRefused(await become(app, [await own.issue(name)]), 400, 'MISSING_CERT_CLAIM');
    assert.equal((await become(app, [await own.issue('id-ann')])).status, 200);
    assert.equal((await identityNamed(app, `${own.name}-id-ann`)).externalId, 'ann');
  });

  test('what a certificate says is no way to more: not to a name of another, roles, or the external id of an administrator', async () => {
    await using app = await open();
    await app.create('/identities', { name: 'boss', type: 'User', isAdmin: true, externalId: 'boss' });
    const own = await aCa(app, { identityNameFormat: '[commonName]', externalIdClaim: COMMON_NAME });
    assertInvalid(await become(app, [await own.issue('boss')]), 'externalId');
    const plain = await aCa(app, { identityNameFormat: '[commonName]', identityRoles: ['clients'] });
    const body = { name: 'x', isAdmin: true, roleAttributes: ['admins'], externalId: 'boss', authPolicyId: 'x', id: 'boss' };
    const mine = await plain.issue('Default Admin');
    assert.equal((await post(app, '/enroll/ca', { body, certificates: chainOf(mine) })).status, 200);
    const made = await identityNamed(app, 'Default Admin000001');
    assert.deepEqual([made.isAdmin, made.roleAttributes, made.externalId], [false, ['clients'], null]);
  });

  test('an identity made for an authority enrolls by a certificate of it and its token, once', proves(117, 417, 426), async () => {
    await using app = await open();
    const own = await aCa(app);
    const { identityId, enrollment } = await toEnroll(app, { ottca: own.id });
    const mine = await own.issue('ann');
    const { status, body } = await byToken(app, enrollment.token, mine);
    assert.deepEqual([status, body.data], [200, {}]);
    const { data } = (await app.request('GET', `/identities/${identityId}`)).body;
    assert.deepEqual([data.enrollment, data.authenticators.cert.fingerprint], [{}, mine.certificate.fingerprint]);
    const { data: detail } = (await app.request('GET', `/authenticators/${data.authenticators.cert.id}`)).body;
    assert.equal('isIssuedByNetwork' in detail, false);
    assert.equal((await certificateLogin(app, mine)).body.data.identityId, identityId);
    assertRefused(await byToken(app, enrollment.token, await own.issue('ann')), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('an identity made for an authority shows the enrollment, the authority, and where to enroll', proves(115), async () => {
    await using app = await open();
    const own = await aCa(app);
    const { identityId } = await toEnroll(app, { ottca: own.id });
    const { id, token, jwt, expiresAt, ...ottca } = (await app.request('GET', `/identities/${identityId}`)).body.data.enrollment.ottca;
    const at = `./cas/${own.id}`;
    assert.deepEqual(ottca, {
      caId: own.id,
      ca: { _links: { self: { href: at }, jwt: { href: `${at}/jwt` } }, entity: 'cas', id: own.id, name: own.name },
    });
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString());
    assert.deepEqual([claims.em, claims.sub, claims.jti, claims.exp * 1000], ['ottca', identityId, token, Date.parse(expiresAt)]);
    assert.equal((await app.request('GET', `/enrollments/${id}`)).body.data.ca.name, own.name);
  });

  test('at /enroll/ottca the token comes in the body, and at /enroll without a method it says the method', async () => {
    await using app = await open();
    const own = await aCa(app);
    const [first, second] = [await toEnroll(app, { ottca: own.id }), await toEnroll(app, { ottca: own.id })];
    const present = async (name: string) => ({ certificates: chainOf(await own.issue(name)) });
    const inBody = { body: { token: first.enrollment.token }, ...(await present('ann')) };
    assert.equal((await post(app, '/enroll/ottca', inBody)).status, 200);
    assert.equal((await post(app, `/enroll?token=${second.enrollment.token}`, await present('bob'))).status, 200);
  });

  test('no other certificate serves, and the token is still good after every attempt', async () => {
    await using app = await open();
    const [own, other] = [await aCa(app), await aCa(app)];
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    const left = await app.trail(async () => {
      for (const [what, parties] of [...(await strangers(own)), ['of another authority', [await other.issue('ann')]] as const]) {
        const { status, body } = await byToken(app, enrollment.token, ...parties);
        assert.deepEqual([status, body.error?.code], [400, 'CERTIFICATE_FAILED_VALIDATION'], what);
      }
    });
    assert.deepEqual(left, []);
    assert.equal((await byToken(app, enrollment.token, await own.issue('ann'))).status, 200);
  });

  test('a certificate that is in use, and an identity that has one, are refused, and the token is still good', async () => {
    await using app = await open();
    const own = await aCa(app);
    const used = await aForeignCertificate(app, own);
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    assertRefused(await byToken(app, enrollment.token, used), 409, 'CERT_IN_USE');
    assert.equal((await byToken(app, enrollment.token, await own.issue('ann'))).status, 200);
    const body = { identityId: used.identityId, method: 'ottca', caId: own.id, expiresAt: LATER };
    const id = await app.create('/enrollments', body);
    const { token } = (await app.request('GET', `/enrollments/${id}`)).body.data;
    assertRefused(await byToken(app, token, await own.issue('bob')), 409, 'MAX_AUTHENTICATOR_METHODS_REACHED');
    assert.equal((await app.request('GET', `/enrollments/${id}`)).status, 200);
  });

  test('an authority that is not verified or switched off enrolls nobody, until it is', proves(88, 255), async () => {
    await using app = await open();
    const own = await aCa(app, { isOttCaEnrollmentEnabled: false }, { verified: false });
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    const mine = await own.issue('ann');
    const refused = async () => assertRefused(await byToken(app, enrollment.token, mine), 400, 'ENROLLMENT_CA_NOT_VALID');
    await refused();
    await app.request('PATCH', `/cas/${own.id}`, { body: { isOttCaEnrollmentEnabled: true } });
    await refused();
    await own.verify();
    assert.equal((await byToken(app, enrollment.token, mine)).status, 200);
  });

  test('of many who use one token at once one enrolls', async () => {
    await using app = await open();
    const own = await aCa(app);
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    const parties = await Promise.all(['a', 'b', 'c'].map((name) => own.issue(name)));
    const answers = await Promise.all(parties.map((mine) => byToken(app, enrollment.token, mine)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400]);
  });

  test('deleting an authority takes its enrollments along', async () => {
    await using app = await open();
    const own = await aCa(app);
    const { identityId, enrollment } = await toEnroll(app, { ottca: own.id });
    await app.request('DELETE', `/cas/${own.id}`);
    assert.deepEqual((await app.request('GET', `/identities/${identityId}`)).body.data.enrollment, {});
    assertRefused(await byToken(app, enrollment.token, await own.issue('ann')), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test(
    'an authenticator of an authority turns into an enrollment for that authority, one of the network into one for a certificate of it',
    proves(281),
    async () => {
      await using app = await open();
      const own = await aCa(app);
      const [foreign, network] = [await aForeignCertificate(app, own), await aCertificate(app)];
      for (const [{ id, identityId }, method, caId] of [
        [foreign, 'ottca', own.id],
        [network, 'ott', undefined],
      ] as const) {
        const { body } = await app.request('POST', `/authenticators/${id}/re-enroll`, { body: { expiresAt: LATER } });
        const { data } = (await app.request('GET', `/enrollments/${body.data.id}`)).body;
        assert.deepEqual([data.method, data.caId, data.identityId], [method, caId, identityId]);
      }
      const { token } = (await app.request('GET', `/identities/${foreign.identityId}`)).body.data.enrollment.ottca;
      assert.equal((await byToken(app, token, foreign)).status, 200, 'the same certificate serves again');
    },
  );

  test('what enrolls by certificate is of the client API, and in process nobody presents one', async () => {
    await using app = await open();
    const own = await aCa(app);
    for (const path of ['/enroll?method=ca', '/enroll/ca', '/enroll/ottca'])
      assert.equal((await app.request('POST', path, { as: null, body: {}, certificates: chainOf(await own.issue('ann')) })).status, 404);
    await assert.rejects(app.controller.enrolling.ca({}), { code: 'CERT_FAILED_VALIDATION' });
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    await assert.rejects(app.controller.enrolling.ottca({ body: { token: enrollment.token } }), { code: 'CERTIFICATE_FAILED_VALIDATION' });
  });
});
