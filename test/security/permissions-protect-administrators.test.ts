/**
 * Permissions reach no administrator, and nobody with more rights: each row is tried with every permission that could reach it, and with
 * all of them together.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERMISSIONS } from '../../src/contract/api/permissions.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { aCa, COMMON_NAME, caBody, certificateLogin } from '../support/certificates.ts';
import { authority, party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { AUDIENCE, certificateSigner, claimsOf, keyOfParty, loginByToken, sign } from '../support/provider.ts';

const LATER = '2099-01-01T00:00:00.000Z';
const EVERYTHING = PERMISSIONS.filter((name) => name !== 'admin_readonly');
/** Combinations that are tried on each row. */
const HELD: readonly (readonly string[])[] = [
  ['identity'],
  ['identity.read', 'identity.update'],
  ['enrollment'],
  ['external-jwt-signer'],
  ['ca'],
  ['auth-policy'],
  ['ops'],
  ['admin_readonly'],
  EVERYTHING,
  [...PERMISSIONS],
];

/**
 * The identities out of reach: an administrator, the default one with `isAdmin` taken away in the store, and one that holds a permission
 * more.
 */
const victims = async (app: App) => {
  const policy = await app.create('/auth-policies', policyBody('theirs'));
  const administrator = await app.user({ isAdmin: true, authPolicyId: policy, externalId: 'admin@example.org' });
  const auditor = await app.user({ permissions: ['admin_readonly', 'service.delete', 'ca.create'], authPolicyId: policy });
  const all: { id: string; enrollment: string; session: string; policy: string }[] = [];
  for (const { id, login } of [administrator, auditor]) {
    const enrollment = await app.create('/enrollments', { identityId: id, method: 'ott', expiresAt: LATER });
    await login();
    const session = (await app.request('GET', `/api-sessions?filter=identity="${id}"`)).body.data[0].id;
    all.push({ id, enrollment, session, policy });
  }
  return all;
};

onEveryStore('an identity with more rights', (open) => {
  test('is changed, disabled, deleted, enrolled and logged out by no permission', async () => {
    await using app = await open();
    const all = await victims(app);
    for (const held of HELD) {
      const token = await (await app.user({ permissions: held })).login();
      for (const { id, enrollment, session, policy } of all) {
        // The auditor is within reach of one that holds all that it holds.
        if (held.length === PERMISSIONS.length && id === all[1]?.id) continue;
        const attempts: readonly (readonly [string, string, unknown?])[] = [
          ['PATCH', `/identities/${id}`, { name: 'taken' }],
          ['PUT', `/identities/${id}`, { name: 'taken', type: 'User', isAdmin: true }],
          ['POST', `/identities/${id}/disable`, { durationMinutes: 1 }],
          ['POST', `/identities/${id}/enable`],
          ['DELETE', `/identities/${id}/mfa`],
          ['PUT', `/identities/${id}/trace`, { enabled: true, traceId: 'x', duration: '5m', channels: ['all'] }],
          ['DELETE', `/identities/${id}`],
          ['POST', '/enrollments', { identityId: id, method: 'updb', username: 'stolen', expiresAt: LATER }],
          ['GET', `/enrollments/${enrollment}`],
          ['POST', `/enrollments/${enrollment}/refresh`, { expiresAt: LATER }],
          ['DELETE', `/enrollments/${enrollment}`],
          ['PATCH', `/auth-policies/${policy}`, { primary: { updb: { allowed: false } } }],
          ['PUT', `/auth-policies/${policy}`, policyBody('theirs')],
        ];
        for (const [method, path, body] of attempts) {
          const answer = await app.request(method, path, { as: token, body });
          assert.equal(answer.status, 401, `${held.join()}: ${method} ${path}: ${answer.text}`);
        }
        const ended = await app.request('DELETE', `/api-sessions/${session}`, { as: token });
        assert.ok([401, 403].includes(ended.status), `${held.join()}: ${ended.text}`);
      }
    }
    for (const { id, enrollment, session } of all)
      for (const path of [`/identities/${id}`, `/enrollments/${enrollment}`, `/api-sessions/${session}`])
        assert.equal((await app.request('GET', path)).status, 200);
  });

  test('shows its enrollments to no permission, in no list, count or filter', async () => {
    await using app = await open();
    const all = await victims(app);
    const token = await (await app.user({ permissions: EVERYTHING })).login();
    for (const { id } of all) {
      const below = await app.request('GET', `/identities/${id}/enrollments`, { as: token });
      assert.deepEqual([below.status, below.body.data, below.body.meta.pagination.totalCount], [200, [], 0]);
      const among = await app.request('GET', `/enrollments?filter=${encodeURIComponent(`identity = "${id}"`)}`, { as: token });
      assert.deepEqual([among.body.data, among.body.meta.pagination.totalCount], [[], 0]);
      const detail = (await app.request('GET', `/identities/${id}`, { as: token })).body.data;
      assert.doesNotMatch(JSON.stringify(detail.enrollment), /"token":"[^"]/);
      assert.doesNotMatch(JSON.stringify(detail.enrollment), /"jwt"/);
    }
  });

  test('comes into being by no permission: neither permissions nor administration are given or taken', async () => {
    await using app = await open();
    const plain = await app.user();
    for (const held of HELD) {
      const delegate = await app.user({ permissions: held });
      const token = await delegate.login();
      for (const given of [{ isAdmin: true }, { permissions: [...held] }, { permissions: ['service.read'] }]) {
        const body = { name: `new ${held.length}`, type: 'User', isAdmin: false, ...given };
        assert.equal((await app.request('POST', '/identities', { as: token, body })).status, 401, held.join());
      }
      for (const id of [plain.id, delegate.id])
        for (const body of [{ isAdmin: true }, { isAdmin: false }, { permissions: [] }, { permissions: [...held, 'ca'] }]) {
          const answer = await app.request('PATCH', `/identities/${id}`, { as: token, body });
          assert.equal(answer.status, 401, `${held.join()}: ${JSON.stringify(body)}: ${answer.text}`);
        }
    }
    const { permissions, isAdmin } = (await app.request('GET', `/identities/${plain.id}`)).body.data;
    assert.deepEqual([permissions, isAdmin], [[], false]);
  });

  test('whose rights are within the caller’s own is within its reach', async () => {
    await using app = await open();
    const token = await (await app.user({ permissions: ['identity', 'service'] })).login();
    const less = await app.user({ permissions: ['service.read', 'identity.update'] });
    assert.equal((await app.request('PATCH', `/identities/${less.id}`, { as: token, body: { name: 'renamed' } })).status, 200);
  });
});

