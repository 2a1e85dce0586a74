/** Clients become identities by the tokens of external JWT signers. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';
import { certificateSigner, loginByToken } from '../support/provider.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { enrollBy, enrollingSigner, identityNamed, request } from '../support/token-enrollment.ts';

const refusedToken = async (app: App, answer: Awaited<ReturnType<typeof enrollBy>>) => {
  assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
  assert.equal(await app.count('identity'), 1);
};

const notAllowed = (answer: Awaited<ReturnType<typeof enrollBy>>, field: string) => {
  assertRefused(answer, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
  assert.equal(answer.body.error.cause.field, field);
};

/** With the id of the signer in a header, and without. */
const ways = ({ id }: { readonly id: string }) => [{}, { issuerId: id }, { issuerId: `${id}, another` }];

onEveryStore('enrolling by the token of an external JWT signer', (open) => {
  test('a certificate request gives an identity with a certificate of the network, by which it logs in', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const clientCsr = await request();
    const token = await signer.token({ sub: 'ann' });
    const left = await app.trail(async () => {
      const { status, body } = await enrollBy(app, token, { clientCsr });
      assert.deepEqual([status, Object.keys(body.data).toSorted()], [200, ['ca', 'cert', 'controllers']]);
    });
    assert.deepEqual(left, ['create identity', 'create authenticator']);
    const shown = await identityNamed(app, 'ann');
    const { typeId, isAdmin, isDefaultAdmin, externalId, authPolicyId, roleAttributes, enrollment } = shown;
    assert.deepEqual(
      { typeId, isAdmin, isDefaultAdmin, externalId, authPolicyId, roleAttributes, enrollment },
      {
        typeId: 'Default',
        isAdmin: false,
        isDefaultAdmin: false,
        externalId: 'ann',
        authPolicyId: 'default',
        roleAttributes: null,
        enrollment: {},
      },
    );
    const [own] = (await app.request('GET', `/identities/${shown.id}/authenticators`)).body.data;
    assert.deepEqual([own.method, own.isIssuedByNetwork], ['cert', true]);
    const leaf = new X509Certificate(own.certPem);
    assert.match(leaf.subjectAltName ?? '', new RegExp(`^URI:spiffe://[^/]+/identity/${shown.id}$`));
    assert.equal(leaf.subject, 'CN=a device');
    const login = await app.request('POST', '/authenticate?method=cert', { as: null, body: {}, certificates: [new Uint8Array(leaf.raw)] });
    assert.deepEqual([login.status, login.body.data.identityId], [200, shown.id]);
  });

  test('a token alone gives an identity that logs in with tokens of the signer, and no session', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const token = await signer.token({ sub: 'ann' });
    assertRefused(await loginByToken(app, token), 401, 'INVALID_AUTH');
    assert.equal(await app.count('identity'), 1, 'a login creates no identity');
    const left = await app.trail(async () => {
      const { status, body, headers } = await enrollBy(app, token);
      assert.deepEqual([status, Object.keys(body.data), headers['zt-session']], [200, ['controllers'], undefined]);
    });
    assert.deepEqual(left, ['create identity']);
    const login = await loginByToken(app, await signer.token({ sub: 'ann' }));
    assert.deepEqual([login.status, login.body.data.identityId], [200, (await identityNamed(app, 'ann')).id]);
  });

  test('the general path of enrollments takes the method `token`, with the request in JSON or PEM', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const at = '/edge/client/v1/enroll?method=token';
    const headers = async (sub: string) => ({ authorization: `bearer ${await signer.token({ sub })}`, 'ziti-token-issuer-id': signer.id });
    const clientCsr = await request();
    assert.equal((await app.request('POST', at, { as: null, body: {}, headers: await headers('a') })).status, 200);
    assert.equal((await app.request('POST', at, { as: null, body: { clientCsr }, headers: await headers('b') })).status, 200);
    const pem = { raw: clientCsr, headers: { ...(await headers('c')), 'content-type': 'application/x-pem-file' } };
    assert.ok((await app.request('POST', at, { as: null, ...pem })).body.data.cert);
    assertRefused(await app.request('POST', at, { as: null, body: {} }), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('name, attributes and policy come from the claims and the signer', async () => {
    await using app = await open();
    const enrollAuthPolicyId = await app.create('/auth-policies', policyBody('enrolled'));
    const signer = await enrollingSigner(app, {
      claimsProperty: 'https://idp.example/mail',
      enrollNameClaimsSelector: 'profile/names/0',
      enrollAttributeClaimsSelector: '/realm_access/roles',
      enrollAuthPolicyId,
    });
    const enroll = async (sub: string, roles: unknown) => {
      const claims = { 'https://idp.example/mail': `${sub}@x`, profile: { names: [sub] }, realm_access: { roles } };
      return enrollBy(app, await signer.token(claims), { issuerId: signer.id });
    };
    const accepted: readonly (readonly [unknown, readonly string[] | null])[] = [
      [
        ['b', '', 'a', 'b'],
        ['a', 'b'],
      ],
      ['one', ['one']],
      ['', null],
      [null, null],
      [undefined, null],
      [[], null],
      [[''], null],
    ];
    for (const [i, [roles, expected]] of accepted.entries()) {
      assert.equal((await enroll(`n${i}`, roles)).status, 200, JSON.stringify(roles));
      const { roleAttributes, externalId, authPolicyId } = await identityNamed(app, `n${i}`);
      assert.deepEqual([roleAttributes, externalId, authPolicyId], [expected, `n${i}@x`, enrollAuthPolicyId], JSON.stringify(roles));
    }
    const before = await app.count('identity');
    for (const roles of [7, true, {}, { a: 'b' }, ['a', 7], ['a', null], [['a']], ['\u0000'], '\ud800'])
      assertRefused(await enroll('another', roles), 400, 'INVALID_ENROLLMENT_TOKEN');
    for (const roles of ['#a', ['b', '@a']]) {
      const answer = await enroll('another', roles);
      assertInvalid(answer, 'roleAttributes');
      assert.equal(answer.body.error.cause.value, '<nil>');
    }
    assert.equal(await app.count('identity'), before);
  });

  test('a token that the signer would not accept at a login enrolls nobody, with and without its id', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app);
    const disabled = await enrollingSigner(app, { enabled: false });
    const other = await enrollingSigner(app);
    const claims = { sub: 'ann' };
    const hour = 3600;
    const now = app.clock.now() / 1000;
    const bad: readonly (readonly [string, string])[] = [
      ['another audience', await signer.token({ ...claims, aud: 'others' })],
      ['no audience', await signer.token({ ...claims, aud: undefined })],
      ['no expiry', await signer.token({ ...claims, exp: undefined })],
      ['expired', await signer.token({ ...claims, exp: now - hour })],
      ['not valid yet', await signer.token({ ...claims, nbf: now + hour })],
      ['issued later', await signer.token({ ...claims, iat: now + hour })],
      ['another issuer', await signer.token({ ...claims, iss: 'https://nobody.example' })],
      ['the issuer of another signer', await signer.token({ ...claims, iss: other.issuer })],
      ['the key of another signer', await signer.token(claims, { kid: other.key.kid })],
      ['no such key', await signer.token(claims, { kid: 'unknown' })],
      ['no id', await signer.token({})],
      ['a number as id', await signer.token({ sub: 7 })],
      ['an empty id', await signer.token({ sub: '' })],
      ['a blank id', await signer.token({ sub: ' ' })],
      ['a wrong signature', `${(await signer.token(claims)).slice(0, -8)}AAAAAAAA`],
      ['no token', 'e30.e30.e30'],
      ['nothing', ''],
    ];
    for (const clientCsr of ['', await request()])
      for (const way of ways(signer))
        for (const [why, token] of bad) {
          const answer = await enrollBy(app, token, { ...way, clientCsr });
          assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
          assert.equal(await app.count('identity'), 1, why);
        }
    await refusedToken(app, await enrollBy(app, await disabled.token(claims)));
    await refusedToken(app, await enrollBy(app, await disabled.token(claims), { issuerId: disabled.id }));
    await refusedToken(app, await enrollBy(app, await signer.token(claims), { issuerId: other.id }));
    await refusedToken(app, await enrollBy(app, await signer.token(claims), { issuerId: 'no-such-signer' }));
    await refusedToken(app, await app.request('POST', '/edge/client/v1/enroll/token', { as: null, body: {} }));
    for (const [i, way] of ways(signer).entries())
      assert.equal((await enrollBy(app, await signer.token({ sub: `n${i}` }), way)).status, 200);
  });

  test('a token without a name enrolls nobody', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { enrollNameClaimsSelector: 'name' });
    for (const name of [undefined, null, '', 7, ['a'], {}, '\u0000'])
      await refusedToken(app, await enrollBy(app, await signer.token({ sub: 'ann', name })));
  });

  test('the first of several bearer tokens that an enabled signer accepts counts', async () => {
    await using app = await open();
    const [signer, other] = [await enrollingSigner(app), await enrollingSigner(app)];
    const [bad, good] = [await signer.token({ sub: 'bad', aud: 'others' }), await signer.token({ sub: 'good' })];
    assert.equal((await enrollBy(app, [bad, good])).status, 200);
    assert.equal((await enrollBy(app, [await signer.token({ sub: 'first' }), await other.token({ sub: 'second' })])).status, 200);
    const named = [await signer.token({ sub: 'third' }), await other.token({ sub: 'fourth' })];
    assert.equal((await enrollBy(app, named, { issuerId: other.id })).status, 200);
    const names = (await app.rows('identity')).map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name !== 'Default Admin').toSorted(), ['first', 'fourth', 'good']);
  });

  test('who is an identity already is not enrolled again, whatever its policy and state, and whatever the signer allows', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { enrollToCertEnabled: false, enrollToTokenEnabled: false });
    const id = await app.create('/identities', { name: 'someone', type: 'User', isAdmin: true, externalId: 'ann' });
    await app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 0 } });
    for (const clientCsr of ['', 'no request'])
      for (const way of ways(signer))
        assertRefused(
          await enrollBy(app, await signer.token({ sub: 'ann' }), { ...way, clientCsr }),
          409,
          'ENROLLMENT_IDENTITY_ALREADY_ENROLLED',
        );
    assert.equal(await app.count('authenticator'), 1);
  });

  test('where a signer ignores case, no other one enrolls a name that differs by case alone', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { ignoreExternalIdCase: true });
    const exact = await enrollingSigner(app);
    assert.equal((await enrollBy(app, await signer.token({ sub: 'Ann@x' }))).status, 200);
    assertRefused(await enrollBy(app, await signer.token({ sub: 'ann@X' })), 409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
    assertRefused(await enrollBy(app, await exact.token({ sub: 'ann@X' })), 409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
    assert.equal((await enrollBy(app, await exact.token({ sub: 'ben@X' }))).status, 200);
  });

  test('the signer and its policy allow each way on its own', async () => {
    await using app = await open();
    const clientCsr = await request();
    const byPath = async (fields: Readonly<Record<string, unknown>>, csr: string) => {
      const signer = await enrollingSigner(app, fields);
      return enrollBy(app, await signer.token({ sub: `by ${signer.issuer}` }), { clientCsr: csr });
    };
    notAllowed(await byPath({ enrollToCertEnabled: false }, clientCsr), 'enrollToCertEnabled');
    notAllowed(await byPath({ enrollToCertEnabled: false }, 'no request'), 'enrollToCertEnabled');
    notAllowed(await byPath({ enrollToTokenEnabled: false }, ''), 'enrollToTokenEnabled');
    assert.equal((await byPath({ enrollToCertEnabled: false }, '')).status, 200);
    assert.equal((await byPath({ enrollToTokenEnabled: false }, clientCsr)).status, 200);
    const stranger = await certificateSigner(app);
    const changes = [
      [{ cert: { allowed: false } }, clientCsr, ''],
      [{ extJwt: { allowed: false, allowedSigners: [] } }, '', clientCsr],
      [{ extJwt: { allowed: true, allowedSigners: [stranger.id] } }, '', clientCsr],
    ] as const;
    for (const [primary, refused, accepted] of changes) {
      const policy = await app.create('/auth-policies', policyBody(`policy ${Math.random()}`));
      const signer = await enrollingSigner(app, { enrollAuthPolicyId: policy });
      assert.equal((await app.request('PATCH', `/auth-policies/${policy}`, { body: { primary } })).status, 200);
      const token = await signer.token({ sub: `by ${signer.issuer}` });
      notAllowed(await enrollBy(app, token, { clientCsr: refused }), 'enrollAuthPolicyId');
      assert.equal((await enrollBy(app, token, { clientCsr: accepted })).status, 200);
    }
    const policy = await app.create('/auth-policies', policyBody('its own'));
    const signer = await enrollingSigner(app, { enrollAuthPolicyId: policy });
    await app.request('PATCH', `/auth-policies/${policy}`, { body: { primary: { extJwt: { allowedSigners: [stranger.id, signer.id] } } } });
    assert.equal((await enrollBy(app, await signer.token({ sub: 'allowed' }))).status, 200);
  });

  test('a bad request for a certificate is refused before a bad identity, and nothing is created', async () => {
    await using app = await open();
    const signer = await enrollingSigner(app, { enrollAttributeClaimsSelector: 'roles' });
    const bad = await signer.token({ sub: 'Default Admin', roles: '#a' });
    const good = await request();
    for (const clientCsr of ['no request', ' ', withWrongSignature(good)])
      assertRefused(await enrollBy(app, bad, { clientCsr }), 400, 'COULD_NOT_PROCESS_CSR');
    assertInvalid(await enrollBy(app, bad, { clientCsr: good }), 'roleAttributes');
    assert.equal(await app.count('identity'), 1);
  });

  test('only JSON is taken, up to the limit of a login, and a body is needed', async () => {
    await using app = await open({ settings: { maxBodyBytes: 10_000 } });
    const signer = await enrollingSigner(app);
    const at = '/edge/client/v1/enroll/token';
    const headers = { authorization: `Bearer ${await signer.token({ sub: 'ann' })}` };
    const typed = { ...headers, 'content-type': 'application/x-pem-file' };
    assertRefused(await app.request('POST', at, { as: null, raw: await request(), headers: typed }), 415, 'UNSUPPORTED_MEDIA');
    assertInvalid(await app.request('POST', at, { as: null, headers }), 'tokenEnrollmentRequest');
    assertRefused(await app.request('POST', at, { as: null, body: { clientCsr: 7 }, headers }), 400, 'COULD_NOT_PARSE_BODY');
    for (const path of [at, '/authenticate?method=ext-jwt'])
      assertRefused(
        await app.request('POST', path, { as: null, body: {}, headers: { ...headers, 'content-length': '10001' } }),
        413,
        'REQUEST_ENTITY_TOO_LARGE',
      );
    assertRefused(await app.request('POST', '/enroll/token', { body: {}, headers }), 404, 'NOT_FOUND');
    assert.equal(await app.count('identity'), 1);
    assert.equal((await app.request('POST', at, { as: null, body: { clientCsr: null }, headers })).status, 200);
  });
});

const withWrongSignature = (pem: string): string => {
  const lines = pem.trim().split('\n');
  const der = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  const last = der.length - 5;
  der[last] = (der[last] ?? 0) ^ 1;
  return `${lines[0]}\n${der.toString('base64')}\n${lines.at(-1)}\n`;
};
