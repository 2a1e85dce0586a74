import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { subjectOf as readSubject } from '../../../src/crypto/tokens/verifier.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const seconds = NOW / 1000;
const expected = { issuer: 'https://issuer.example', audience: 'us', claimsProperty: 'sub' } as const;
const good = { iss: expected.issuer, aud: 'us', sub: 'ann', exp: seconds + 600, nbf: seconds, iat: seconds } as const;

const subjectOf = (...given: Parameters<typeof readSubject>) => readSubject(...given).value;

describe('claims', () => {
  test('that hold name the subject', () => {
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
    const bad: Readonly<Record<string, readonly [claims: object, fault: string]>> = {
      'no issuer': [{ iss: undefined }, 'issuer'],
      'another issuer': [{ iss: 'https://other.example' }, 'issuer'],
      'an issuer with a slash more': [{ iss: `${expected.issuer}/` }, 'issuer'],
      'an issuer in capitals': [{ iss: expected.issuer.toUpperCase() }, 'issuer'],
      'an issuer in a list': [{ iss: [expected.issuer] }, 'issuer'],
      'no audience': [{ aud: undefined }, 'audience'],
      'another audience': [{ aud: 'them' }, 'audience'],
      'an audience that begins like ours': [{ aud: 'us and more' }, 'audience'],
      'an audience in capitals': [{ aud: 'US' }, 'audience'],
      'a list without our audience': [{ aud: ['them', 'others'] }, 'audience'],
      'an empty list of audiences': [{ aud: [] }, 'audience'],
      'a list in a list': [{ aud: [['us']] }, 'audience'],
      'an audience by name': [{ aud: { us: true } }, 'audience'],
      'no end': [{ exp: undefined }, 'claim'],
      'an end that is null': [{ exp: null }, 'claim'],
      'an end that is text': [{ exp: `${seconds + 600}` }, 'claim'],
      'an end that never comes': [{ exp: Number.POSITIVE_INFINITY }, 'claim'],
      'an end that is over': [{ exp: seconds - 61 }, 'expired'],
      'a beginning in the future': [{ nbf: seconds + 61 }, 'not-yet-valid'],
      'a beginning that is text': [{ nbf: `${seconds}` }, 'not-yet-valid'],
      'a beginning that is null': [{ nbf: null }, 'not-yet-valid'],
      'a birth in the future': [{ iat: seconds + 61 }, 'not-yet-valid'],
      'a birth that is text': [{ iat: `${seconds}` }, 'not-yet-valid'],
      nobody: [{ sub: undefined }, 'claim'],
      'an empty name': [{ sub: '' }, 'claim'],
      'a number for a name': [{ sub: 5 }, 'claim'],
      'a list of names': [{ sub: ['ann'] }, 'claim'],
    };
    for (const [defect, [claims, fault]] of Object.entries(bad))
      assert.deepEqual(readSubject({ ...good, ...claims }, expected, NOW), { fault }, defect);
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
