import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../../client/index.ts';
import { explained, notFound } from '../../../src/contract/errors/index.ts';
import { ApiError, invalidField } from '../../../src/index.ts';
import { testNetwork } from '../../../testing/index.ts';

const META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };
const CATALOGUE = 'The supplied request contains an invalid document or no valid accept content were available, see cause';
const cause = { field: 'name', reason: 'name must not be empty', value: '' };

const thrownBy = async (call: () => Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await call().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ApiError, String(error));
  return error;
};

test('an error answers with its status, headers that are safe, and the envelope of the API', async () => {
  const response = invalidField('name', cause.reason, '').toResponse({ requestId: 'req-1' });
  assert.deepEqual(
    [response.status, Object.fromEntries(response.headers)],
    [400, { 'cache-control': 'no-store', 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }],
  );
  assert.deepEqual(await response.json(), {
    error: { code: 'COULD_NOT_VALIDATE', message: CATALOGUE, requestId: 'req-1', cause },
    meta: META,
  });
});

test('the plain object says the same', async () => {
  const error = explained('NOT_CONFIGURED', 'no snapshot sink');
  const { status, headers, body } = error.toAnswer({ requestId: 'req-1' });
  const response = error.toResponse({ requestId: 'req-1' });
  assert.deepEqual([response.status, Object.fromEntries(response.headers), await response.text()], [status, headers, body]);
});

test('it says when to try again in whole seconds, at least one, and what a 401 is about', () => {
  const headersOf = (error: ApiError) => error.toAnswer().headers;
  assert.equal(headersOf(new ApiError('RATE_LIMITED', { retryAfter: 2.5 }))['retry-after'], '3');
  assert.equal(headersOf(new ApiError('RATE_LIMITED', { retryAfter: 0 }))['retry-after'], '1');
  assert.equal(headersOf(new ApiError('RATE_LIMITED'))['retry-after'], undefined);
  assert.equal(headersOf(new ApiError('INVALID_AUTH'))['www-authenticate'], 'zt-session realm="zt-session"');
  assert.equal(headersOf(new ApiError('CONFLICT'))['www-authenticate'], undefined);
});

test('another status than that of the catalogue is answered, too', () => {
  assert.equal(invalidField('Accept', 'none is accepted', 'x', 406).toAnswer().status, 406);
});

test('the request id is that of the call, that of the host, or a new one, and never what breaks a line of a log', () => {
  const idOf = (error: ApiError, requestId?: string) => JSON.parse(error.toAnswer({ requestId }).body).error.requestId;
  assert.equal(idOf(new ApiError('CONFLICT', { requestId: 'of-the-call' }), 'of-the-host'), 'of-the-call');
  assert.equal(idOf(new ApiError('CONFLICT'), 'of-the-host'), 'of-the-host');
  for (const bad of ['', 'two\nlines', 'x'.repeat(129), undefined]) assert.match(idOf(new ApiError('CONFLICT'), bad), /^[0-9a-f]{10}$/);
});

test('what the client knows of another server stays where it is', async () => {
  const client = createClient({
    baseUrl: 'https://internal.example',
    retries: 0,
    fetch: () => Promise.reject(new Error('no route to 10.0.0.7')),
  });
  const error = await thrownBy(() => client.informational.version());
  assert.match(error.message, /^GET https:\/\/internal\.example\S+ got no answer: no route to 10\.0\.0\.7$/);
  const { status, body } = error.toAnswer();
  assert.equal(status, 503);
  assert.doesNotMatch(body, /internal|10\.0\.0\.7/);
  assert.equal(JSON.parse(body).error.cause, undefined);
});

test('its message says the reason in process, and the words of the catalogue over HTTP', async () => {
  await using network = await testNetwork();
  const { controller } = network;
  const refused = await thrownBy(() => controller.api.identities.create({ body: { name: '', type: 'User', isAdmin: false } }));
  assert.equal(refused.message, 'name must not be empty');
  assert.equal(JSON.parse(refused.toAnswer().body).error.message, CATALOGUE);
  assert.equal((await thrownBy(() => controller.api.identities.get({ id: 'nope' }))).message, 'identity with id nope not found');
  assert.equal(notFound('identity', 'nope').message, 'identity with id nope not found');
  assert.equal(new ApiError('CONFLICT').message, 'The entity was changed by another request at the same time; read it again and retry');
});

test('an error of a call has the request id of the host, under which the controller logs it, or one of its own', async () => {
  await using network = await testNetwork();
  const { controller } = network;
  const given = await thrownBy(() => controller.api.identities.get({ id: 'nope' }, { requestId: 'req-7' }));
  assert.deepEqual([given.requestId, JSON.parse(given.toAnswer({ requestId: 'another' }).body).error.requestId], ['req-7', 'req-7']);
  assert.match((await thrownBy(() => controller.api.identities.get({ id: 'nope' }))).requestId ?? '', /^\S+$/);
});

test('an error of the typed client has the request id of the answer', async () => {
  const refusal = new ApiError('CONFLICT', { requestId: 'far-away' });
  const client = createClient({ baseUrl: 'https://controller.test', fetch: async () => refusal.toResponse() });
  const error = await thrownBy(() => client.informational.version());
  assert.deepEqual([error.code, error.status, error.requestId], ['CONFLICT', 409, 'far-away']);
});