onEveryStore('a session of a delegate', (open) => {
  test('that owes a factor has no permission', async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
    const token = await (await app.user({ permissions: [...PERMISSIONS], authPolicyId })).login();
    for (const path of ['/identities', '/services', '/summary']) assert.equal((await app.request('GET', path, { as: token })).status, 401);
  });

  test('gains and loses rights with its identity, at once', async () => {
    await using app = await open();
    const user = await app.user();
    const token = await user.login();
    const list = async () => (await app.request('GET', '/services', { as: token })).status;
    const give = (permissions: readonly string[]) => app.request('PATCH', `/identities/${user.id}`, { body: { permissions } });
    assert.equal(await list(), 401);
    await give(['service.read']);
    assert.equal(await list(), 200);
    await give([]);
    assert.equal(await list(), 401);
  });

  test('sees on the client API no more than any other', async () => {
    await using app = await open();
    await app.create('/services', { name: 'hidden', encryptionRequired: true });
    const { username } = await app.user({ permissions: [...PERMISSIONS] });
    const login = await app.request('POST', '/edge/client/v1/authenticate?method=password', {
      as: null,
      body: { username, password: PASSWORD },
    });
    const { data } = (await app.request('GET', '/edge/client/v1/services', { as: login.body.data.token })).body;
    assert.deepEqual(data, []);
  });

  test('has every session within ops, and its own without', async () => {
    await using app = await open();
    const [ops, plain] = [await (await app.user({ permissions: ['ops'] })).login(), await (await app.user()).login()];
    for (const [token, status] of [
      [ops, 200],
      [plain, 401],
    ] as const)
      assert.equal((await app.request('GET', '/api-sessions', { as: token })).status, status);
    assert.equal((await app.request('GET', '/sessions', { as: ops })).status, 200);
  });
});

