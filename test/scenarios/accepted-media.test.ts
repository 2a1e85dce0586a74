import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { aCa } from '../support/certificates.ts';
import { policyBody } from '../support/policies.ts';
import { assertRefused } from '../support/refusals.ts';

const M = '/edge/management/v1';
const C = '/edge/client/v1';

onEveryStore('media types of answers', (open) => {
  test('who takes JSON gets the JWT of an authority as what it is', async () => {
    await using app = await open();
    const { id } = await aCa(app, { isAutoCaEnrollmentEnabled: true });
    for (const accept of ['application/json', 'application/json, text/html;q=0.5', 'application/*', 'application/jwt', '*/*']) {
      const { status, headers, text } = await app.request('GET', `/cas/${id}/jwt`, { headers: { accept } });
      assert.deepEqual([status, headers['content-type'], text.split('.').length], [200, 'application/jwt', 3], accept);
    }
    for (const accept of ['text/html', 'image/*', 'application/json;q=0, text/html'])
      assertNotAcceptable(await app.request('GET', `/cas/${id}/jwt`, { headers: { accept } }));
  });

  test('a caller who may not call an operation is refused first, whatever answer would be accepted', async () => {
    await using app = await open();
    const user = await (await app.user()).login();
    const headers = { accept: 'text/html' };
    for (const path of ['/cas/nope/jwt', '/identities', '/identities/nope']) {
      assertRefused(await app.request('GET', path, { as: null, headers }), 401, 'UNAUTHORIZED');
      assertRefused(await app.request('GET', path, { as: 'stale', headers }), 401, 'UNAUTHORIZED');
      const { status, headers: answered } = await app.request('GET', path, { as: user, headers });
      assert.deepEqual([status, answered['www-authenticate']], [401, undefined]);
      assertNotAcceptable(await app.request('GET', path, { headers }));
    }
    assertRefused(await app.request('DELETE', '/api-sessions/nope', { as: user, headers }), 403, 'UNAUTHORIZED');
    assertRefused(await app.request('GET', '/nope', { as: null, headers }), 404, 'NOT_FOUND');
  });

  test('a session that owes a factor is unauthorized before anything is said of its media types', async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } }));
    const as = await (await app.user({ authPolicyId, isAdmin: true })).login();
    assertRefused(await app.request('GET', '/identities', { as, headers: { accept: 'text/html' } }), 401, 'UNAUTHORIZED');
  });

  test('an answer that nobody would take is 406 before the form of the body and its content, and of enrollments with another body than JSON 415', async () => {
    await using app = await open();
    const headers = { accept: 'application/x-pem-file', 'content-type': 'application/json' };
    for (const path of [`${C}/enroll?token=x`, `${C}/enroll/ott`, `${C}/enroll/ca`])
      for (const raw of ['{}', '{', '']) {
        assertNotAcceptable(await app.request('POST', path, { as: null, raw, headers }));
        const other = { ...headers, 'content-type': 'application/xml' };
        assertRefused(await app.request('POST', path, { as: null, raw, headers: other }), 415, 'UNSUPPORTED_MEDIA');
      }
    assertNotAcceptable(await app.request('POST', `${M}/identities`, { raw: '{', headers: { ...headers, 'content-type': 'text/plain' } }));
  });
});

const assertNotAcceptable = (answer: Parameters<typeof assertRefused>[0]): void => {
  assertRefused(answer, 406, 'COULD_NOT_VALIDATE');
  assert.equal(answer.body.error.cause.field, 'Accept');
};
