import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../src/contract/errors/index.ts';
import { ask, handlerOf, logged, M } from './fake-api.ts';
import { handle } from './outcomes.ts';

const failing = (error: unknown) =>
  handlerOf({
    get: () => {
      throw error;
    },
  });

test('what is nobody’s mistake but ours is 500 without detail, and logged under the same id', async () => {
  const { status, json, body } = await ask(failing(new Error('secret detail')), 'GET', `${M}/things/a`);
  assert.deepEqual([status, json.error?.code, json.error?.cause], [500, 'UNHANDLED', undefined]);
  assert.doesNotMatch(String(body), /secret/);
  const entry = logged.at(-1);
  assert.equal(entry?.details?.['requestId'], json.error?.requestId);
  assert.match(String(entry?.details?.['error']), /secret detail/);
  assert.equal(entry?.details?.['path'], `${M}/things/a`);
});

test('anything thrown, and output that is not JSON, is 500', async () => {
  for (const thrown of ['text', undefined, null, { status: 200 }])
    assert.equal((await ask(failing(thrown), 'GET', `${M}/things/a`)).status, 500);
  assert.equal((await ask(handlerOf({ get: () => 1n }), 'GET', `${M}/things/a`)).status, 500);
});

test('an error keeps its status and its retry-after, in whole seconds', async () => {
  const { status, headers, json } = await ask(failing(new ApiError('RATE_LIMITED', { retryAfter: 0.2 })), 'GET', `${M}/things/a`);
  assert.deepEqual([status, headers['retry-after'], json.error?.code], [429, '1', 'RATE_LIMITED']);
  assert.equal((await ask(failing(new ApiError('UNAUTHORIZED', { status: 403 })), 'GET', `${M}/things/a`)).status, 403);
});

test('a 401 challenges by what was presented', async () => {
  const challenge = async (token: string | null, headers = {}, on = handle) =>
    (await ask(on, 'GET', `${M}/things/a`, { token, headers })).headers['www-authenticate'];
  const missing = 'error="missing" error_description="no matching token was provided"';
  assert.equal(await challenge(null), `zt-session realm="zt-session" ${missing},Bearer realm="openziti-oidc" ${missing}`);
  assert.equal(await challenge('bad'), 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"');
  assert.equal(
    await challenge('bad', { authorization: 'Bearer x' }),
    'zt-session realm="zt-session" error="invalid" error_description="token is invalid"',
  );
  assert.equal(
    await challenge(null, { authorization: 'Bearer x' }),
    'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"',
  );
  // The session is good, only the right is missing: a client must not throw its token away.
  assert.equal(await challenge('good', {}, failing(new ApiError('UNAUTHORIZED'))), undefined);
  assert.equal(await challenge('good'), undefined);
});
