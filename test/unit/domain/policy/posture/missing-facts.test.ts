import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkTypeOf } from '../../../../../src/access/posture/check-types.ts';
import type { Facts, StoredPostureCheck } from '../../../../../src/access/posture/facts.ts';
import { check, NOW, passes, seconds } from './checks.ts';

/** The value, or nothing in one of the ways in which there can be nothing. */
const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) });
const word = maybe(fc.constantFrom('', 'aa', 'AABB', '/a', 'Linux', '1.0.0', 'the-check', seconds(-10), seconds(10), 'x'));
const list = maybe(fc.array(word, { maxLength: 3 }));
const processes = maybe(
  fc.array(
    maybe(
      fc.record(
        { postureCheckId: word, path: word, isRunning: maybe(fc.boolean()), hash: word, signerFingerprints: list },
        { requiredKeys: [] },
      ),
    ),
  ),
);
const anyFacts: fc.Arbitrary<Facts> = fc.record(
  {
    mac: maybe(fc.record({ postureCheckId: word, addresses: list }, { requiredKeys: [] })),
    domain: maybe(fc.record({ domain: word }, { requiredKeys: [] })),
    os: maybe(fc.record({ type: word, version: word, build: word }, { requiredKeys: [] })),
    processes,
    paths: processes,
    session: maybe(
      fc.record(
        {
          mfaPassedAt: word,
          wokenAt: word,
          unlockedAt: word,
          sdkInfo: maybe(fc.record({ type: word, version: word }, { requiredKeys: [] })),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);

/** Each check, and the fact without which it cannot pass. */
const checks: readonly (readonly [StoredPostureCheck, keyof Facts])[] = [
  [check('MAC', { macAddresses: ['aa'] }), 'mac'],
  [check('DOMAIN', { domains: ['x', ''] }), 'domain'],
  [check('OS', { operatingSystems: [{ type: 'Linux', versions: null }] }), 'os'],
  [check('OS', { operatingSystems: [{ type: 'Linux', versions: ['1.x'] }] }), 'os'],
  [check('PROCESS', { process: { osType: 'Linux', path: '/a', hashes: ['aa', ''], signerFingerprint: 'x' } }), 'processes'],
  [check('PROCESS', { process: { osType: 'Linux', path: '/a', hashes: null } }), 'processes'],
  ...(['AllOf', 'AnyOf'] as const).map(
    (semantic) =>
      [
        check('PROCESS_MULTI', {
          semantic,
          processes: [{ osType: 'Linux', os: 'Linux', path: '/a', hashes: ['aa', ''], signerFingerprints: ['x', ''] }],
        }),
        'paths',
      ] as const,
  ),
  [check('MFA', { timeoutSeconds: -1 }), 'session'],
  [check('MFA', { timeoutSeconds: 5, promptOnWake: true, promptOnUnlock: true, ignoreLegacyEndpoints: true }), 'session'],
];

describe('facts that are missing', () => {
  test('whatever is missing on whatever level, no check breaks', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...checks), (facts, [of]) => {
        const type = checkTypeOf(of);
        assert.equal(typeof type.evaluate(of, facts, NOW).isPassing, 'boolean');
        JSON.stringify([type.query?.(of, facts, NOW), type.notice?.(of, facts, { woken: true, unlocked: true }, NOW)]);
      }),
      { numRuns: 3000 },
    );
  });

  test('without its fact a check fails, whatever else is known', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...checks), fc.constantFrom(null, undefined, {}), (facts, [of, needed], nothing) => {
        const value = nothing && (needed === 'processes' || needed === 'paths') ? [nothing] : nothing;
        assert.equal(passes(of, { ...facts, [needed]: value }), false);
      }),
      { numRuns: 3000 },
    );
  });

  test('taking a whole fact away makes no failing check pass', () => {
    const lose = fc.constantFrom('mac', 'domain', 'os', 'processes', 'paths', 'session');
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(...checks), lose, (facts, [of], lost) => {
        if (passes(of, { ...facts, [lost]: null })) assert.equal(passes(of, facts), true);
      }),
      { numRuns: 3000 },
    );
  });
});
