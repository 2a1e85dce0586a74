import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { apiTokenOf, bearerApiToken, idInApiToken } from '../../../src/contract/wire/api-token.ts';
import { BASE_62 } from '../../../src/contract/wire/base62.ts';

const part = fc.string({ unit: fc.constantFrom(...BASE_62), minLength: 22, maxLength: 22 });

test('the last six characters of an API token are the CRC-32 of the others in base 62, as scanners check it', () => {
  fc.assert(
    fc.property(part, part, (id, secret) => {
      const token = apiTokenOf(id, secret);
      assert.match(token, /^oct_[0-9A-Za-z]{50}$/);
      const value = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + BASE_62.indexOf(digit), 0);
      assert.equal(value, crc32(token.slice(0, -6)));
      assert.equal(idInApiToken(token), id);
    }),
  );
});

test('a text that differs from an API token in one character is none', () => {
  const other = fc.constantFrom(...`${BASE_62}-_. `);
  fc.assert(
    fc.property(part, part, fc.nat({ max: 53 }), other, (id, secret, at, character) => {
      const token = apiTokenOf(id, secret);
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      assert.equal(idInApiToken(changed), changed === token ? id : undefined);
    }),
  );
});

test('a bearer is an API token only if the header holds nothing else', () => {
  const token = apiTokenOf('A'.repeat(22), 'B'.repeat(22));
  for (const header of [`Bearer ${token}`, `bearer   ${token} `]) assert.equal(bearerApiToken(header), token);
  for (const header of [undefined, '', token, `Basic ${token}`, `Bearer a.b.c, Bearer ${token}`, 'Bearer a.b.c'])
    assert.equal(bearerApiToken(header), undefined);
  assert.equal(idInApiToken(bearerApiToken(`Bearer ${token}, Bearer a.b.c`) ?? ''), undefined);
});
