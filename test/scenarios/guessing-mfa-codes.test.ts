import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { giveCode, userWithMfa } from '../support/mfa.ts';
import { assertRefused } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);
const AT = '/current-identity/mfa';
const exhaust = async (app: App, as: string, wrong: string) => {
  for (let i = 0; i < 10; i++) assertRefused(await giveCode(app, as, wrong), 400, 'MFA_INVALID_TOKEN');
};

onEveryStore('guessing codes of MFA', (open, store) => {
  test('ten wrong codes in five minutes are the end of trying, also with the right one, until they are that old', proves(471), async () => {
    await using app = await open();
    const { factor, as } = await userWithMfa(app);
    await giveCode(app, as, factor.wrongCode());
    app.clock.advance('100s');
    for (let i = 0; i < 9; i++) assertRefused(await giveCode(app, as, factor.wrongCode()), 400, 'MFA_INVALID_TOKEN');
    for (const code of [factor.wrongCode(), factor.code(), factor.recoveryCodes[0] ?? '']) {
      const answer = await giveCode(app, as, code);
      assertRefused(answer, 429, 'SERVER_TOO_MANY_REQUESTS');
      assert.equal(answer.headers['retry-after'], '200');
    }
    app.clock.advance('199s');
    assert.equal((await giveCode(app, as, factor.code())).headers['retry-after'], '1');
    app.clock.advance('1s');
    assertRefused(await giveCode(app, as, factor.wrongCode()), 400, 'MFA_INVALID_TOKEN');
    assert.equal((await giveCode(app, as, factor.code())).headers['retry-after'], '100');
    app.clock.advance('100s');
    assert.equal((await giveCode(app, as, factor.code())).status, 200);
    const [row] = await app.rows('mfa');
    assert.ok(row && (row.wrongCodesAt as readonly string[]).length <= 10);
  });

  test('the limit is one for all uses of codes, all sessions of the identity, and all controllers', async () => {
    const storage = newStorage(store);
    await using one = await open({ storage });
    await using two = await open({ storage });
    const { factor, full, owing } = await userWithMfa(one, 2);
    const code = factor.wrongCode();
    const header = { as: full, headers: { 'mfa-validation-code': code } };
    const uses = (app: App) => [
      () => giveCode(app, owing[0] ?? '', code),
      () => giveCode(app, owing[1] ?? '', code),
      () => app.request('GET', `${AT}/recovery-codes`, header),
      () => app.request('POST', `${AT}/recovery-codes`, { as: full, body: { code } }),
      () => app.request('DELETE', AT, header),
    ];
    for (const use of [...uses(one), ...uses(two)]) assertRefused(await use(), 400, 'MFA_INVALID_TOKEN');
    for (const use of [...uses(one), ...uses(two)]) assertRefused(await use(), 429, 'SERVER_TOO_MANY_REQUESTS');
    assertRefused(await giveCode(two, owing[0] ?? '', factor.code()), 429, 'SERVER_TOO_MANY_REQUESTS');
  });

  test('a burst of guesses gets no more tries than that, whatever the sessions and the controllers', async () => {
    const storage = newStorage(store);
    await using one = await open({ storage });
    await using two = await open({ storage });
    const { factor, owing } = await userWithMfa(one, 4);
    const guesses = times(40, factor.wrongCode());
    const answers = await Promise.all([...guesses, factor.code()].map((code, i) => giveCode(i % 2 ? one : two, owing[i % 4] ?? '', code)));
    assert.equal(answers.filter(({ status }) => status === 400).length, 10);
    const last = await giveCode(one, owing[0] ?? '', factor.code(1));
    assertRefused(last, 429, 'SERVER_TOO_MANY_REQUESTS');
  });

  test('guessing at one identity does not hinder any other', async () => {
    await using app = await open();
    const [victim, other] = [await userWithMfa(app), await userWithMfa(app, 2)];
    await exhaust(app, other.as, victim.factor.code() === other.factor.code() ? other.factor.wrongCode() : victim.factor.code());
    assertRefused(await giveCode(app, other.as, other.factor.code()), 429, 'SERVER_TOO_MANY_REQUESTS');
    assert.equal((await giveCode(app, victim.as, victim.factor.code())).status, 200);
  });

  test('ending a login and beginning another gives no more tries, nor does a code that was given in between', async () => {
    await using app = await open();
    const { factor, as, login } = await userWithMfa(app);
    for (let i = 0; i < 5; i++) await giveCode(app, as, factor.wrongCode());
    assert.equal((await giveCode(app, as, factor.code())).status, 200);
    await app.request('DELETE', '/current-api-session', { as });
    const again = await login();
    for (let i = 0; i < 5; i++) assertRefused(await giveCode(app, again, factor.wrongCode()), 400, 'MFA_INVALID_TOKEN');
    assertRefused(await giveCode(app, again, factor.code(1)), 429, 'SERVER_TOO_MANY_REQUESTS');
  });

  test('a request without a code does not count as a try, and wrong codes while the limit is reached do not prolong it', async () => {
    await using app = await open();
    const { factor, as, full } = await userWithMfa(app);
    for (let i = 0; i < 12; i++) {
      assertRefused(await giveCode(app, as, ''), 400, 'MFA_INVALID_TOKEN');
      assertRefused(await app.request('DELETE', AT, { as: full }), 400, 'MFA_INVALID_TOKEN');
    }
    await exhaust(app, as, factor.wrongCode());
    app.clock.advance('4m');
    for (let i = 0; i < 12; i++) assertRefused(await giveCode(app, as, factor.wrongCode()), 429, 'SERVER_TOO_MANY_REQUESTS');
    app.clock.advance('1m');
    assert.equal((await giveCode(app, as, factor.code())).status, 200);
  });

  test('the host sets how many wrong codes count, and for how long', async () => {
    await using app = await open({ settings: { maxWrongCodes: 2, wrongCodeMinutes: 1 } });
    const { factor, as } = await userWithMfa(app);
    for (let i = 0; i < 2; i++) assertRefused(await giveCode(app, as, factor.wrongCode()), 400, 'MFA_INVALID_TOKEN');
    const { status, headers } = await giveCode(app, as, factor.code());
    assert.deepEqual([status, headers['retry-after']], [429, '60']);
    app.clock.advance('1m');
    assert.equal((await giveCode(app, as, factor.code())).status, 200);
  });
});
