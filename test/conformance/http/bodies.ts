import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf } from '../../adapters/http/sockets.ts';
import type { Sentences } from '../http.suite.ts';
import { API, connect, head, JSON_BODY, LIMIT, MOUNT } from './host.ts';

const JSON_HEAD = 'Content-Type: application/json';
const PEM = '-----BEGIN CERTIFICATE REQUEST-----\r\nMIH+x/é==\r\n-----END CERTIFICATE REQUEST-----\r\n\r\n';
const thing = JSON.stringify({ name: 'x', count: 1, tags: { é: ['"\\u0001"', null, 1.5] } });

/** What clients send. */
export const bodies: Sentences = {
  'a JSON body arrives as it was sent, whole or in chunks': async (open) => {
    const server = await open({ behaviours: { create: (_, { body }) => ({ _links: {}, id: JSON.stringify(body) }) } });
    const posted = await server.ask('POST', `${API}/things`, { headers: JSON_BODY, body: thing });
    assert.deepEqual([posted.status, JSON.parse(posted.json.data.id)], [201, JSON.parse(thing)]);
    const bare = connect(server);
    bare.write(head('POST', `${API}/things`, JSON_HEAD, 'Transfer-Encoding: chunked', 'Connection: close'));
    for (const part of ['{"name"', ':"in parts"}']) {
      bare.write(`${part.length.toString(16)}\r\n${part}\r\n`);
      await sleep(5);
    }
    bare.write('0\r\n\r\n');
    const { text } = await bare.closed;
    assert.equal(statusOf(text), 201);
    assert.match(text, /in parts/);
  },

  'the session is checked before a body is asked for': async (open) => {
    const server = await open();
    const bare = connect(server);
    bare.write(head('POST', `${API}/things`, JSON_HEAD, 'Content-Length: 100').replace('good', 'bad'));
    assert.equal(statusOf(await bare.until(/"meta"/)), 401);
    bare.socket.destroy();
  },

  'text and PEM arrive byte for byte': async (open) => {
    const server = await open();
    for (const type of ['text/plain', 'application/x-pem-file', 'text/plain; charset=utf-8']) {
      const { status, json } = await server.ask('POST', `${API}/sign`, { headers: { 'content-type': type }, body: PEM });
      assert.deepEqual([type, status, json.data.body], [type, 200, PEM]);
    }
  },

  'text that looks like JSON stays text, and JSON may come where text may': async (open) => {
    const server = await open();
    const text = await server.ask('POST', `${API}/sign`, { headers: { 'content-type': 'text/plain' }, body: '{"name": 1.0}' });
    assert.equal(text.json.data.body, '{"name": 1.0}');
    const json = await server.ask('POST', `${API}/sign`, { headers: JSON_BODY, body: thing });
    assert.deepEqual(json.json.data.body, JSON.parse(thing));
  },

  'a missing body is told from an empty object': async (open) => {
    const server = await open();
    const login = `${MOUNT}/authenticate?method=password`;
    assert.deepEqual((await server.ask('POST', login, { headers: JSON_BODY, body: '{}' })).json.data, { method: 'password', body: {} });
    assert.deepEqual((await server.ask('POST', login, { body: '' })).json.data, { method: 'password' });
    const { status, json } = await server.ask('POST', `${API}/things`, { headers: JSON_BODY, body: '' });
    assert.deepEqual([status, json.error.cause.reason], [400, 'the body is missing: it must contain the thing']);
  },

  'other media types, and none, are 415 in the envelope': async (open) => {
    const server = await open();
    for (const type of ['application/xml', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', undefined]) {
      const headers = type === undefined ? {} : { 'content-type': type };
      const { status, json } = await server.ask('POST', `${API}/things`, { headers, body: 'name=x' });
      assert.deepEqual([type, status, json?.error.cause.field], [type, 415, 'Content-Type']);
    }
  },

  'a media type that is none is 415 in the envelope': async (open) => {
    const { status, json } = await (await open()).ask('POST', `${API}/things`, { headers: { 'content-type': 'json!' }, body: '{}' });
    assert.deepEqual([status, json?.error.cause.field], [415, 'Content-Type']);
  },

  'what is no JSON is 400 in the envelope': async (open) => {
    const server = await open();
    for (const body of ['{"name":', 'name', '{}{}', Buffer.from('7b226e616d65223a22ff227d', 'hex')]) {
      const { status, json } = await server.ask('POST', `${API}/things`, { headers: JSON_BODY, body });
      assert.deepEqual([String(body), status, json?.error?.code], [String(body), 400, 'COULD_NOT_PARSE_BODY']);
    }
  },

  'JSON that no store could hold is 400': async (open) => {
    const server = await open();
    for (const value of ['"\\u0000"', '"\\ud800"', `${'['.repeat(70)}${']'.repeat(70)}`]) {
      const { status, json } = await server.ask('POST', `${API}/things`, {
        headers: JSON_BODY,
        body: `{"name":"x","tags":{"a":${value}}}`,
      });
      assert.deepEqual([value, status, json.error.code], [value, 400, 'COULD_NOT_PARSE_BODY']);
    }
  },

  'a number out of range is 400': async (open) => {
    const { status } = await (await open()).ask('POST', `${API}/things`, { headers: JSON_BODY, body: '{"name":"x","tags":{"a":1e999}}' });
    assert.equal(status, 400);
  },

  'a JSON object on GET and DELETE is ignored': async (open) => {
    const server = await open();
    for (const method of ['GET', 'DELETE'])
      assert.equal((await server.ask(method, `${API}/things/a`, { headers: JSON_BODY, body: '{"x":1}' })).status, 200);
  },

  'whatever else comes with GET and DELETE is ignored': async (open) => {
    const server = await open();
    for (const type of ['application/json', 'text/plain', 'application/octet-stream'])
      for (const method of ['GET', 'DELETE'])
        assert.equal((await server.ask(method, `${API}/things/a`, { headers: { 'content-type': type }, body: '{"x":' })).status, 200);
  },

  'a body that is announced above the limit is 413 before any of it comes': async (open) => {
    const bare = connect(await open());
    bare.write(head('POST', `${API}/things`, JSON_HEAD, `Content-Length: ${LIMIT + 1}`));
    const text = await bare.until(/"meta"/);
    assert.equal(statusOf(text), 413);
    assert.match(text, /REQUEST_ENTITY_TOO_LARGE/);
    bare.socket.destroy();
  },

  'a body above the limit is 413 in the envelope': async (open) => {
    const server = await open();
    const fitting = `{"name":"${'x'.repeat(LIMIT - 11)}"}`;
    assert.equal((await server.ask('POST', `${API}/things`, { headers: JSON_BODY, body: fitting })).status, 201);
    const { status, json } = await server.ask('POST', `${API}/things`, { headers: JSON_BODY, body: `${fitting} ` });
    assert.deepEqual([status, json.error.code], [413, 'REQUEST_ENTITY_TOO_LARGE']);
  },

  'an endless body is 413 in the envelope while it is being sent': async (open) => {
    const bare = connect(await open());
    bare.write(head('POST', `${API}/things`, JSON_HEAD, 'Transfer-Encoding: chunked'));
    const chunk = Buffer.concat([Buffer.from('4000\r\n'), Buffer.alloc(0x4000, ' '), Buffer.from('\r\n')]);
    const flood = setInterval(() => bare.socket.writableLength === 0 && bare.write(chunk), 1);
    try {
      assert.match(await bare.until(/"meta"/), /^HTTP\/1.1 413 .*REQUEST_ENTITY_TOO_LARGE/s);
    } finally {
      clearInterval(flood);
      bare.socket.destroy();
    }
  },

  'a body that breaks off calls no operation': async (open) => {
    let calls = 0;
    const server = await open({ behaviours: { create: () => ++calls } });
    const bare = connect(server);
    bare.write(`${head('POST', `${API}/things`, JSON_HEAD, 'Content-Length: 100')}{"name":"x"}`);
    await sleep(50);
    bare.socket.destroy();
    await sleep(50);
    assert.equal(calls, 0);
    assert.equal((await server.ask('GET', `${MOUNT}/version`)).status, 200);
  },

  'a client that waits for 100 Continue is served': async (open) => {
    const bare = connect(await open());
    bare.write(head('POST', `${API}/things`, JSON_HEAD, 'Content-Length: 12', 'Expect: 100-continue', 'Connection: close'));
    await bare.until(/^HTTP\/1.1 100 Continue/);
    bare.write('{"name":"x"}');
    assert.match((await bare.closed).text, /HTTP\/1.1 201/);
  },
};
