import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { beginMfa, giveCode, userWithMfa } from '../support/mfa.ts';
import { assertRefused } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);
const AT = '/current-identity/mfa';
const statusesOf = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).toSorted();

onEveryStore('attacks on MFA', (open, store) => {
  test('a code of the app completes one login of its identity, for as long as it could be given again', proves(360), async () => {
    await using app = await open();
    const { factor, owing } = await userWithMfa(app, 8);
    const [first = '', ...others] = owing;
    const code = factor.code();
    assert.equal((await giveCode(app, first, code)).status, 200);
    for (const as of [first, ...others.slice(0, 2)]) assertRefused(await giveCode(app, as, code), 400, 'MFA_INVALID_TOKEN');
    for (const as of others.slice(2, 4)) {
      app.clock.advance('30s');
      assertRefused(await giveCode(app, as, code), 400, 'MFA_INVALID_TOKEN');
      assert.equal((await giveCode(app, as, factor.code())).status, 200);
    }
    app.clock.advance('30s');
    assertRefused(await giveCode(app, others[4] ?? '', code), 400, 'MFA_INVALID_TOKEN');
    const [row] = await app.rows('mfa');
    assert.ok(row && (row.spentIntervals as readonly number[]).length <= 5);
  });

  test('a code that was used to verify, to see or to replace recovery codes is not spent by that', async () => {
    await using app = await open();
    const { factor, full, as } = await userWithMfa(app);
    const code = factor.code();
    await app.request('GET', `${AT}/recovery-codes`, { as: full, headers: { 'mfa-validation-code': code } });
    await app.request('POST', `${AT}/recovery-codes`, { as: full, body: { code } });
    assert.equal((await giveCode(app, as, code)).status, 200);
    assert.equal((await app.request('GET', `${AT}/recovery-codes`, { as: full, headers: { 'mfa-validation-code': code } })).status, 200);
  });

  for (const kind of ['app', 'recovery'] as const) {
    test(`of many who give the same code at the same time one gets in: ${kind}`, async () => {
      await using app = await open({ settings: { maxWrongCodes: 100 } });
      const { factor, owing } = await userWithMfa(app, 12);
      const code = kind === 'app' ? factor.code() : (factor.recoveryCodes[0] ?? '');
      const answers = await Promise.all(owing.map((as) => giveCode(app, as, code)));
      assert.deepEqual(statusesOf(answers), [200, ...times(11, 400)]);
    });

    test(`nor do more get in when they ask the controllers of a network at the same time: ${kind}`, async () => {
      const storage = newStorage(store);
      await using one = await open({ storage, settings: { maxWrongCodes: 100 } });
      await using two = await open({ storage, settings: { maxWrongCodes: 100 } });
      const { factor, owing } = await userWithMfa(one, 12);
      const code = kind === 'app' ? factor.code() : (factor.recoveryCodes[0] ?? '');
      const answers = await Promise.all(owing.map((as, i) => giveCode(i % 2 ? one : two, as, code)));
      assert.deepEqual(statusesOf(answers), [200, ...times(11, 400)]);
    });
  }

  test('different recovery codes at the same time are each good for one login', proves(360, 434), async () => {
    await using app = await open();
    const { factor, owing, full } = await userWithMfa(app, 8);
    const answers = await Promise.all(owing.map((as, i) => giveCode(app, as, factor.recoveryCodes[i] ?? '')));
    assert.deepEqual(statusesOf(answers), times(8, 200));
    const { body } = await app.request('GET', `${AT}/recovery-codes`, { as: full, headers: { 'mfa-validation-code': factor.code() } });
    assert.deepEqual(body.data.recoveryCodes, factor.recoveryCodes.slice(8));
  });

  test('a recovery code that replaces the others at the same time as another does so once', async () => {
    await using app = await open();
    const { factor, full } = await userWithMfa(app);
    const code = factor.recoveryCodes[0] ?? '';
    const answers = await Promise.all(times(5, 0).map(() => app.request('POST', `${AT}/recovery-codes`, { as: full, body: { code } })));
    assert.deepEqual(statusesOf(answers), [200, ...times(4, 400)]);
  });

  test('the code of another identity is none, and no field of a body names another identity, session or state', async () => {
    await using app = await open();
    const [victim, attacker] = [await userWithMfa(app), await userWithMfa(app)];
    const session = (await app.request('GET', '/current-api-session', { as: victim.as })).body.data.id;
    const more = { identityId: victim.id, apiSessionId: session, id: session, isVerified: true, isMfaComplete: true, mfaPassedAt: 'now' };
    const foreign = victim.factor.code() === attacker.factor.code() ? attacker.factor.wrongCode() : victim.factor.code();
    assertRefused(await giveCode(app, attacker.as, foreign), 400, 'MFA_INVALID_TOKEN');
    for (const recovery of victim.factor.recoveryCodes.slice(0, 3))
      assertRefused(await giveCode(app, attacker.as, recovery), 400, 'MFA_INVALID_TOKEN');
    const body = { ...more, code: attacker.factor.code() };
    assert.equal((await app.request('POST', '/authenticate/mfa', { as: attacker.as, body })).status, 200);
    assertRefused(await app.request('GET', '/current-identity', { as: victim.as }), 401, 'UNAUTHORIZED');
    const fresh = await app.user();
    const as = await fresh.login();
    await app.request('POST', AT, { as, body: more });
    const { isVerified } = (await app.request('GET', AT, { as })).body.data;
    assert.equal(isVerified, false);
    assert.equal((await app.rows('mfa')).filter(({ identityId }) => identityId === victim.id).length, 1);
  });

  test('a code that crosses with the end of its session, its identity or its MFA leaves none of them half alive', async () => {
    for (const end of [
      (app: App, { as }: { as: string; id: string }) => app.request('DELETE', '/current-api-session', { as }),
      (app: App, { id }: { as: string; id: string }) => app.request('DELETE', `/identities/${id}`),
      (app: App, { id }: { as: string; id: string }) => app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 1 } }),
      (app: App, { id }: { as: string; id: string }) => app.request('DELETE', `/identities/${id}/mfa`),
    ]) {
      await using app = await open();
      for (const delay of [0, 1, 3, 8, 20]) {
        const user = await userWithMfa(app);
        const given = giveCode(app, user.as, user.factor.code());
        for (let tick = 0; tick < delay; tick++) await Promise.resolve();
        const [{ status }] = await Promise.all([given, end(app, user)]);
        assert.ok([200, 401, 409].includes(status), String(status));
        const known = new Set((await app.rows('identity')).map(({ id }) => id));
        for (const { identityId } of [...(await app.rows('apiSession')), ...(await app.rows('mfa'))])
          assert.ok(known.has(String(identityId)));
      }
    }
  });

  test('secrets of MFA are shown to their owner alone and before they are verified, and are sealed in the store', async () => {
    await using app = await open();
    const events: unknown[] = [];
    app.controller.events.on('change', (change) => void events.push(change));
    const user = await app.user();
    const full = await user.login();
    const began = await beginMfa(app, full);
    const [told] = app.transcript.slice(-1);
    await app.request('POST', `${AT}/verify`, { as: full, body: { code: began.code() } });
    const as = await user.login();
    await giveCode(app, as, began.wrongCode());
    await giveCode(app, as, began.recoveryCodes[0] ?? '');
    await giveCode(app, as, began.recoveryCodes[0] ?? '');
    await app.request('POST', '/authenticate/mfa', { as, body: { code: { [began.secret]: began.secret } } });
    for (const path of [
      AT,
      '/current-identity',
      '/current-api-session',
      '/identities',
      `/identities/${user.id}`,
      '/api-sessions',
      '/summary',
    ])
      for (const who of [as, app.admin]) await app.request('GET', path, { as: who });
    const secrets = [began.secret, ...began.recoveryCodes];
    const rows = await app.rows('mfa');
    const places = {
      answers: app.transcript.filter((exchange) => exchange !== told).map(({ answer }) => answer.text + JSON.stringify(answer.headers)),
      events: events.map((event) => JSON.stringify(event)),
      changes: (await app.rows('change')).map((row) => JSON.stringify(row)),
      log: app.log,
      rows: rows.map((row) => JSON.stringify(row)),
    };
    for (const [place, texts] of Object.entries(places)) {
      assert.ok(place === 'log' || texts.length > 0);
      for (const text of texts) for (const secret of secrets) assert.ok(!text.includes(secret), `${place} tells ${secret}: ${text}`);
    }
    for (const sealed of rows.flatMap((row) => [String(row.sealedSecret), String(row.sealedRecoveryCodes)])) {
      assert.match(sealed, /^v1\./);
      assert.ok(![...places.answers, ...places.events, ...places.changes].some((text) => text.includes(sealed)));
    }
    for (const field of ['sealedSecret', 'sealedRecoveryCodes', 'spentIntervals', 'spentRecoveryCodes', 'wrongCodesAt', 'mfaPassedAt'])
      assert.ok(![...places.answers, ...places.events, ...places.changes].some((text) => text.includes(field)), field);
  });
});
