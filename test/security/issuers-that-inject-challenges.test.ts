/** Issuers of external signers become part of a header that unauthenticated clients receive. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { externalChallenge } from '../../src/call/authentication/external-challenges.ts';

const challengeOf = (...issuers: readonly string[]) =>
  externalChallenge(
    'openziti-primary-ext-jwt',
    [],
    issuers.map((issuer, i) => ({ id: `s${i}`, issuer })),
  );

test('an issuer with quotes, backslashes, pipes and control characters neither ends its parameter nor begins a header', () => {
  const value = challengeOf('https://a.example/"\\|\r\nset-cookie: x=1\u0000é');
  assert.match(value, / issuer="https:\/\/a\.example\/\\"\\\\%7C%0D%0Aset-cookie: x=1%00%C3%A9"$/);
});

test('whatever the issuer, the challenge is one line of visible ASCII, with an intact quoted string', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ maxLength: 50 }), (one, other) => {
      const value = challengeOf(one, other);
      assert.match(value, /^[\x20-\x7e]*$/);
      assert.match(
        value,
        /^Bearer realm="[^"]*" error="[^"]*" error_description="[^"]*" id="s0\|s1" issuer="(?:[^"\\|]|\\["\\])*\|(?:[^"\\|]|\\["\\])*"$/,
      );
    }),
  );
});

test('long issuers do not make a header that proxies refuse, and do not displace short ones', () => {
  const long = Array.from({ length: 50 }, (_, i) => `https://${i}.example/${'x'.repeat(4000)}`);
  const value = challengeOf(...long, 'https://short.example');
  assert.ok(value.length < 4096, `${value.length}`);
  assert.match(value, / id="s50" issuer="https:\/\/short\.example"$/);
});
