import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../../specification.ts';
import { ask, type Behaviour, handlerOf, M } from './fake-api.ts';
import { handle, outcome } from './outcomes.ts';

const META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };

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

test('a declared header is input under its name in process', async () => {
  const request = { body: '{"name":"x"}', headers: { 'content-type': 'application/json', 'x-one-time-code': '123456' } };
  assert.deepEqual((await ask(handle, 'POST', `${M}/sign?code=654321`, request)).json.data, { code: '123456', body: { name: 'x' } });
});

test('every answer names the server and the instance, and those of a session its expiry', async () => {
  const first = await ask(handle, 'GET', `${M}/things`);
  assert.deepEqual(
    { ...first.headers, 'ziti-instance-id': '', etag: '' },
    {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      server: 'overlay-controller',
      'ziti-instance-id': '',
      'expiration-seconds': '1800',
      etag: '',
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

test('a refusal by path or method says what would be right', async () => {
  assert.equal((await ask(handle, 'PUT', `${M}/things`)).json.error?.cause?.message, 'method PUT is not allowed, but [GET,POST] are');
  assert.equal((await ask(handle, 'GET', '/nope?x=1')).json.error?.cause?.message, 'path /nope was not found');
});

test('an absolute target counts by its path', async () => {
  assert.equal(await outcome('GET', `https://other.example${M}/things/a?x`), '200');
  assert.equal(await outcome('GET', 'https://other.example'), '200');
  assert.equal(await outcome('GET', 'https://other.example?x=/nope'), '200');
});

test('a query parameter cannot take the place of one of the path', async () => {
  const seen = handlerOf({ get: (_, input) => input });
  assert.deepEqual((await ask(seen, 'GET', `${M}/things/a?id=b`)).json.data, { id: 'a' });
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

test('request ids differ, and are ten letters and digits', async () => {
  const ids = new Set<string>();
  for (let i = 0; i < 500; i++) ids.add((await ask(handle, 'GET', '/nope')).json.error?.requestId ?? '');
  assert.equal(ids.size, 500);
  for (const id of ids) assert.match(id, /^[0-9A-Za-z]{10}$/);
});
