import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../src/errors/index.ts';
import { BodyIncomplete, BodyTooLarge } from '../../../src/http/message.ts';
import { proves } from '../../specification.ts';
import { type Ask, ask, type Behaviour, handlerOf, logged, M, requestOf } from './fake-api.ts';

const handle = handlerOf();
const META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };

/** `415 COULD_NOT_VALIDATE Content-Type` */
const outcome = async (method: string, target: string, options?: Ask, on = handle) => {
  const { status, json } = await ask(on, method, target, options);
  return [status, json.error?.code, json.error?.cause?.field].filter((part) => part !== undefined).join(' ');
};

test('each kind of answer has its envelope', async () => {
  const one = await ask(handle, 'GET', `${M}/things/a%2Fb`);
  assert.deepEqual([one.status, one.json], [200, { data: { id: 'a/b' }, meta: META }]);
  const created = await ask(handle, 'POST', `${M}/things`, { body: '{"name":"x"}' });
  assert.deepEqual([created.status, created.json], [201, { data: { _links: { self: { href: './things/a' } }, id: 'a' }, meta: META }]);
  const removed = await ask(handle, 'DELETE', `${M}/things/a`);
  assert.deepEqual([removed.status, removed.json], [200, { data: {}, meta: META }]);
  const accepted = await ask(handle, 'POST', `${M}/things/count`);
  assert.equal(accepted.status, 202);
});

test('an endless page prints the largest 64-bit integer to the last digit', async () => {
  const { body, json } = await ask(handle, 'GET', `${M}/things?filter=x`);
  assert.match(String(body), /"pagination":\{"limit":9223372036854775807,"offset":0,"totalCount":1\}/);
  assert.deepEqual(json.meta.filterableFields, ['id', 'name']);
  assert.equal(json.meta.apiVersion, '0.0.1');
});

test('answers without envelope keep their type and bytes', async () => {
  const { headers, body, status } = await ask(handle, 'GET', '/.well-known/est/cacerts', { token: null });
  assert.deepEqual([status, headers['content-type'], body], [200, 'application/pkcs7-mime', new Uint8Array([1, 2, 3])]);
});

test('a JSON document is given as YAML to who asks for that', proves(1), async () => {
  const typeFor = async (accept: string) => (await ask(handle, 'GET', '/document', { headers: { accept } })).headers['content-type'];
  assert.deepEqual(await Promise.all(['*/*', 'application/json', 'text/yaml', 'text/*, application/json;q=0.1'].map(typeFor)), [
    'application/json',
    'application/json',
    'text/yaml',
    'text/yaml',
  ]);
  assert.equal((await ask(handle, 'GET', '/document', { headers: { accept: 'text/html' }, token: null })).status, 406);
});

test('a body in another of the operation’s media types is the text that it is', async () => {
  const sign = (type: string, body: string | Uint8Array) => ask(handle, 'POST', `${M}/sign`, { body, headers: { 'content-type': type } });
  assert.deepEqual((await sign('text/plain; charset=utf-8', '{"name":"x"}')).json.data, { body: '{"name":"x"}' });
  assert.deepEqual((await sign('application/x-pem-file', '-----BEGIN')).json.data, { body: '-----BEGIN' });
  assert.deepEqual((await sign('application/json', '{"name":"x"}')).json.data, { body: { name: 'x' } });
  for (const body of [new Uint8Array([0xff]), 'a\0b'])
    assert.equal((await sign('text/plain', body)).json.error?.code, 'COULD_NOT_PARSE_BODY');
  const { status, json } = await sign('application/xml', '<a/>');
  assert.deepEqual([status, json.error?.cause?.field], [415, 'Content-Type']);
  assert.match(json.error?.cause?.reason ?? '', /only \[application\/json,text\/plain,application\/x-pem-file\] are allowed/);
});

test('a declared header is input under its name in process', async () => {
  const request = { body: '{"name":"x"}', headers: { 'content-type': 'application/json', 'x-one-time-code': '123456' } };
  assert.deepEqual((await ask(handle, 'POST', `${M}/sign?code=654321`, request)).json.data, { code: '123456', body: { name: 'x' } });
});

