import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { countingHasher } from '../support/hasher.ts';
import { policyBody } from '../support/policies.ts';
import { newStorage } from '../support/stores.ts';

onEveryStore('guessing passwords', (open, store) => {
  const attempts = async (app: App, username: string, guesses: readonly string[]) =>
    (await Promise.all(guesses.map((guess) => app.login(username, guess)))).map(({ status }) => status);
  const wrong = Array.from({ length: 40 }, (_, i) => `wrong password ${i}`);

  test('a burst of guesses never gets more tries than the policy allows', proves(471), async () => {
    await using app = await open();
    const authPolicyId = await app.create('/auth-policies', policyBody('strict', { updb: { maxAttempts: 3, lockoutDurationMinutes: 5 } }));
    for (const place of [3, 10, 39]) {
      const user = await app.user({ authPolicyId });
      const statuses = await attempts(app, user.username, wrong.toSpliced(place, 1, PASSWORD));
      assert.deepEqual([...new Set(statuses)], [401], `the right one at place ${place}`);
      assert.equal((await app.request('GET', `/identities/${user.id}`)).body.data.disabled, true);
      app.clock.advance('5m');
      assert.equal((await app.login(user.username, PASSWORD)).status, 200);
    }
  });

  test('nor does a burst that is spread over the controllers of a network', async () => {
    const storage = newStorage(store);
    await using one = await open({ storage });
    await using two = await open({ storage });
    const authPolicyId = await one.create('/auth-policies', policyBody('strict', { updb: { maxAttempts: 3, lockoutDurationMinutes: 0 } }));
    const user = await one.user({ authPolicyId });
    const guesses = [...wrong.slice(0, 10), PASSWORD, ...wrong.slice(10, 20)];
    const statuses = await Promise.all([attempts(one, user.username, guesses), attempts(two, user.username, guesses)]);
    assert.deepEqual([...new Set(statuses.flat())], [401]);
  });

  test('an unknown user and a wrong password are answered alike, after the same work', async () => {
    const passwords = countingHasher();
    await using app = await open({ platform: { passwords } });
    const closed = await app.create('/auth-policies', policyBody('closed', { updb: { allowed: false } }));
    const [user, disabled, shut] = [await app.user(), await app.user(), await app.user({ authPolicyId: closed })];
    await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
    await app.login('warming up', 'a wrong password');
    const shapes = new Set<string>();
    for (const username of [user.username, 'nobody at all', disabled.username, shut.username]) {
      const before = { ...passwords.counts };
      const { status, headers, body } = await app.login(username, 'a wrong password');
      assert.deepEqual(
        { hashed: passwords.counts.hashed - before.hashed, verified: passwords.counts.verified - before.verified },
        { hashed: 0, verified: 1 },
        username,
      );
      const { requestId, ...error } = body.error;
      shapes.add(JSON.stringify([status, headers, error, body.meta]));
    }
    assert.equal(shapes.size, 1);
  });
});
