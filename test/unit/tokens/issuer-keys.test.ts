import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIssuerKeys } from '../../../src/crypto/tokens/issuer-keys.ts';
import { newSigningKey, rotateKeys, type SigningKey, signingAt } from '../../../src/crypto/tokens/signing-keys.ts';
import { frozenClock } from '../../support/clock.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const rotation = { every: 30 * DAY, keptFor: DAY };

/** Keys as a store has them, which another controller may change. */
const opened = async () => {
  const clock = frozenClock();
  const stored: { keys: readonly SigningKey[]; reads: number } = { keys: [await newSigningKey(clock.now())], reads: 0 };
  const load = async () => {
    stored.reads++;
    return stored.keys;
  };
  return { clock, stored, load, keys: await createIssuerKeys(load, clock) };
};

test('a token whose key is unknown has the keys read again, once a second at most', async () => {
  const { clock, stored, load, keys } = await opened();
  stored.keys = [await newSigningKey(clock.now())];
  const other = await createIssuerKeys(load, clock);
  const token = await other.sign({ sub: 'ann' });
  const before = stored.reads;
  assert.equal(await keys.verify(token), undefined, 'they were read this very second');
  clock.advance('1s');
  assert.deepEqual(await keys.verify(token), { sub: 'ann' });
  const forged = token.replace(/^[^.]+/, Buffer.from('{"alg":"ES256","kid":"none"}').toString('base64url'));
  for (let i = 0; i < 100; i++) assert.equal(await keys.verify(forged), undefined);
  assert.equal(stored.reads, before + 1);
  clock.advance('1s');
  await Promise.all(Array.from({ length: 100 }, () => keys.verify(forged)));
  assert.equal(stored.reads, before + 2);
});

test('a token that was verified before is dead once its key is gone', async () => {
  const { clock, stored, keys } = await opened();
  const token = await keys.sign({ sub: 'ann' });
  for (let i = 0; i < 2; i++) assert.deepEqual(await keys.verify(token), { sub: 'ann' });
  stored.keys = [await newSigningKey(clock.now())];
  await keys.reload();
  assert.equal(await keys.verify(token), undefined);
});

test('a token that was verified before does not vouch for one that is like it', async () => {
  const { keys } = await opened();
  const token = await keys.sign({ sub: 'ann' });
  await keys.verify(token);
  const [head, , signature] = token.split('.');
  const claims = Buffer.from('{"sub":"bob"}').toString('base64url');
  for (const forged of [`${head}.${claims}.${signature}`, `${token}A`, token.slice(0, -1), ` ${token}`, `${token}=`])
    assert.equal(await keys.verify(forged), undefined, forged);
});

test('of the keys whose time has come the latest signs; where none has, the first', async () => {
  const [a, b, c] = [await newSigningKey(100), await newSigningKey(200), await newSigningKey(300)];
  assert.equal(signingAt([c, a, b], 250), b);
  assert.equal(signingAt([c, a, b], 300), c);
  assert.equal(signingAt([c, b], 100), b, 'the clock of who made it is ahead');
  assert.equal(signingAt([], 100), undefined);
});

test('a key is made when there is none, a day before it is needed, and never twice', async () => {
  const now = Date.parse('2026-11-21T10:00:00.000Z');
  const [first] = (await rotateKeys([], now, rotation)) ?? [];
  assert.equal(first?.signsFrom, now);
  const keys = first ? [first] : [];
  assert.equal(await rotateKeys(keys, now + 29 * DAY - 1, rotation), undefined);
  const next = (await rotateKeys(keys, now + 29 * DAY, rotation)) ?? [];
  assert.deepEqual(
    next.map(({ signsFrom }) => signsFrom),
    [now, now + 30 * DAY],
  );
  assert.equal(await rotateKeys(next, now + 31 * DAY + HOUR, rotation), undefined, 'clocks may be an hour apart');
  assert.deepEqual(await rotateKeys(next, now + 31 * DAY + HOUR + 1, rotation), [next[1]]);
});
