import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeUnpaddedBase64, encodeUnpaddedBase64 } from '../../../src/runtime/platform/base64.ts';
import { parsePhc, printPhc } from '../../../src/runtime/platform/phc.ts';

const SALT = 'AAECAwQFBgcICQoLDA0ODw';
const TAG = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const text = (parameters: string, salt = SALT, tag = TAG) => `$argon2id$v=19$${parameters}$${salt}$${tag}`;

test('a hash says its parameters, salt and tag, and prints as it was read', () => {
  const hash = parsePhc(text('m=19456,t=2,p=1'));
  assert.ok(hash);
  assert.deepEqual([hash.m, hash.t, hash.p], [19456, 2, 1]);
  assert.deepEqual(
    [...hash.salt],
    Array.from({ length: 16 }, (_, i) => i),
  );
  assert.equal(hash.tag.length, 32);
  assert.equal(printPhc(hash), text('m=19456,t=2,p=1'));
});

test('what would take absurd time or memory to check is unreadable', () => {
  for (const fine of ['m=8,t=1,p=1', 'm=262144,t=4,p=1', 'm=65536,t=16,p=4', 'm=3072,t=1,p=4']) assert.ok(parsePhc(text(fine)), fine);
  for (const absurd of [
    'm=262145,t=1,p=1',
    'm=4194304,t=1,p=1',
    'm=19456,t=17,p=1',
    'm=19456,t=1,p=17',
    'm=262144,t=5,p=1',
    'm=4294967296,t=1,p=1',
    'm=9999999999,t=1,p=1',
  ])
    assert.equal(parsePhc(text(absurd)), undefined, absurd);
});

test('what Argon2 does not allow, and other algorithms and versions, are unreadable', () => {
  const bad = [
    '',
    '$',
    'plain',
    text('m=7,t=1,p=1'),
    text('m=8,t=1,p=2'),
    text('m=0,t=1,p=1'),
    text('m=8,t=0,p=1'),
    text('m=8,t=1,p=0'),
    text('m=08,t=1,p=1'),
    text('m=-8,t=1,p=1'),
    text('t=2,m=19456,p=1'),
    text('m=19456,t=2,p=1,keyid=x'),
    text('m=19456,t=2'),
    text('m=19456,t=2,p=1', 'AAEC'),
    text('m=19456,t=2,p=1', `${SALT}==`),
    text('m=19456,t=2,p=1', 'A'.repeat(13)),
    text('m=19456,t=2,p=1', SALT, 'AAECAwQFBgc'),
    text('m=19456,t=2,p=1', SALT, 'A'.repeat(500)),
    text('m=19456,t=2,p=1', 'AAECAwQFBgcICQoLDA0O_w'),
    `${text('m=19456,t=2,p=1')}\n`,
    ` ${text('m=19456,t=2,p=1')}`,
    text('m=19456,t=2,p=1').replace('argon2id', 'argon2i'),
    text('m=19456,t=2,p=1').replace('v=19', 'v=16'),
    text('m=19456,t=2,p=1').replace('$v=19', ''),
    '$2b$12$abcdefghijklmnopqrstuuSKxGEV0Ek3ttyQX4G8KYGXKvSO0f1GO',
    `${text('m=19456,t=2,p=1')}$`,
  ];
  for (const hash of bad) assert.equal(parsePhc(hash), undefined, hash);
});

test('any salt and tag of a sound length come back as they were', () => {
  const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 64 });
  fc.assert(
    fc.property(bytes(8), bytes(16), fc.integer({ min: 8, max: 65536 }), fc.integer({ min: 1, max: 16 }), (salt, tag, m, t) => {
      assert.deepEqual(parsePhc(printPhc({ m, t, p: 1, salt, tag })), {
        m,
        t,
        p: 1,
        salt: Uint8Array.from(salt),
        tag: Uint8Array.from(tag),
      });
    }),
  );
});

test('reading never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('$', 'argon2id', 'v=19', 'm=8', ',', 't=1', 'p=1', SALT, 'A') })),
      (any) => void parsePhc(any),
    ),
  );
});

test('salts and tags are in Base64 with the standard alphabet, without padding', () => {
  assert.equal(encodeUnpaddedBase64(Uint8Array.of(251, 255)), '+/8');
  assert.deepEqual(decodeUnpaddedBase64('+/8'), Uint8Array.of(251, 255));
  for (const bad of ['A', '+/8=', '-_8', 'A A', 'AAAAA']) assert.equal(decodeUnpaddedBase64(bad), undefined, bad);
});
