import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, onEveryStore, type RequestOptions } from '../support/app.ts';
import { aCa, caBody } from '../support/certificates.ts';
import { policyBody } from '../support/policies.ts';

/** What a console shows of a refusal: one text. Command-line clients show all of it. */
const shown = ({ body: { error } }: Answer): string => error.cause?.message ?? error.cause?.reason ?? error.message;

type Refusal = readonly [what: string, request: readonly [method: string, path: string, options?: RequestOptions], says: RegExp];

const ofRequests: readonly Refusal[] = [
  ['bad JSON', ['POST', '/identities', { raw: '{"name": "x", }' }], /^the body is not JSON: error at position 14$/],
  ['no body', ['POST', '/identities'], /^the body is missing: it must contain the identity$/],
  [
    'another type of body',
    ['POST', '/identities', { raw: 'a=b', headers: { 'content-type': 'text/csv' } }],
    /"text\/csv".* application\/json|"text\/csv".*\[application\/json\]/,
  ],
  ['a missing field', ['POST', '/identities', { body: { name: 'x', type: 'User' } }], /^isAdmin in body is required$/],
  ['an empty name', ['POST', '/identities', { body: { name: '', type: 'User', isAdmin: false } }], /^name must not be empty$/],
  ['an empty name in a change', ['PATCH', '/identities/x', { body: { name: '' } }], /^name must not be empty$/],
  [
    'a value of a wrong type',
    ['POST', '/identities', { body: { name: 'x', type: 'User', isAdmin: 'yes' } }],
    /^isAdmin must be of type boolean, got string$/,
  ],
  [
    'a list for a text',
    ['POST', '/identities', { body: { name: ['x'], type: 'User', isAdmin: false } }],
    /^name must be of type string, got array$/,
  ],
  [
    'a value that is none of those there are',
    ['POST', '/identities', { body: { name: 'x', type: 'Usr', isAdmin: false } }],
    /^type in body should be one of \[User /,
  ],
  ['a limit that is no number', ['GET', '/identities?limit=abc'], /^limit in query must be of type int64: "abc"$/],
  [
    'an unknown field in a filter',
    ['GET', '/identities?filter=nam=%22x%22'],
    /'nam' is unknown here; there are .*\bname\b.*at position 1$/,
  ],
  ['a filter without quotes', ['GET', '/identities?filter=name=x'], /string in double quotes.*found 'x', at position 6$/],
  ['an unknown field to sort by', ['GET', '/identities?sort=nope'], /'nope' is unknown here; there are .*\bname\b/],
  ['an unknown path', ['GET', '/nope'], /^path .*\/nope was not found$/],
  ['a method that the path has not', ['PUT', '/identities', { body: {} }], /^method PUT is not allowed, but \[GET,POST\] are$/],
  ['an unknown id', ['GET', '/identities/nope'], /^identity with id nope not found$/],
  ['no session', ['GET', '/identities', { as: null }], /no session token was presented: send the header zt-session/],
  [
    'a session that is no more',
    ['GET', '/identities', { as: 'nonsense' }],
    /^the session is unknown, has expired or was ended: log in again$/,
  ],
  [
    'a wrong password',
    ['POST', '/authenticate?method=password', { as: null, body: { username: 'admin', password: 'wrong' } }],
    /: check them, or ask an administrator$/,
  ],
  [
    'a bad MAC address',
    ['POST', '/posture-checks', { body: { name: 'x', typeId: 'MAC', macAddresses: ['zz'] } }],
    /^macAddresses\.0 in body must contain hexadecimal digits, such as /,
  ],
  [
    'a role without a sign',
    ['POST', '/service-policies', { body: { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['ann'] } }],
    /must be prefixed with #.* or @ .*id/,
  ],
  [
    'a role of an unknown id',
    ['POST', '/service-policies', { body: { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['@ann', '@bob'] } }],
    /^no identities found with the given ids: ann, bob$/,
  ],
  [
    'the name of a config type',
    ['POST', '/configs', { body: { name: 'c', configTypeId: 'host.v1', data: {} } }],
    /^no configType with id host\.v1: it must be an id, not a name$/,
  ],
  [
    'bad config data',
    ['POST', '/configs', { body: { name: 'c', configTypeId: 'NH5p4FpGR', data: { protocol: 'tcp', address: 'x', port: '80' } } }],
    /^port: type: expected integer, got string$/,
  ],
  [
    'a misspelt property',
    ['POST', '/configs', { body: { name: 'c', configTypeId: 'NH5p4FpGR', data: { protocol: 'tcp', adress: 'x', port: 80 } } }],
    /'adress' \(did you mean 'address'\?\)/,
  ],
  [
    'an unknown terminator strategy',
    ['POST', '/services', { body: { name: 's', encryptionRequired: true, terminatorStrategy: 'nonsense' } }],
    /'nonsense': use one of smartrouting, /,
  ],
  [
    'an unknown enrollment token',
    ['POST', '/edge/client/v1/enroll/ott', { as: null, body: { token: '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f' } }],
    /used or replaced, or belongs to another network: ask an administrator for a new one$/,
  ],
];

onEveryStore('what a refusal says to the user of a client', (open) => {
  test('it names what was wrong, and what would be right', async (t) => {
    await using app = await open();
    for (const [what, [method, path, options], says] of ofRequests)
      await t.test(what, async () => {
        const answer = await app.request(method, path, options);
        assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
        assert.match(shown(answer), says);
      });
  });

  test('a missing right and an incomplete login are distinguished', async () => {
    await using app = await open();
    const asks = async (as: string) => shown(await app.request('GET', '/identities', { as }));
    assert.equal(await asks(await (await app.user()).login()), 'only an administrator may do this: log in as one');
    const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
    const owing = await (await app.user({ authPolicyId, isAdmin: true })).login();
    assert.equal(await asks(owing), 'the login is not complete: it still owes a code, by POST /authenticate/mfa');
  });

  test('what cannot be deleted or changed says why, and by what', async () => {
    await using app = await open();
    const said = async (method: string, path: string, body?: unknown) => shown(await app.request(method, path, { body }));
    const policy = await app.create('/auth-policies', policyBody('strict'));
    const { id } = await app.user({ authPolicyId: policy });
    assert.equal(
      await said('DELETE', `/auth-policies/${policy}`),
      `authPolicy ${policy} is used by identities ${id}: change or delete them first`,
    );
    const router = await app.create('/edge-routers', { name: 'edge', isTunnelerEnabled: true });
    assert.match(
      await said('PATCH', `/edge-router-policies/${router}`, { name: 'x' }),
      /keeps it for another entity: change or delete that one/,
    );
    assert.match(await said('DELETE', `/edge-router-policies/${router}`), /keeps it for another entity/);
    assert.equal(
      await said('PATCH', `/routers/${router}`, { name: 'x' }),
      `${router} is an edge router: change it at /edge-routers/${router}`,
    );
    assert.match(
      await said('POST', '/authenticators', { identityId: id, method: 'updb', username: 'another', password: 'a password' }),
      /change it, or delete it first$/,
    );
    assert.match(await said('POST', '/identities', { name: 'Default Admin', type: 'User', isAdmin: false }), /^name must be unique$/);
  });

  test('an enrollment that cannot be used says what to do instead', async () => {
    await using app = await open();
    const identity = await app.create('/identities', { name: 'phone', type: 'Device', isAdmin: false, enrollment: { ott: true } });
    const { token } = (await app.request('GET', `/identities/${identity}`)).body.data.enrollment.ott;
    const enroll = async (method: string) => {
      const body = { raw: 'no request', headers: { 'content-type': 'application/x-pem-file' } };
      return shown(await app.request('POST', `/edge/client/v1/enroll?method=${method}&token=${token}`, { as: null, ...body }));
    };
    assert.match(await enroll('ottca'), /^the token is for method ott, /);
    assert.match(await enroll('ott'), /must be a certificate request \(PKCS#10\) in PEM/);
    const again = await app.request('POST', '/enrollments', {
      body: { identityId: identity, method: 'ott', expiresAt: '2040-01-01T00:00:00Z' },
    });
    assert.match(shown(again), /refresh it, or delete it first$/);
    app.clock.advance('4h');
    assert.match(await enroll('ott'), /^ask an administrator to refresh the enrollment$/);
  });

  test('a certificate that proves nothing of a CA says what it must hold', async () => {
    await using app = await open();
    const ca = await aCa(app, {}, { verified: false });
    const verified = await app.request('POST', `/cas/${ca.id}/verify`, {
      raw: (await ca.issue('nobody')).cert,
      headers: { 'content-type': 'text/plain' },
    });
    assert.match(shown(verified), /must be the verificationToken of the CA$/);
    assert.ok(!verified.text.includes(ca.verificationToken));
    assert.match(shown(await app.request('POST', '/cas', { body: caBody('again', ca.cert) })), /already exists$/);
  });
});