test('every answer names the server and the instance, and those of a session its expiry', async () => {
  const first = await ask(handle, 'GET', `${M}/things`);
  assert.deepEqual(
    { ...first.headers, 'ziti-instance-id': '' },
    {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      server: 'overlay-controller',
      'ziti-instance-id': '',
      'expiration-seconds': '1800',
    },
  );
  const second = await ask(handle, 'GET', '/nope');
  assert.equal(second.headers['ziti-instance-id'], first.headers['ziti-instance-id']);
  assert.notEqual((await ask(handlerOf(), 'GET', '/version')).headers['ziti-instance-id'], first.headers['ziti-instance-id']);
});

test('the checks come in the order of the wire', async () => {
  const worse = { body: '{', headers: { accept: 'text/html', 'content-type': 'text/plain' }, token: 'bad' };
  assert.equal(await outcome('POST', '/nope', worse), '404 NOT_FOUND');
  assert.equal(await outcome('PUT', `${M}/things`, worse), '405 METHOD_NOT_ALLOWED');
  assert.equal(await outcome('POST', `${M}/things`, worse), '401 UNAUTHORIZED');
  assert.equal(await outcome('POST', `${M}/things`, { ...worse, token: 'good' }), '406 COULD_NOT_VALIDATE Accept');
  assert.equal(
    await outcome('POST', `${M}/things`, { body: '{', headers: { 'content-type': 'text/plain' } }),
    '415 COULD_NOT_VALIDATE Content-Type',
  );
  assert.equal(await outcome('POST', `${M}/things`, { body: '{' }), '400 COULD_NOT_PARSE_BODY');
  assert.equal(await outcome('POST', `${M}/things`, { body: '{}' }), '400 COULD_NOT_VALIDATE name');
});

test('no body is read before the session is known to be good', async () => {
  let reads = 0;
  const request = {
    ...requestOf('POST', `${M}/things`, { body: '{}', token: 'bad' }),
    body: async () => {
      reads++;
      return new Uint8Array(0);
    },
  };
  assert.equal((await handle(request)).status, 401);
  assert.equal(reads, 0);
});

test('a refusal by path or method says what would be right', async () => {
  assert.equal((await ask(handle, 'PUT', `${M}/things`)).json.error?.cause?.message, 'method PUT is not allowed, but [GET,POST] are');
  assert.equal((await ask(handle, 'GET', '/nope?x=1')).json.error?.cause?.message, 'path /nope was not found');
});

test('HEAD and TRACE are no methods of any path', async () => {
  for (const method of ['HEAD', 'TRACE', 'CONNECT', 'post']) assert.equal(await outcome(method, `${M}/things`), '405 METHOD_NOT_ALLOWED');
});

test('a malformed escape in the path is plain text', async () => {
  const { status, headers, body } = await ask(handle, 'GET', `${M}/things/%zz`);
  assert.deepEqual([status, headers['content-type']], [400, 'text/plain; charset=utf-8']);
  assert.match(String(body), /malformed escape/);
});

test('an absolute target counts by its path', async () => {
  assert.equal(await outcome('GET', `https://other.example${M}/things/a?x`), '200');
  assert.equal(await outcome('GET', 'https://other.example'), '200');
  assert.equal(await outcome('GET', 'https://other.example?x=/nope'), '200');
});

test('a media type counts without case and parameters', proves(1), async () => {
  for (const type of ['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;']) {
    assert.equal(await outcome('POST', `${M}/things`, { body: '{"name":"x"}', headers: { 'content-type': type } }), '201', type);
  }
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'application', '']) {
    assert.equal(
      await outcome('POST', `${M}/things`, { body: '{"name":"x"}', headers: { 'content-type': type } }),
      '415 COULD_NOT_VALIDATE Content-Type',
      type,
    );
  }
});

