import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyTooLarge } from '../../../src/http/message.ts';
import { proves } from '../../specification.ts';
import { ask, M, requestOf } from './fake-api.ts';
import { handle, outcome } from './outcomes.ts';

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

test('a body without media type is refused, whether or not its length is given', async () => {
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
