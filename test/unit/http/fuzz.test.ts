import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../support/texts.ts';
import { handlerOf, M, requestOf } from './fake-api.ts';

/** What a client sends, however broken, is never the server's fault. */

const handle = handlerOf({}, { maxBodyBytes: 1 << 20 });

const shaped = async (method: string, target: string, body?: Uint8Array, headers?: Readonly<Record<string, string>>) => {
  const answer = await handle(requestOf(method, target, { ...(body ? { body } : {}), ...(headers ? { headers } : {}) }));
  assert.ok(answer.status >= 200 && answer.status < 500, `${answer.status} for ${method} ${target}`);
  if (answer.headers['content-type'] === 'text/plain; charset=utf-8') return assert.equal(answer.status, 400);
  if (answer.headers['content-type'] !== 'application/json') return;
  const parsed = JSON.parse(String(answer.body));
  if (answer.status < 400) return;
  assert.deepEqual(Object.keys(parsed), ['error', 'meta']);
  assert.match(parsed.error.requestId, /^[0-9A-Za-z]{10}$/);
  for (const text of Object.values(parsed.error.cause ?? {})) assert.equal(typeof text, 'string');
};

const method = fc.oneof(fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'), fc.string());
const latin = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const escapes = fc
  .array(
    fc.constantFrom(
      '%',
      '%2',
      '%zz',
      '%00',
      '%ff',
      '%2F',
      '..',
      '/',
      '.',
      'a',
      '?',
      '&',
      '=',
      ';',
      '+',
      '#',
      '\ud800',
      'filter',
      '__proto__',
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));
const text = fc.oneof(anyText({ maxLength: 60 }), latin, escapes);
const runs = { numRuns: 1000 };

test('no path is the server’s fault', () =>
  fc.assert(
    fc.asyncProperty(method, text, (verb, path) => shaped(verb, path)),
    runs,
  ));

test('no id is the server’s fault', () =>
  fc.assert(
    fc.asyncProperty(method, text, (verb, id) => shaped(verb, `${M}/things/${id}`)),
    runs,
  ));

test('no query is the server’s fault', () =>
  fc.assert(
    fc.asyncProperty(text, text, (name, value) => shaped('GET', `${M}/things?${name}=${value}&filter=${value}&roleFilter=${name}`)),
    runs,
  ));

test('no body is the server’s fault', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(`${M}/things`, `${M}/authenticate?method=cert`),
      fc.oneof(
        fc.uint8Array({ maxLength: 100 }),
        fc.json().map((json) => Buffer.from(json)),
        text.map((raw) => Buffer.from(JSON.stringify({ name: raw, tags: { [raw]: raw } }))),
      ),
      (path, body) => shaped('POST', path, body),
    ),
    runs,
  ));

test('no header is the server’s fault', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        'accept',
        'content-type',
        'content-length',
        'origin',
        'authorization',
        'zt-session',
        'access-control-request-method',
        'access-control-request-headers',
        'transfer-encoding',
      ),
      text,
      method,
      (name, value, verb) =>
        shaped(verb, `${M}/things`, Buffer.from('{"name":"x"}'), { [name]: value, ...(name === 'origin' ? {} : { origin: 'x' }) }),
    ),
    runs,
  ));