onEveryStore('what vouches for identities', (open) => {
  const people = async (app: App) => ({
    administrator: await app.user({ isAdmin: true, externalId: 'root@example.org' }),
    delegate: await app.user({ permissions: ['service.read'], externalId: 'delegate@example.org' }),
    plain: await app.user({ externalId: 'ann@example.org' }),
  });

  test('a signer that a delegate wrote proves plain identities, and nobody with rights', async () => {
    await using app = await open();
    await people(app);
    const token = await (await app.user({ permissions: ['external-jwt-signer'] })).login();
    const own = await party('own');
    const body = {
      name: 'own',
      issuer: 'https://own.example',
      audience: AUDIENCE,
      enabled: true,
      certPem: own.cert,
      kid: 'own',
      useExternalId: true,
    };
    const created = await app.request('POST', '/external-jwt-signers', { as: token, body });
    assert.equal(created.status, 201, created.text);
    const key = await keyOfParty(own, 'own');
    const login = async (sub: string) => (await loginByToken(app, await sign(claimsOf(body.issuer, { sub }), key))).status;
    assert.deepEqual(
      [await login('root@example.org'), await login('delegate@example.org'), await login('ann@example.org')],
      [401, 401, 200],
    );
    // Once an administrator stands behind it, it proves everybody.
    const patch = await app.request('PATCH', `/external-jwt-signers/${created.body.data.id}`, {
      body: { issuer: 'https://theirs.example' },
    });
    assert.equal(patch.status, 200);
    const again = await loginByToken(app, await sign(claimsOf('https://theirs.example', { sub: 'root@example.org' }), key));
    assert.equal(again.status, 200);
  });

  test('a signer that a delegate has changed proves no administrator any more', async () => {
    await using app = await open();
    await people(app);
    const signer = await certificateSigner(app, { useExternalId: false });
    const token = await (await app.user({ permissions: ['external-jwt-signer'] })).login();
    const { status } = await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { as: token, body: { useExternalId: true } });
    assert.equal(status, 200);
    assert.equal((await loginByToken(app, await signer.token({ sub: 'root@example.org' }))).status, 401);
    assert.equal((await loginByToken(app, await signer.token({ sub: 'ann@example.org' }))).status, 200);
  });

  test('a signer that the policy of an administrator names is out of reach', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true });
    const named = { primary: { extJwt: { allowed: true, allowedSigners: [signer.id] } } };
    const [policy] = [await app.create('/auth-policies', policyBody('by signer'))];
    await app.request('PATCH', `/auth-policies/${policy}`, { body: named });
    await app.user({ isAdmin: true, authPolicyId: policy });
    const token = await (await app.user({ permissions: [...PERMISSIONS] })).login();
    for (const [method, body] of [
      ['PATCH', { enabled: false }],
      ['PUT', signer.body],
      ['DELETE', undefined],
    ] as const) {
      const { status } = await app.request(method, `/external-jwt-signers/${signer.id}`, { as: token, body });
      assert.ok(status === 401 || status === 409, `${method}: ${status}`);
    }
    assert.equal((await app.request('GET', `/external-jwt-signers/${signer.id}`)).body.data.enabled, true);
  });

  test('an authority that a delegate wrote or verified proves plain identities, and nobody with rights', async () => {
    await using app = await open();
    await people(app);
    const token = await (await app.user({ permissions: ['ca'] })).login();
    const own = await authority('own');
    const created = await app.request('POST', '/cas', { as: token, body: { ...caBody('own', own.cert), externalIdClaim: COMMON_NAME } });
    assert.equal(created.status, 201, created.text);
    const { verificationToken } = (await app.request('GET', `/cas/${created.body.data.id}`, { as: token })).body.data;
    const proof = (await party(verificationToken, { by: own })).cert;
    const verified = await app.request('POST', `/cas/${created.body.data.id}/verify`, {
      as: token,
      raw: proof,
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(verified.status, 200, verified.text);
    for (const [name, status] of [
      ['root@example.org', 401],
      ['delegate@example.org', 401],
      ['ann@example.org', 200],
    ] as const)
      assert.equal((await certificateLogin(app, await party(name, { by: own }))).status, status, name);
  });

  test('an authority under which an administrator has a certificate is out of reach', async () => {
    await using app = await open();
    const own = await aCa(app);
    const mine = await own.issue('mine');
    const { id } = await app.user({ isAdmin: true });
    await app.create('/authenticators', { identityId: id, method: 'cert', certPem: mine.cert });
    const token = await (await app.user({ permissions: [...PERMISSIONS] })).login();
    for (const [method, body] of [
      ['PATCH', { isAuthEnabled: false }],
      ['DELETE', undefined],
    ] as const)
      assert.equal((await app.request(method, `/cas/${own.id}`, { as: token, body })).status, 401, method);
    assert.equal((await certificateLogin(app, mine)).status, 200);
  });
});
