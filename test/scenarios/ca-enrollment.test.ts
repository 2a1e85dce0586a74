import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { strangers } from '../support/ca-enrollment.ts';
import { aCa, COMMON_NAME, certificateLogin, chainOf } from '../support/certificates.ts';
import { post, toEnroll } from '../support/enrolling.ts';
import { list, namesIn } from '../support/lists.ts';
import { type Party, party, sharedPki } from '../support/pki.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const WAYS = ['/enroll?method=ca', '/enroll/ca'] as const;

/** Becomes an identity by what is presented. */
const become = (
  app: App,
  parties: readonly Pick<Party, 'certificate'>[],
  { name, at = WAYS[0] as string }: { name?: string; at?: string } = {},
) => post(app, at, { certificates: chainOf(...parties), ...(name === undefined ? {} : { body: { name } }) });
const identityNamed = async (app: App, name: string) => (await list(app, '/identities', { filter: `name = "${name}"` })).body.data[0];
const counted = async (app: App) => (await app.request('GET', '/identities')).body.meta.pagination.totalCount as number;

onEveryStore('enrollment by a certificate of an authority', (open) => {
  test('a client becomes an identity with the roles of the authority, without a token, and logs in', proves(85, 426), async () => {
    for (const at of WAYS) {
      await using app = await open();
      const own = await aCa(app, { identityRoles: ['b', 'a'] });
      const mine = await own.issue('ann');
      assertRefused(await certificateLogin(app, mine), 401, 'INVALID_AUTH');
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
    proves(87, 255, 441),
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

  test('what a certificate says opens no way to more: not to a name of another, roles, or the external id of an administrator', async () => {
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

  test('what enrolls by certificate is of the client API, and in process nobody presents one', async () => {
    await using app = await open();
    const own = await aCa(app);
    for (const path of ['/enroll?method=ca', '/enroll/ca', '/enroll/ottca'])
      assert.equal((await app.request('POST', path, { as: null, body: {}, certificates: chainOf(await own.issue('ann')) })).status, 404);
    await assert.rejects(app.controller.api.enrolling.ca({}), { code: 'CERT_FAILED_VALIDATION' });
    const { enrollment } = await toEnroll(app, { ottca: own.id });
    await assert.rejects(app.controller.api.enrolling.ottca({ body: { token: enrollment.token } }), {
      code: 'CERTIFICATE_FAILED_VALIDATION',
    });
  });
});
