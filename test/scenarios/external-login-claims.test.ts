/** Which claim of an external token names the identity, and how its external id is compared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { person, refused } from '../support/external-logins.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner, loginByToken } from '../support/provider.ts';
import { assertInvalid } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

const named = (app: App, externalId: string) => person(app, { externalId });

onEveryStore('the claim that names an identity', (open) => {
  test('is found by a JSON Pointer, with or without its first slash, or by its plain name', async () => {
    await using app = await open();
    const id = await named(app, 'ann@example.com');
    const claims = {
      email: 'ann@example.com',
      'kubernetes.io/x': 'ann@example.com',
      'kubernetes.io': { serviceaccount: { name: 'ann@example.com' } },
      emails: ['other', 'ann@example.com'],
      'a~b': 'ann@example.com',
      'https://idp.example/mail': 'ann@example.com',
    };
    const places = [
      'email',
      '/email',
      '/kubernetes.io~1x',
      '/kubernetes.io/serviceaccount/name',
      '/emails/1',
      '/a~0b',
      'kubernetes.io/x',
      'https://idp.example/mail',
      'kubernetes.io/serviceaccount/name',
      'emails/1',
      'kubernetes.io~1x',
    ];
    for (const claimsProperty of places) {
      const signer = await certificateSigner(app, { claimsProperty, useExternalId: true });
      assert.equal((await app.request('GET', `/external-jwt-signers/${signer.id}`)).body.data.claimsProperty, claimsProperty);
      const { status, body } = await loginByToken(app, await signer.token({ sub: 'x', ...claims }));
      assert.deepEqual([status, body.data?.identityId], [200, id], claimsProperty);
    }
    const claimsProperties = [
      '/emails',
      '/emails/-',
      '/emails/01',
      '/kubernetes.io',
      '/nothing',
      '/email/0',
      '/constructor/name',
      'constructor/name',
      'emails',
      'a~2',
    ];
    for (const claimsProperty of claimsProperties) {
      const signer = await certificateSigner(app, { claimsProperty, useExternalId: true });
      refused(await loginByToken(app, await signer.token({ sub: 'x', ...claims })), claimsProperty);
    }
  });

  test('is refused as a pointer that cannot be read', async () => {
    await using app = await open();
    const { id, body } = await certificateSigner(app);
    for (const claimsProperty of ['/a~', '/a~2', '/~'])
      for (const answer of [
        await app.request('PATCH', `/external-jwt-signers/${id}`, { body: { claimsProperty } }),
        await app.request('PUT', `/external-jwt-signers/${id}`, { body: { ...body, claimsProperty } }),
      ])
        assertInvalid(answer, 'claimsProperty');
  });

  test('is compared without case where the signer says so, and exactly otherwise', async () => {
    await using app = await open();
    const id = await named(app, 'Ann.Ö@Example.com');
    const strict = await certificateSigner(app, { useExternalId: true });
    const lenient = await certificateSigner(app, { useExternalId: true, ignoreExternalIdCase: true });
    const show = async ({ id }: { readonly id: string }) => (await app.request('GET', `/external-jwt-signers/${id}`)).body.data;
    assert.equal((await show(strict)).ignoreExternalIdCase, undefined);
    assert.equal((await show(lenient)).ignoreExternalIdCase, true);
    for (const sub of ['ann.ö@example.com', 'ANN.Ö@EXAMPLE.COM', 'Ann.Ö@Example.com']) {
      assert.equal((await loginByToken(app, await lenient.token({ sub }))).body.data?.identityId, id, sub);
      if (sub !== 'Ann.Ö@Example.com') refused(await loginByToken(app, await strict.token({ sub })), sub);
    }
    await app.request('PATCH', `/identities/${id}`, { body: { externalId: 'bob@example.com' } });
    refused(await loginByToken(app, await lenient.token({ sub: 'ann.ö@example.com' })));
    assert.equal((await loginByToken(app, await lenient.token({ sub: 'BOB@example.com' }))).body.data?.identityId, id);
  });

  test('that fits several identities but for the case is of the one that it fits exactly, or of none', async () => {
    await using app = await open();
    const [upper, lower] = [await named(app, 'ANN@x'), await named(app, 'ann@x')];
    const signer = await certificateSigner(app, { useExternalId: true, ignoreExternalIdCase: true });
    const ownerOf = async (sub: string) => (await loginByToken(app, await signer.token({ sub }))).body.data?.identityId;
    assert.deepEqual([await ownerOf('ANN@x'), await ownerOf('ann@x'), await ownerOf('Ann@x')], [upper, lower, undefined]);
  });

  test('proves a second factor without case, too', async () => {
    await using app = await open();
    const signer = await certificateSigner(app, { useExternalId: true, ignoreExternalIdCase: true });
    const policy = policyBody('strict');
    const authPolicyId = await app.create('/auth-policies', {
      ...policy,
      secondary: { ...policy.secondary, requireExtJwtSigner: signer.id },
    });
    const ann = await app.user({ authPolicyId, externalId: 'Ann@x' });
    const as = await ann.login();
    const ask = async (sub: string) => {
      const headers = { authorization: `Bearer ${await signer.token({ sub })}` };
      return (await app.request('GET', '/edge/client/v1/services', { as, headers })).status;
    };
    assert.deepEqual([await ask('ANN@X'), await ask('bob@x')], [200, 401]);
  });
});

test('identities that an earlier release wrote are found without case, once a controller of this one has opened the network', async () => {
  const storage = newStorage('sqlite');
  const shared = { ...storage, open: storage.open };
  await using app = await openApp('sqlite', { storage: shared });
  const id = await named(app, 'Ann@x');
  const signer = await certificateSigner(app, { useExternalId: true, ignoreExternalIdCase: true });
  const [before] = (await app.rows('identity')).filter((row) => row.id === id);
  await app.tamper(async (tx) => {
    const { externalIdKeys: _, ...row } = (await tx.get('identity', id)) ?? assert.fail();
    await tx.update('identity', row, row.version);
  });
  const token = await signer.token({ sub: 'ann@X' });
  refused(await loginByToken(app, token));
  await using again = await openApp('sqlite', { storage: shared });
  assert.equal((await loginByToken(again, token)).body.data?.identityId, id);
  assert.deepEqual(
    (await again.rows('identity')).filter((row) => row.id === id),
    [before],
    'it keeps its version',
  );
});
