import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyUsage } from '../../src/crypto/pki/certificate.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, aCertificate, aForeignCertificate, COMMON_NAME, certificateLogin } from '../support/certificates.ts';
import { authority, NOW, type Party, type PartyOptions, party, sharedPki } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

const DAY = 86_400_000;
const EXPIRED = { notBefore: NOW - 10 * DAY, notAfter: NOW - DAY } as const;
const FUTURE = { notBefore: NOW + DAY, notAfter: NOW + 10 * DAY } as const;
const SERVER = { extendedKeyUsage: ['1.3.6.1.5.5.7.3.1'] } as const;

type Holder = (app: App, options: PartyOptions) => Promise<{ readonly login: readonly Party[]; readonly identityId: string }>;

const ofNetwork: Holder = async (app, options) => {
  const own = await aCertificate(app, options);
  return { ...own, login: [own, (await sharedPki()).signer] };
};
const ofAuthority: Holder = async (app, options) => {
  const own = await aForeignCertificate(app, await aCa(app, {}, { as: await authority('old', { notBefore: NOW - 100 * DAY }) }), options);
  return { ...own, login: [own] };
};
/** Known by the external id that the common name is. */
const byExternalId: Holder = async (app, options) => {
  const own = await aCa(app, { externalIdClaim: COMMON_NAME });
  const identityId = await app.create('/identities', { name: own.name, type: 'User', isAdmin: false, externalId: own.name });
  return { identityId, login: [await own.issue(own.name, options)] };
};

const policies = {
  lenient: {},
  'without expired ones': { allowExpiredCerts: false },
  'without certificates': { allowed: false },
} as const;

const holders = { 'the network': ofNetwork, 'an authority': ofAuthority, 'an authority with a claim': byExternalId } as const;

/** Whether a certificate of this kind logs in under each policy, whoever issued it. */
const kinds: readonly (readonly [string, PartyOptions, Readonly<Record<keyof typeof policies, boolean>>])[] = [
  ['good', {}, { lenient: true, 'without expired ones': true, 'without certificates': false }],
  ['expired', EXPIRED, { lenient: true, 'without expired ones': false, 'without certificates': false }],
  ['not yet valid', FUTURE, { lenient: true, 'without expired ones': false, 'without certificates': false }],
  ['for servers only', SERVER, { lenient: false, 'without expired ones': false, 'without certificates': false }],
  [
    'for servers and clients',
    { extendedKeyUsage: [...SERVER.extendedKeyUsage, '1.3.6.1.5.5.7.3.2'] },
    { lenient: true, 'without expired ones': true, 'without certificates': false },
  ],
  ['for whatever use', { extendedKeyUsage: [] }, { lenient: true, 'without expired ones': true, 'without certificates': false }],
  [
    'for encryption only',
    { keyUsage: KeyUsage.keyEncipherment },
    { lenient: false, 'without expired ones': false, 'without certificates': false },
  ],
];

