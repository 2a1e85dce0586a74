import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTypeOf } from '../../../../../src/access/posture/check-types.ts';
import type { Facts } from '../../../../../src/access/posture/facts.ts';
import { proves } from '../../../../specification.ts';
import { check, evaluate, NOW, passes, query, seconds } from './checks.ts';

const session = (facts: NonNullable<Facts['session']>): Facts => ({ session: facts });
const later = (by: number): number => NOW + by * 1000;

describe('posture checks of second factors', () => {
  const plain = check('MFA', { timeoutSeconds: -1 });
  const timed = check('MFA', { timeoutSeconds: 60 });
  const prompting = check('MFA', { timeoutSeconds: -1, promptOnWake: true, promptOnUnlock: true });
  const passed = session({ mfaPassedAt: seconds(0) });

  test('a session passes by a code, and stays so where there is no timeout', proves(204, 248, 465), () => {
    for (const facts of [{}, session({}), session({ mfaPassedAt: null }), session({ wokenAt: seconds(0) })])
      assert.equal(passes(plain, facts), false);
    for (const timeoutSeconds of [-1, 0]) assert.equal(passes(check('MFA', { timeoutSeconds }), passed, later(1e9)), true);
    assert.equal(query(plain, passed, later(1e6)).timeoutRemaining, -1);
    assert.equal('timeoutAt' in query(plain, passed), false);
  });

  test('after its timeout it fails until a new code', proves(194, 247), () => {
    assert.deepEqual([passes(timed, passed, later(60)), passes(timed, passed, later(60.001))], [true, false]);
    assert.equal(passes(timed, session({ mfaPassedAt: seconds(61) }), later(70)), true);
    const { timeout, timeoutRemaining, timeoutAt } = query(timed, passed, later(20));
    assert.deepEqual([timeout, timeoutRemaining, timeoutAt], [60, 40, seconds(60)]);
    assert.deepEqual(
      [59.001, 59, 60, 60.001].map((by) => query(timed, passed, later(by)).timeoutRemaining),
      [1, 1, 0, 0],
    );
    assert.deepEqual([query(timed, passed, later(100)).timeoutRemaining, query(timed, {}).timeoutRemaining], [0, 0]);
    assert.equal(query(timed, passed, later(20.001)).timeoutRemaining, 40);
    assert.equal(query(timed, {}).timeoutAt, seconds(0));
    assert.equal(passes(check('MFA', { timeoutSeconds: 1 }), passed, later(1.001)), false);
    assert.equal(query(check('MFA', { timeoutSeconds: Number.MAX_SAFE_INTEGER }), passed).timeoutAt, '9999-12-31T23:59:59.999Z');
  });

  test('waking and unlocking end it after five minutes, where the check prompts', proves(249, 250, 464), () => {
    for (const event of ['wokenAt', 'unlockedAt'] as const) {
      const facts = session({ mfaPassedAt: seconds(-1000), [event]: seconds(0) });
      assert.deepEqual([passes(prompting, facts, later(300)), passes(prompting, facts, later(300.001))], [true, false]);
      // What happens in the moment of a code comes after it.
      const atOnce = session({ mfaPassedAt: seconds(0), [event]: seconds(0) });
      assert.deepEqual([passes(prompting, atOnce, later(300)), passes(prompting, atOnce, later(300.001))], [true, false]);
      const before = session({ mfaPassedAt: seconds(0.001), [event]: seconds(0) });
      assert.equal(passes(prompting, before, later(1000)), true);
      assert.equal(query(prompting, facts, later(100)).timeoutRemaining, 200);
      assert.equal(query(prompting, facts).updatedAt, seconds(0));
    }
  });

  test('waking and unlocking change nothing where the check does not prompt', proves(251), () => {
    const onWake = check('MFA', { timeoutSeconds: -1, promptOnWake: true });
    const onUnlock = check('MFA', { timeoutSeconds: -1, promptOnUnlock: true });
    const woken = session({ mfaPassedAt: seconds(-10), wokenAt: seconds(0) });
    const unlocked = session({ mfaPassedAt: seconds(-10), unlockedAt: seconds(0) });
    assert.deepEqual([passes(onWake, woken, later(400)), passes(onWake, unlocked, later(400))], [false, true]);
    assert.deepEqual([passes(onUnlock, woken, later(400)), passes(onUnlock, unlocked, later(400))], [true, false]);
    assert.equal(passes(plain, { ...woken, ...unlocked }, later(400)), true);
    assert.equal(query(onWake, unlocked).updatedAt, onWake.updatedAt);
  });

  test('a code within the grace period resets it', proves(252), () => {
    const facts = session({ mfaPassedAt: seconds(200), wokenAt: seconds(0), unlockedAt: seconds(10) });
    assert.equal(passes(prompting, facts, later(10_000)), true);
    assert.equal(query(prompting, facts, later(250)).timeoutRemaining, -1);
  });

  test('what is left is the nearer of timeout and grace period', () => {
    const both = check('MFA', { timeoutSeconds: 1000, promptOnWake: true });
    const woken = session({ mfaPassedAt: seconds(0), wokenAt: seconds(100) });
    assert.equal(query(both, woken, later(100)).timeoutRemaining, 300);
    assert.equal(query(both, session({ mfaPassedAt: seconds(0), wokenAt: seconds(900) }), later(900)).timeoutRemaining, 100);
  });

  test('clients that do not understand the remaining time do not get it, and are judged alike', () => {
    const lenient = check('MFA', { timeoutSeconds: 60, ignoreLegacyEndpoints: true });
    const by = (type: string, version: string) => session({ mfaPassedAt: seconds(0), sdkInfo: { type, version } });
    for (const [type, version] of [
      ['ziti-sdk-c', '0.25.0'],
      ['ziti-sdk-c', 'v1.2.3'],
    ] as const)
      assert.equal(query(lenient, by(type, version)).timeoutRemaining, 60);
    for (const [type, version] of [
      ['ziti-sdk-c', '0.24.9'],
      ['ziti-sdk-c', 'x'],
      ['ziti-sdk-golang', '9.0.0'],
    ] as const) {
      assert.equal(query(lenient, by(type, version)).timeoutRemaining, -1);
      assert.equal(passes(lenient, by(type, version), later(61)), false);
    }
    assert.equal(query(timed, by('other', '')).timeoutRemaining, 60);
  });

  test('a failure shows what was asked and what was done', () => {
    const onWake = check('MFA', { timeoutSeconds: 60, promptOnWake: true });
    assert.deepEqual(evaluate(onWake, {}), {
      isPassing: false,
      expectedValue: { passedMfa: true, passedOnWake: true, passedOnUnlock: false, timedOut: false },
      actualValue: { passedMfa: false, passedOnWake: false, passedOnUnlock: true, timedOut: true },
      extraProperties: { criteria: { passedMfaAt: null, wokenAt: null, unlockedAt: null, timeoutSeconds: 60, timeoutRemainingSeconds: 0 } },
    });
  });

  test('an event gives notice to a session with a code, where the check prompts and would not end anyway', () => {
    const notice = (of: typeof plain, facts: Facts, woken: boolean, unlocked: boolean) =>
      checkTypeOf(of).notice?.(of, facts, { woken, unlocked }, NOW);
    const onWake = (timeoutSeconds: number) => check('MFA', { timeoutSeconds, promptOnWake: true });
    assert.deepEqual(notice(onWake(-1), passed, true, false), { timeout: -1, timeoutRemaining: 300 });
    assert.deepEqual(notice(onWake(301), passed, true, true), { timeout: 301, timeoutRemaining: 300 });
    assert.equal(notice(onWake(300), passed, true, false), undefined);
    assert.equal(notice(onWake(-1), passed, false, true), undefined);
    assert.equal(notice(onWake(-1), {}, true, false), undefined);
    assert.equal(notice(plain, passed, true, true), undefined);
  });
});
