import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bearerTokens, MAX_TOKEN, readToken, stringClaim } from '../../../src/crypto/tokens/token.ts';
import { forge } from '../../support/provider.ts';
import { anyText } from '../../support/texts.ts';

describe('the content of Authorization', () => {
  test('is a token after the scheme Bearer, in any case; two at most', () => {
    const cases: readonly (readonly [string | undefined, readonly string[]])[] = [
      [undefined, []],
      ['', []],
      ['Bearer a', ['a']],
      ['bearer a', ['a']],
      ['BEARER  a', ['a']],
      ['bearer a, BEARER b', ['a', 'b']],
      ['Bearera', []],
      ['Bearer', []],
      ['Basic a', []],
      ['a', []],
      ['Bearer a, Bearer b', ['a', 'b']],
      ['Bearer a,Bearer b', ['a', 'b']],
      ['Basic x, Bearer a', ['a']],
      ['Bearer a, b', ['a']],
      ['Bearer a, Bearer b, Bearer c', ['a', 'b']],
    ];
    for (const [header, tokens] of cases) assert.deepEqual(bearerTokens(header), tokens, header);
  });
});

describe('reading a token', () => {
  const header = { alg: 'ES256', kid: 'k' };

  test('tells algorithm, key and claims, as they claim to be', () => {
    const text = forge(header, { iss: 'i', é: '😀' });
    assert.deepEqual(readToken(text), { text, algorithm: 'ES256', kid: 'k', claims: { iss: 'i', é: '😀' } });
  });

  test('refuses each defect alone', () => {
    const good = forge(header, {});
    const bad: Readonly<Record<string, string>> = {
      nothing: '',
      'no token': 'nonsense',
      unsigned: forge({ ...header, alg: 'none' }, {}, ''),
      'two parts': good.split('.').slice(0, 2).join('.'),
      'four parts': `${good}.x`,
      encrypted: `${good}.x.y`,
      padding: good.replace('.', '=.'),
      'characters of another alphabet': good.replace('.', '+/.'),
      'white space': `${good} `,
      'a header that is no JSON': forge('{', {}),
      'a header that is a list': forge([], {}),
      'a header that is null': forge('null', {}),
      'claims that are no JSON': forge(header, 'x'),
      'claims that are a list': forge(header, []),
      'claims that are a text': forge(header, '"x"'),
      'claims that are no UTF-8': `${forge(header, {}).split('.')[0]}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.x`,
      'no kid': forge({ alg: 'ES256' }, {}),
      'an empty kid': forge({ ...header, kid: '' }, {}),
      'a kid that is a number': forge({ ...header, kid: 5 }, {}),
      'a kid that is a list': forge({ ...header, kid: ['k'] }, {}),
      'no algorithm': forge({ kid: 'k' }, {}),
      'an algorithm that is a list': forge({ ...header, alg: ['ES256'] }, {}),
      'extensions that must be understood': forge({ ...header, crit: ['b64'], b64: false }, {}),
      'an empty list of extensions': forge({ ...header, crit: [] }, {}),
      'too long': forge(header, { a: 'x'.repeat(MAX_TOKEN) }),
    };
    assert.ok(readToken(good));
    for (const [defect, text] of Object.entries(bad)) assert.equal(readToken(text), undefined, defect);
  });

  test('takes a token of the greatest length', () => {
    const fill = MAX_TOKEN - forge(header, { a: '' }).length;
    const text = forge(header, { a: '' }, `c2lnbmF0dXJl${'A'.repeat(fill)}`);
    assert.equal(text.length, MAX_TOKEN);
    assert.ok(readToken(text));
    assert.equal(readToken(`${text}A`), undefined);
  });

  test('never throws, and gives no claim that a store could not be asked for', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.jsonValue(), fc.jsonValue()).map(([head, body]) => forge(head, body)),
        ),
        (text) => {
          readToken(text);
        },
      ),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), anyText(), fc.jsonValue())), fc.string(), (claims, name) => {
        const value = stringClaim(claims, name);
        assert.ok(value === undefined || (value === claims[name] && value !== '' && value.isWellFormed() && !value.includes('\0')));
      }),
    );
    for (const name of ['constructor', 'toString', '__proto__']) assert.equal(stringClaim({}, name), undefined);
    for (const value of ['', 'a\0b', '\ud800', 5, null, ['a'], { a: 'b' }, true]) assert.equal(stringClaim({ a: value }, 'a'), undefined);
  });
});
