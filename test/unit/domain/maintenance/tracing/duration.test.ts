import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDuration } from '../../../../../src/operations/tracing/trace-identity.ts';

test('durations are numbers with units, added up', () => {
  const right: Readonly<Record<string, number>> = {
    '0': 0,
    '+0': 0,
    '0s': 0,
    '5m': 300_000,
    '1h30m': 5_400_000,
    '1.5s': 1500,
    '.5s': 500,
    '1.s': 1000,
    '-90s': -90_000,
    '100ms': 100,
    '2us2µs2μs': 0.006,
    '1000000ns': 1,
    '1s1h': 3_601_000,
    '2562047h': 9_223_369_200_000,
  };
  for (const [text, ms] of Object.entries(right)) assert.ok(Math.abs((parseDuration(text) ?? Number.NaN) - ms) < 1e-6, text);
});

test('any other text is not a valid duration', () => {
  for (const text of ['', '1', '-', '+', 's', '1x', '1 s', ' 1s', '1s ', '1s1', '1e3s', '.s', '0x1s', '--1s', '1M', '2562048h', '\u0661s'])
    assert.equal(parseDuration(text), undefined, text);
  fc.assert(fc.property(fc.string(), (text) => Number.isFinite(parseDuration(text) ?? 0)));
});

test('a long text takes time by its length, not by the square of it', () => {
  const start = process.cpuUsage();
  for (const text of ['1'.repeat(1e6), `${'1'.repeat(1e6)}x`, '1.'.repeat(5e5), '1m'.repeat(5e5)]) parseDuration(text);
  const { user, system } = process.cpuUsage(start);
  // A thousandth of what the squares of these lengths would take.
  assert.ok(user + system < 10_000_000);
});
