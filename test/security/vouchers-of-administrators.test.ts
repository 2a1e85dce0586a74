/**
 * A delegate that may write authorities and signers must not lock administrators out, nor devices of an authority that an administrator
 * trusts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { aCa, COMMON_NAME, caBody, certificateLogin } from '../support/certificates.ts';
import { authority, party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner, loginByToken } from '../support/provider.ts';

const delegateOf = async (app: App) => (await app.user({ permissions: ['ca', 'external-jwt-signer', 'identity', 'service'] })).login();

/** Without signers and certificates: what only identities with this policy would log in by is in reach. */
const byPasswordAlone = (app: App) => {
  const { primary } = policyBody('any');
  const [cert, extJwt] = [
    { ...primary.cert, allowed: false },
    { ...primary.extJwt, allowed: false },
  ];
  return app.create('/auth-policies', { ...policyBody('by password'), primary: { ...primary, cert, extJwt } });
};

onEveryStore('a signer that an administrator may log in by, without being named in a policy', (open) => {
  const CHANGES = [
    ['PATCH', { enabled: false }],
    ['PATCH', { audience: 'another' }],
    ['PATCH', { claimsProperty: 'email' }],
    ['PATCH', { useExternalId: false }],
    ['DELETE', undefined],
  ] as const;

  test('is neither changed nor deleted by a delegate if it finds the administrator by its external id', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true });
    const as = await delegateOf(app);
    const change = async (method: string, body?: object) =>
      (await app.request(method, `/external-jwt-signers/${signer.id}`, { as, body })).status;
    assert.equal(await change('PATCH', { name: 'renamed' }), 200, 'nobody with more rights has an external id');
    const rights = [{ isAdmin: true }, { permissions: ['ops'] }, { scopedPermissions: { router: { roleAttributes: ['a'] } } }];
    for (const each of rights) {
      const { id } = await app.user({ ...each, externalId: 'root@example.org' });
      const restored = await app.request('PATCH', `/external-jwt-signers/${signer.id}`, { body: { audience: signer.body.audience } });
      assert.equal(restored.status, 200);
      for (const [method, body] of CHANGES) assert.equal(await change(method, body), 401, `${JSON.stringify(each)}: ${method}`);
      assert.equal((await loginByToken(app, await signer.token({ sub: 'root@example.org' }))).status, 200);
      await app.request('DELETE', `/identities/${id}`);
    }
    await app.user({ isAdmin: true, externalId: 'root@example.org', authPolicyId: await byPasswordAlone(app) });
    await app.user({ permissions: ['service.read'], externalId: 'ann@example.org' });
    assert.equal(await change('PATCH', { name: 'again' }), 200, 'the one logs in by no signer, the other is in reach');
  });

  test('nor if that administrator is one of very many identities with more rights', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true });
    const as = await delegateOf(app);
    const { id } = await app.user({ isAdmin: true, externalId: 'root@example.org' });
    const row = (await app.rows('identity')).find((each) => each.id === id);
    assert.ok(row);
    await app.tamper(async (tx) => {
      // Before and after it, in the order in which they are read.
      for (const side of ['!', '~'])
        for (let i = 0; i < 501; i++) {
          const other = `${side}${i}`;
          await tx.insert('identity', { ...row, id: other, name: other, externalId: null, externalIdKeys: [] });
        }
    });
    for (const [method, body] of CHANGES)
      assert.equal((await app.request(method, `/external-jwt-signers/${signer.id}`, { as, body })).status, 401, method);
  });

  test('is neither changed nor deleted while an administrator is logged in by it', async () => {
    await using app = await open();
    const signer = await certificateSigner(app);
    const { id } = await app.user({ isAdmin: true });
    assert.equal((await loginByToken(app, await signer.token({ sub: id }))).status, 200);
    const as = await delegateOf(app);
    for (const [method, body] of CHANGES)
      assert.equal((await app.request(method, `/external-jwt-signers/${signer.id}`, { as, body })).status, 401, method);
    assert.equal((await loginByToken(app, await signer.token({ sub: id }))).status, 200);
  });

  test('is in reach if a delegate wrote it: it proves no administrator', async () => {
    await using app = await open();
    await app.user({ isAdmin: true, externalId: 'root@example.org' });
    const as = await delegateOf(app);
    const own = await party('own');
    const body = { name: 'own', issuer: 'https://own.example', audience: 'a', enabled: true, certPem: own.cert, useExternalId: true };
    const path = `/external-jwt-signers/${(await app.request('POST', '/external-jwt-signers', { as, body })).body.data.id}`;
    assert.equal((await app.request('PATCH', path, { as, body: { enabled: false } })).status, 200);
    assert.equal((await app.request('DELETE', path, { as })).status, 200);
  });

  test('is out of reach of a batch, too, whose first part is about something else', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true });
    await app.user({ isAdmin: true, externalId: 'root@example.org' });
    const operations = [
      { operation: 'services.create', input: { body: { name: 'wiki', encryptionRequired: true } } },
      { operation: 'externalJwtSigners.patch', input: { id: signer.id, body: { enabled: false } } },
    ];
    const { status, text } = await app.request('POST', '/edge/management/extensions/v1/batch', {
      as: await delegateOf(app),
      body: { operations },
    });
    assert.equal(status, 401, text);
    assert.equal((await loginByToken(app, await signer.token({ sub: 'root@example.org' }))).status, 200);
  });
});

onEveryStore('an authority that an administrator may log in by, without a certificate that is registered', (open) => {
  test('is neither changed nor deleted by a delegate', async () => {
    await using app = await open();
    const own = await aCa(app, { externalIdClaim: COMMON_NAME });
    const as = await delegateOf(app);
    const change = async (method: string, body?: object) => (await app.request(method, `/cas/${own.id}`, { as, body })).status;
    assert.equal(await change('PATCH', { name: 'renamed' }), 200, 'nobody with more rights has an external id');
    await app.user({ isAdmin: true, externalId: 'root@example.org' });
    for (const [method, body] of [
      ['PATCH', { isAuthEnabled: false }],
      ['PATCH', { externalIdClaim: { index: 1 } }],
      ['DELETE', undefined],
    ] as const)
      assert.equal(await change(method, body), 401, JSON.stringify(body));
    assert.equal((await certificateLogin(app, await own.issue('root@example.org'))).status, 200);
  });

  test('is found, however many authorities of the same name a delegate has verified', async () => {
    await using app = await open();
    const theirs = await aCa(app, { externalIdClaim: COMMON_NAME }, { as: await authority('theirs') });
    await app.user({ isAdmin: true, externalId: 'root@example.org' });
    await app.user({ externalId: 'device@example.org' });
    const as = await delegateOf(app);
    for (let i = 0; i < 60; i++) {
      const alike = await authority('theirs');
      const { id } = (await app.request('POST', '/cas', { as, body: caBody(`alike ${i}`, alike.cert) })).body.data;
      const { verificationToken } = (await app.request('GET', `/cas/${id}`, { as })).body.data;
      const raw = (await party(verificationToken, { by: alike })).cert;
      const { status } = await app.request('POST', `/cas/${id}/verify`, { as, raw, headers: { 'content-type': 'text/plain' } });
      assert.equal(status, 200);
    }
    for (const name of ['root@example.org', 'device@example.org'])
      assert.equal((await certificateLogin(app, await theirs.issue(name))).status, 200, name);
    const enroll = await app.request('POST', '/edge/client/v1/enroll?method=ca', {
      as: null,
      body: {},
      certificates: [(await theirs.issue('new@example.org')).certificate.der],
    });
    assert.equal(enroll.status, 200, enroll.text);
  });
});
