import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { heldHasher } from '../support/hasher.ts';
import { begin, byPassword } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';
import { newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const WRONG = 'a wrong password';

/** A username for each state that a name can be in. */
const names = async (app: App): Promise<Readonly<Record<string, string>>> => {
  const under = (name: string, updb: Readonly<Record<string, unknown>>) => app.create('/auth-policies', policyBody(name, { updb }));
  const limits = { maxAttempts: 50, lockoutDurationMinutes: 10 };
  const counted = await under('counted', limits);
  const [known, free, disabled, locked, shut] = [
    await app.user({ authPolicyId: counted }),
    await app.user(),
    await app.user({ authPolicyId: counted }),
    await app.user({ authPolicyId: await under('strict', { ...limits, maxAttempts: 1 }) }),
    await app.user({ authPolicyId: await under('closed', { ...limits, allowed: false }) }),
  ];
  await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
  await app.login(locked.username, WRONG);
  const reEnrolling = await app.user({ authPolicyId: counted });
  const expiresAt = new Date(app.clock.now() + 600_000).toISOString();
  await app.request('POST', `/authenticators/${reEnrolling.authenticatorId}/re-enroll`, { body: { expiresAt } });
  return {
    unknown: 'nobody at all',
    counted: known.username,
    'not counted': free.username,
    disabled: disabled.username,
    'locked out': locked.username,
    'not allowed to log in by a password': shut.username,
    'without a password': reEnrolling.username,
  };
};

type Guess = (app: App, username: string) => Promise<number>;

/** A wrong password, and the status of the refusal. The provider takes it in a login that has begun. */
const ways: Readonly<Record<string, (app: App) => Promise<Guess>>> = {
  'the API': async () => async (app, username) => (await app.login(username, WRONG)).status,
  'the provider': async (app) => {
    const login = await begin(app);
    return async (_, username) => (await byPassword(app, login, username, WRONG)).status;
  },
};

onEveryStore('the time of a login does not reveal which usernames there are', (open, store) => {
  const cases = Object.entries(ways).flatMap(([way, guessing]) => [1, 6].map((guesses) => ({ way, guessing, guesses })));
  for (const { way, guessing, guesses } of cases)
    test(`${guesses} wrong guesses at once by ${way} cost the same for every name: statements of the store, and hashes`, async () => {
      const { storage, asked } = counted(newStorage(store));
      const passwords = heldHasher();
      await using app = await open({ storage, platform: { passwords } });
      const states = await names(app);
      const guess = await guessing(app);
      const waiting = async () => (await app.controller.statistics()).queues.passwordChecks.waiting;
      await waiting(); // its own statements are asked once
      const costs = new Map<string, string>();
      const details = new Map<string, readonly string[]>();
      for (const [state, username] of Object.entries(states)) {
        const before = { ...passwords.counts };
        const statements = await asked(async () => {
          // All others wait for the first one, so that none is missed by a store that answers late.
          passwords.hold();
          const answers = Array.from({ length: guesses }, () => guess(app, username));
          await until(async () => passwords.held() === 1 && (await waiting()) === guesses - 1);
          passwords.release();
          const statuses = await Promise.all(answers);
          for (const status of statuses) assert.equal(status, 401, state);
        });
        const { hashed, verified } = passwords.counts;
        details.set(state, statements);
        const operations = statements.map((statement) => statement.split(' ', 1)[0]).toSorted();
        costs.set(state, JSON.stringify([operations, hashed - before.hashed, verified - before.verified]));
      }
      assert.equal(new Set(costs.values()).size, 1, JSON.stringify([...details], null, 1));
      const [operations, hashed, verified] = JSON.parse(costs.get('unknown') ?? '');
      assert.deepEqual([hashed, verified], [0, guesses]);
      assert.ok(operations.filter((operation: string) => operation === 'update').length === guesses);
    });

  test('wrong guesses of any name leave nothing in the change log', async () => {
    await using app = await open();
    const left = await app.trail(async () => {
      for (const username of Object.values(await names(app)).slice(0, 1))
        for (let i = 0; i < 3; i++) await app.login(username, 'a wrong one');
    });
    assert.ok(!left.includes('update keptSecret') && !left.includes('create keptSecret'));
  });
});
