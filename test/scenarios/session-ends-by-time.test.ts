import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { enrollMfa } from '../support/mfa.ts';
import { checkOf } from '../support/posture.ts';
import { assertRefused } from '../support/refusals.ts';
import { ground } from '../support/session-ends.ts';
import { ask, begin, dialGround, isThere } from '../support/sessions.ts';

const CLIENT = '/edge/client/v1';

onEveryStore('ends of sessions by time', (open) => {
  /** Ann must give a code each minute to dial; the factor gives her codes, each a new one. */
  const withCode = async (app: App) => {
    const all = await ground(app);
    const check = await checkOf(app, 'code', { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true });
    await all.patch(`/service-policies/${all.dial}`, { postureCheckRoles: [`@${check}`] });
    const factor = await enrollMfa(app, all.ann.as);
    const giveCode = async () => {
      const { status, text } = await app.request('POST', `${CLIENT}/authenticate/mfa`, { as: all.ann.as, body: { code: factor.code() } });
      assert.equal(status, 200, text);
    };
    return { ...all, giveCode };
  };

  test('time alone ends a session when its code is too old, and a new code begins a new one', async () => {
    await using app = await open();
    const { ann, wiki, giveCode } = await withCode(app);
    const id = await begin(app, ann, wiki);
    app.clock.advance('1m');
    assert.equal(await isThere(app, ann, id), true);
    app.clock.advance('1ms');
    assert.equal(await isThere(app, ann, id), false);
    assertRefused(await ask(app, ann, wiki), 409, 'INVALID_POSTURE');
    await giveCode();
    assert.equal(await isThere(app, ann, id), false);
    const next = await begin(app, ann, wiki);
    assert.notEqual(next, id);
    assert.deepEqual(
      (await app.rows('session')).map((row) => row.id),
      [next],
    );
  });

  test('a code in time prolongs a session, and waking shortens it', async () => {
    await using app = await open();
    const { ann, wiki, giveCode, patch } = await withCode(app);
    const id = await begin(app, ann, wiki);
    app.clock.advance('50s');
    await giveCode();
    app.clock.advance('50s');
    assert.equal(await isThere(app, ann, id), true);
    const [check] = (await app.rows('postureCheck')).filter(({ typeId }) => typeId === 'MFA');
    await patch(`/posture-checks/${check?.id}`, { typeId: 'MFA', timeoutSeconds: 3600 });
    app.clock.advance('1m');
    assert.equal(await isThere(app, ann, id), true);
    await ann.tell([{ typeId: 'ENDPOINT_STATE', id: 'any', woken: true }]);
    app.clock.advance('5m');
    assert.equal(await isThere(app, ann, id), true);
    app.clock.advance('1ms');
    assert.equal(await isThere(app, ann, id), false);
  });

  test('a session ends with the MFA that its policy asks for', async () => {
    await using app = await open();
    const { ann, wiki, remove } = await withCode(app);
    const id = await begin(app, ann, wiki);
    await remove(`/identities/${ann.id}/mfa`);
    assert.equal(await isThere(app, ann, id), false);
    assert.deepEqual(await app.rows('session'), []);
  });

  test('a session whose time is over continues by a policy that asks for no code', async () => {
    await using app = await open();
    const { ann, wiki } = await withCode(app);
    const id = await begin(app, ann, wiki);
    const roles = { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] };
    const second = await app.create('/service-policies', { name: 'no checks', type: 'Dial', ...roles });
    app.clock.advance('100s');
    assert.equal(await isThere(app, ann, id), true);
    assert.equal(await begin(app, ann, wiki), id);
    await app.request('DELETE', `/service-policies/${second}`);
    assert.equal(await isThere(app, ann, id), false);
  });

  test('a session ends when its API session has idled away', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    const id = await begin(app, ann, wiki);
    app.clock.advance('20m');
    const other = await ann.login();
    const admin = (await app.login('admin', 'the-admin-password')).body.data.token;
    app.clock.advance('10m');
    for (const as of [other, admin]) {
      assertRefused(await app.request('GET', `/sessions/${id}`, { as }), 404, 'NOT_FOUND');
      assert.deepEqual((await app.request('GET', '/sessions', { as })).body.data, []);
    }
  });
});
