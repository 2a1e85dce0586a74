import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPassword } from '../../server/password.ts';

/** Reads a password where a person types these answers, one after another. */
const typing = async (answers: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const asked: string[] = [];
  const ask = async (question: string) => answers[asked.push(question) - 1] ?? '';
  const password = await readPassword({ variable: 'NEW_PASSWORD', environment, username: 'ann', ask });
  return { password, asked };
};

test('a new password is typed twice, and taken only if both are the same', async () => {
  assert.deepEqual(await typing(['swordfish', 'swordfish']), {
    password: 'swordfish',
    asked: ['New password of ann: ', 'Repeat the password: '],
  });
  await assert.rejects(typing(['swordfish', 'swordfisk']), /the two passwords differ: nothing was changed/);
});

test('an empty password is refused at once, with the ways to give one', async () => {
  await assert.rejects(typing(['', 'never asked']), /no password was given: set NEW_PASSWORD, type it, or pass it/);
});

test('the environment comes first, and nothing is asked', async () => {
  assert.deepEqual(await typing(['other', 'other'], { NEW_PASSWORD: 'swordfish' }), { password: 'swordfish', asked: [] });
});
