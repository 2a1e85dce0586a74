import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSecrets, newSecretKey } from '../../../src/runtime/platform/secrets.ts';
import { webRandom } from '../../../src/runtime/platform/web.ts';

const secretsUnder = (...keys: string[]) => createSecrets(keys, webRandom);
const UNREADABLE = { name: 'SecretUnreadable' };

test('any text comes back from its seal, which shows nothing of it and is never the same twice', async () => {
  const secrets = await secretsUnder(newSecretKey());
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 8 }), fc.string(), async (text, context) => {
      const [sealed, again] = await Promise.all([secrets.seal(text, context), secrets.seal(text, context)]);
      assert.notEqual(sealed, again);
      assert.ok(!sealed.includes(text));
      assert.equal(await secrets.unseal(sealed, context), text);
    }),
    { numRuns: 50 },
  );
});

test('what was sealed opens neither in another place, nor under another key, nor when it was changed', async () => {
  const secrets = await secretsUnder(newSecretKey());
  const sealed = await secrets.seal('the secret', 'mfa:ann');
  await assert.rejects(secrets.unseal(sealed, 'mfa:bob'), UNREADABLE);
  await assert.rejects((await secretsUnder(newSecretKey())).unseal(sealed, 'mfa:ann'), UNREADABLE);
  const middle = sealed.length - 8;
  const changed = `${sealed.slice(0, middle)}${sealed[middle] === 'A' ? 'B' : 'A'}${sealed.slice(middle + 1)}`;
  for (const text of [changed, sealed.slice(0, -4), '', 'v1', 'v1.00000000.', `${sealed.slice(0, 12)}====`])
    await assert.rejects(secrets.unseal(text, 'mfa:ann'), UNREADABLE, text);
});

test('a key is replaced by putting a new one first', async () => {
  const [older, newer] = [newSecretKey(), newSecretKey()];
  const before = await (await secretsUnder(older)).seal('the secret', 'a');
  const both = await secretsUnder(newer, older);
  assert.equal(await both.unseal(before, 'a'), 'the secret');
  assert.equal(await (await secretsUnder(newer)).unseal(await both.seal('the secret', 'a'), 'a'), 'the secret');
});

test('a key is the same in both alphabets of base64, with padding and without', async () => {
  const inUrls = `-_${newSecretKey().slice(2)}`;
  const standard = `${inUrls.replaceAll('-', '+').replaceAll('_', '/')}=`;
  const sealed = await (await secretsUnder(inUrls)).seal('the secret', 'a');
  assert.equal(await (await secretsUnder(standard)).unseal(sealed, 'a'), 'the secret');
});

test('a key that is none is refused without being shown', async () => {
  for (const key of ['', 'hunter2', 'a'.repeat(42), 'a'.repeat(44), '!'.repeat(43)])
    await assert.rejects(secretsUnder(key), (error: Error) => error instanceof TypeError && (key === '' || !error.message.includes(key)));
  await assert.rejects(secretsUnder(), TypeError);
});