onEveryStore('login by certificate', (open) => {
  test('a certificate logs in as its issuer, its dates, its use and the policy allow', proves(49, 355, 423, 429), async () => {
    for (const [issuer, hold] of Object.entries(holders)) {
      await using app = await open();
      for (const [kind, options, outcome] of kinds) {
        const { login, identityId } = await hold(app, options);
        for (const [name, cert] of Object.entries(policies)) {
          const authPolicyId = await app.create('/auth-policies', policyBody(`${kind} ${name}`, { cert }));
          await app.request('PATCH', `/identities/${identityId}`, { body: { authPolicyId } });
          const { status, body } = await certificateLogin(app, ...login);
          const expected = outcome[name as keyof typeof policies] ? [200, identityId] : [401, undefined];
          assert.deepEqual([status, body.data?.identityId], expected, `${kind}, of ${issuer}, policy ${name}`);
        }
      }
    }
  });

  test('a session by a certificate of the network names its authenticator and may extend the certificate', proves(37, 42), async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const own = await aCertificate(app);
    const { data } = (await certificateLogin(app, own, signer)).body;
    assert.deepEqual(
      [data.identityId, data.authenticatorId, data.isCertExtendable, 'improperClientCertChain' in data],
      [own.identityId, own.id, true, false],
    );
    for (const field of ['isCertExtendRequested', 'isCertKeyRollRequested', 'caId']) assert.equal(field in data, false, field);
  });

  test('a client that leaves out the chain above its certificate is known all the same, and the answer says so', async () => {
    await using app = await open();
    const { signer } = await sharedPki();
    const own = await aCertificate(app);
    const resolved = async () => (await app.request('GET', `/authenticators/${own.id}`)).body.data.lastAuthResolvedToRoot;
    assert.equal((await certificateLogin(app, own)).body.data.improperClientCertChain, true);
    assert.equal(await resolved(), undefined);
    assert.equal((await certificateLogin(app, own, signer)).body.data.improperClientCertChain, undefined);
    assert.equal(await resolved(), true);
    assert.deepEqual(await app.trail(() => certificateLogin(app, own, signer)), ['create apiSession']);
  });

  test(
    'a session by a certificate of an authority names its authenticator, or internal where an external id was proved',
    proves(37, 42),
    async () => {
      await using app = await open();
      const own = await aForeignCertificate(app, await aCa(app));
      const session = (await certificateLogin(app, own)).body.data;
      assert.deepEqual([session.authenticatorId, session.isCertExtendable], [own.id, false]);
      const { login } = await byExternalId(app, {});
      const other = (await certificateLogin(app, ...login)).body.data;
      assert.deepEqual([other.authenticatorId, other.isCertExtendable], ['internal', false]);
    },
  );

  test('authorities between are to be sent along, and each must be one', async () => {
    await using app = await open();
    const root = await aCa(app, { externalIdClaim: COMMON_NAME });
    const middle = await authority('middle', { by: root });
    const noAuthority = await party('no authority', { by: root });
    await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
    const ann = await party('ann', { by: middle });
    assertRefused(await certificateLogin(app, ann), 401, 'INVALID_AUTH');
    assert.equal((await certificateLogin(app, ann, middle)).status, 200);
    assert.equal((await certificateLogin(app, ann, noAuthority, middle, root)).status, 200);
    assertRefused(await certificateLogin(app, await party('ann', { by: noAuthority }), noAuthority), 401, 'INVALID_AUTH');
  });

  test(
    'where a claim gives an external id nothing else counts, and where it gives none the certificate itself does',
    proves(82),
    async () => {
      await using app = await open();
      const own = await aCa(app, { externalIdClaim: { ...COMMON_NAME, matcher: 'PREFIX', matcherCriteria: 'id-' } });
      const [plain, claimed] = [await own.issue('plain'), await own.issue('id-ann')];
      for (const { cert, certificate } of [plain, claimed]) {
        const identityId = await app.create('/identities', { name: certificate.fingerprint, type: 'User', isAdmin: false });
        await app.create('/authenticators', { identityId, method: 'cert', certPem: cert });
      }
      assert.equal((await certificateLogin(app, plain)).status, 200);
      assertRefused(await certificateLogin(app, claimed), 401, 'INVALID_AUTH');
      const ann = await app.create('/identities', { name: 'ann', type: 'User', isAdmin: false, externalId: 'ann' });
      assert.equal((await certificateLogin(app, claimed)).body.data.identityId, ann);
    },
  );

  test('a claim that is changed counts for the next login', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME });
    const ids = [];
    for (const externalId of ['a', 'b'])
      ids.push(await app.create('/identities', { name: externalId, type: 'User', isAdmin: false, externalId }));
    const mine = await own.issue('a.b');
    assertRefused(await certificateLogin(app, mine), 401, 'INVALID_AUTH');
    for (const index of [0, 1]) {
      await app.request('PATCH', `/cas/${own.id}`, { body: { externalIdClaim: { parser: 'SPLIT', parserCriteria: '.', index } } });
      assert.equal((await certificateLogin(app, mine)).body.data.identityId, ids[index]);
    }
  });

  test(
    'a session of a certificate lives on when the switch of its authority is turned off, and new logins are refused at once',
    proves(86, 423),
    async () => {
      await using app = await open();
      const own = await aCa(app);
      const mine = await aForeignCertificate(app, own);
      const { token } = (await certificateLogin(app, mine)).body.data;
      await app.request('PATCH', `/cas/${own.id}`, { body: { isAuthEnabled: false } });
      assertRefused(await certificateLogin(app, mine), 401, 'INVALID_AUTH');
      assert.equal((await app.request('GET', '/current-identity', { as: token })).status, 200);
      await app.request('PATCH', `/cas/${own.id}`, { body: { isAuthEnabled: true } });
      assert.equal((await certificateLogin(app, mine)).status, 200);
    },
  );

  test('facts about the client that a login contains are kept', proves(356, 357), async () => {
    await using app = await open();
    const own = await aCertificate(app);
    const told = { envInfo: { os: 'linux' }, sdkInfo: { type: 'sdk-c', version: '1.2.3' } };
    const path = '/edge/client/v1/authenticate?method=cert';
    const body = { ...told, configTypes: ['all'] };
    const { data } = (await app.request('POST', path, { as: null, body, certificates: own.certificates })).body;
    assert.deepEqual(data.configTypes, ['all']);
    const { envInfo, sdkInfo } = (await app.request('GET', `/identities/${own.identityId}`)).body.data;
    assert.deepEqual({ envInfo, sdkInfo }, told);
  });

  test('nobody logs in by certificate without one: not over HTTP, and not in process', async () => {
    await using app = await open();
    for (const certificates of [undefined, [], [new Uint8Array([1, 2, 3])]])
      assertRefused(
        await app.request('POST', '/authenticate?method=cert', { as: null, body: {}, ...(certificates ? { certificates } : {}) }),
        401,
        'INVALID_AUTH',
      );
    await assert.rejects(app.controller.api.authentication.authenticate({ method: 'cert' }), { code: 'INVALID_AUTH' });
  });
});