test('a body without media type is refused, whether or not its length is told', async () => {
  const request = requestOf('POST', `${M}/things`, { body: '{"name":"x"}' });
  for (const hidden of [['content-type'], ['content-type', 'content-length']]) {
    const answer = await handle({ ...request, header: (name) => (hidden.includes(name) ? undefined : request.header(name)) });
    assert.equal(answer.status, 415);
  }
});

test('a missing body is refused by its name where one is needed', async () => {
  for (const options of [
    {},
    { body: '' },
    { headers: { 'content-type': 'application/json' } },
    { headers: { 'content-length': '0', 'content-type': 'text/plain' } },
  ]) {
    assert.equal(await outcome('POST', `${M}/things`, options), '400 COULD_NOT_VALIDATE thing');
  }
  assert.equal(await outcome('POST', `${M}/authenticate?method=cert`), '200');
});

test('null is a body without fields', async () => {
  assert.equal(await outcome('POST', `${M}/things`, { body: 'null' }), '400 COULD_NOT_VALIDATE name');
});

test('a body where none is declared is ignored', async () => {
  for (const method of ['GET', 'DELETE'])
    assert.equal(await outcome(method, `${M}/things/a`, { body: '{{{', headers: { 'content-type': 'text/plain' } }), '200');
});

test('a body above the limit is 413, by its announced length or by what comes', async () => {
  let reads = 0;
  const tooLong = requestOf('POST', `${M}/things`, { body: '{}', headers: { 'content-length': '1001' } });
  assert.equal(
    (
      await handle({
        ...tooLong,
        body: async () => {
          reads++;
          return new Uint8Array(0);
        },
      })
    ).status,
    413,
  );
  assert.equal(reads, 0);
  const { json, status } = await (async () => {
    const answer = await handle({ ...requestOf('POST', `${M}/things`, { body: '{}' }), body: () => Promise.reject(new BodyTooLarge()) });
    return { status: answer.status, json: JSON.parse(String(answer.body)) };
  })();
  assert.deepEqual([status, json.error.code], [413, 'REQUEST_ENTITY_TOO_LARGE']);
});

test('a body that is cut off cannot be parsed', async () => {
  const answer = await handle({ ...requestOf('POST', `${M}/things`, { body: '{}' }), body: () => Promise.reject(new BodyIncomplete()) });
  assert.equal(answer.status, 400);
});

test('a query parameter cannot take the place of one of the path', async () => {
  const seen = handlerOf({ get: (_, input) => input });
  assert.deepEqual((await ask(seen, 'GET', `${M}/things/a?id=b`)).json.data, { id: 'a' });
});

test('what no store can hold is refused with the parameter', async () => {
  assert.equal(await outcome('GET', `${M}/things?filter=%00`), '400 COULD_NOT_VALIDATE filter');
  assert.equal(await outcome('GET', `${M}/things/%00`), '404 NOT_FOUND');
});

test('several Authorization headers and an empty token reach the pipeline as they are', async () => {
  let credentials: unknown;
  const remember: Behaviour = (source) => {
    credentials = source.credentials;
    return {};
  };
  const on = handlerOf({ version: remember });
  await ask(on, 'GET', '/version', { token: '', headers: { authorization: 'Bearer a, Bearer b' } });
  assert.deepEqual(credentials, { kind: 'token', token: '', authorization: 'Bearer a, Bearer b' });
  await ask(on, 'GET', '/version', { token: null });
  assert.deepEqual(credentials, { kind: 'none' });
});

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

test('anything thrown, and output that is no JSON, is 500', async () => {
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
  assert.equal(await challenge('good', {}, failing(new ApiError('UNAUTHORIZED'))), 'zt-session realm="zt-session"');
  assert.equal(await challenge('good'), undefined);
});

test('request ids differ, and are ten letters and digits', async () => {
  const ids = new Set<string>();
  for (let i = 0; i < 500; i++) ids.add((await ask(handle, 'GET', '/nope')).json.error?.requestId ?? '');
  assert.equal(ids.size, 500);
  for (const id of ids) assert.match(id, /^[0-9A-Za-z]{10}$/);
});
