import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexOfCode, newRecoveryCodes } from '../../../../../src/identity/mfa/record.ts';
import { acceptedIntervals, intervalOfCode, newTotpSecret, provisioningUrl, randomBase32 } from '../../../../../src/identity/mfa/totp.ts';
import { webRandom } from '../../../../../src/runtime/platform/web.ts';
import { totp } from '../../../../support/mfa.ts';

/** `12345678901234567890`, the secret of the test vectors of RFC 6238 (appendix B), in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('codes are the last six digits of the test vectors of RFC 6238', () => {
  for (const [seconds, code] of [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const) {
    assert.equal(intervalOfCode(SECRET, code.slice(2), seconds * 1000), Math.floor(seconds / 30));
    assert.equal(totp(SECRET, seconds * 1000), code.slice(2));
  }
});

test('five intervals are taken, fewer at the beginning of time', () => {
  assert.deepEqual(acceptedIntervals(300_000), [8, 9, 10, 11, 12]);
  assert.deepEqual(acceptedIntervals(329_999), [8, 9, 10, 11, 12]);
  assert.deepEqual(acceptedIntervals(330_000), [9, 10, 11, 12, 13]);
  assert.deepEqual(acceptedIntervals(0), [0, 1, 2]);
});

test('a code tells its interval while it is taken, and what is none tells none', () => {
  const now = 1_700_000_000_000;
  const taken = acceptedIntervals(now);
  const tells = (interval: number) => intervalOfCode(SECRET, totp(SECRET, interval * 30_000), now);
  for (const interval of taken) assert.equal(tells(interval), interval);
  const [first = 0, last = 0] = [taken[0], taken.at(-1)];
  for (const interval of [first - 1, last + 1]) assert.equal(tells(interval), undefined);
  const code = totp(SECRET, now);
  for (const none of ['', '0', 'abcdef', 'ABCDEF', `${code}0`, ` ${code}`, code.slice(1), '１２３４５６', '\0\0\0\0\0\0'])
    assert.equal(intervalOfCode(SECRET, none, now), undefined);
  assert.equal(intervalOfCode(SECRET, totp(SECRET, 0), 0), 0);
});

test('secrets are 160 random bits, and every character of base32 is as likely as any other', () => {
  assert.match(newTotpSecret(webRandom), /^[A-Z2-7]{32}$/);
  assert.equal(new Set(Array.from({ length: 100 }, () => newTotpSecret(webRandom))).size, 100);
  const everyByte = { bytes: () => Uint8Array.from({ length: 256 }, (_, i) => i) };
  const counts = Map.groupBy(randomBase32(everyByte, 256), (letter) => letter);
  assert.deepEqual([...new Set([...counts.values()].map(({ length }) => length))], [8]);
  assert.equal(counts.size, 32);
});

test('recovery codes are twenty, and drawn again where two are the same', () => {
  let drawn = 0;
  const repeating = { bytes: (length: number) => new Uint8Array(length).fill(Math.floor(drawn++ / 2)) };
  const codes = newRecoveryCodes(repeating);
  assert.deepEqual([codes.length, new Set(codes).size, drawn], [20, 20, 39]);
  assert.equal(indexOfCode(codes, codes[19] ?? ''), 19);
  for (const none of ['', 'aaaaaa', 'AAAAA', 'AAAAAAA']) assert.equal(indexOfCode(codes, none), undefined);
});

test('a provisioning URL names issuer and account, of a long name the beginning', () => {
  assert.equal(
    provisioningUrl('openziti.io', 'ann & bob/?#', SECRET),
    `otpauth://totp/openziti.io:ann%20%26%20bob%2F%3F%23?issuer=openziti.io&secret=${SECRET}`,
  );
  const { pathname } = new URL(provisioningUrl('x', '😀'.repeat(101), SECRET));
  assert.equal(decodeURIComponent(pathname), `/x:${'😀'.repeat(100)}`);
});
