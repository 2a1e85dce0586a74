import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { subjectOf } from '../../../src/tokens/claims.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const seconds = NOW / 1000;
const expected = { issuer: 'https://issuer.example', audience: 'us', claimsProperty: 'sub' } as const;
const good = { iss: expected.issuer, aud: 'us', sub: 'ann', exp: seconds + 600, nbf: seconds, iat: seconds } as const;

describe('claims', () => {
  test('that hold tell who it is', () => {
    assert.equal(subjectOf(good, expected, NOW), 'ann');
    const { nbf: _, iat: __, ...least } = good;
    assert.equal(subjectOf(least, expected, NOW), 'ann');
    assert.equal(subjectOf({ ...good, aud: ['others', 'us'] }, expected, NOW), 'ann');
    assert.equal(subjectOf({ ...good, email: 'ann@example.com' }, { ...expected, claimsProperty: 'email' }, NOW), 'ann@example.com');
    assert.equal(
      subjectOf({ ...good, 'https://example.com/user.id': 'a' }, { ...expected, claimsProperty: 'https://example.com/user.id' }, NOW),
      'a',
    );
  });

  test('are refused for each defect alone', () => {
    const bad: Readonly<Record<string, object>> = {
      'no issuer': { iss: undefined },
      'another issuer': { iss: 'https://other.example' },
      'an issuer with a slash more': { iss: `${expected.issuer}/` },
      'an issuer in capitals': { iss: expected.issuer.toUpperCase() },
      'an issuer in a list': { iss: [expected.issuer] },
      'no audience': { aud: undefined },
      'another audience': { aud: 'them' },
      'an audience that begins like ours': { aud: 'us and more' },
      'an audience in capitals': { aud: 'US' },
      'a list without our audience': { aud: ['them', 'others'] },
      'an empty list of audiences': { aud: [] },
      'a list in a list': { aud: [['us']] },
      'an audience by name': { aud: { us: true } },
      'no end': { exp: undefined },
      'an end that is null': { exp: null },
      'an end that is text': { exp: `${seconds + 600}` },
      'an end that never comes': { exp: Number.POSITIVE_INFINITY },
      'an end that is over': { exp: seconds - 61 },
      'a beginning in the future': { nbf: seconds + 61 },
      'a beginning that is text': { nbf: `${seconds}` },
      'a beginning that is null': { nbf: null },
      'a birth in the future': { iat: seconds + 61 },
      'a birth that is text': { iat: `${seconds}` },
      nobody: { sub: undefined },
      'an empty name': { sub: '' },
      'a number for a name': { sub: 5 },
      'a list of names': { sub: ['ann'] },
    };
    for (const [defect, claims] of Object.entries(bad)) assert.equal(subjectOf({ ...good, ...claims }, expected, NOW), undefined, defect);
  });

  test('have a minute of tolerance for clocks, and no more', () => {
    for (const [claims, holds] of [
      [{ exp: seconds - 59 }, true],
      [{ exp: seconds - 60 }, false],
      [{ nbf: seconds + 60 }, true],
      [{ nbf: seconds + 60.001 }, false],
      [{ iat: seconds + 60 }, true],
      [{ iat: seconds + 60.001 }, false],
    ] as const)
      assert.equal(subjectOf({ ...good, ...claims }, expected, NOW) !== undefined, holds, JSON.stringify(claims));
  });

  test('hold from a minute before their beginning to a minute after their end', () => {
    const time = fc.integer({ min: -10_000, max: 10_000 });
    fc.assert(
      fc.property(time, time, time, time, (exp, nbf, iat, now) => {
        const holds =
          subjectOf({ ...good, exp: seconds + exp, nbf: seconds + nbf, iat: seconds + iat }, expected, NOW + now * 1000) !== undefined;
        assert.equal(holds, now < exp + 60 && now >= nbf - 60 && now >= iat - 60);
      }),
    );
  });

  test('of any shape never throw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('iss', 'aud', 'exp', 'nbf', 'iat', 'sub'), fc.jsonValue()), (claims) => {
        subjectOf(claims, expected, NOW);
      }),
    );
  });
});
