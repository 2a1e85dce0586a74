import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore, PASSWORD } from '../support/app.ts';
import { beginMfa, enrollMfa, isMfaEnabled, MFA, mfaStatus, userWithSession } from '../support/mfa.ts';
import { assertRefused } from '../support/refusals.ts';

onEveryStore('the end of MFA', (open) => {
  test(
    'MFA ends by a code of the app or a recovery code, in the header or in the body, and may begin anew',
    proves(266, 363, 438),
    async () => {
      await using app = await open();
      const { as, id } = await userWithSession(app);
      const secrets = new Set<string>();
      for (const place of ['header', 'body'] as const) {
        for (const means of ['app', 'recovery'] as const) {
          const factor = await enrollMfa(app, as);
          secrets.add(factor.secret);
          const by = means === 'app' ? factor.code() : (factor.recoveryCodes[7] ?? '');
          const end = (code: string) =>
            app.request('DELETE', MFA, { as, ...(place === 'header' ? { headers: { 'mfa-validation-code': code } } : { body: { code } }) });
          assertRefused(await app.request('DELETE', MFA, { as }), 400, 'MFA_INVALID_TOKEN');
          assertRefused(await end(factor.wrongCode()), 400, 'MFA_INVALID_TOKEN');
          assert.deepEqual((await end(by)).body.data, {});
          assert.equal(await isMfaEnabled(app, id), false);
          assertRefused(await mfaStatus(app, as), 404, 'NOT_FOUND');
          assertRefused(await end(by), 404, 'NOT_FOUND');
        }
      }
      assert.equal(secrets.size, 4);
    },
  );

  test('an enrollment that was not finished asks nothing of a login, and ends without a code', proves(267), async () => {
    await using app = await open();
    const { as, username } = await userWithSession(app);
    await beginMfa(app, as);
    const { isMfaRequired, authQueries } = (await app.login(username, PASSWORD)).body.data;
    assert.deepEqual([isMfaRequired, authQueries], [false, []]);
    assert.equal((await app.request('DELETE', MFA, { as, headers: { 'mfa-validation-code': 'nonsense' } })).status, 200);
    assertRefused(await mfaStatus(app, as), 404, 'NOT_FOUND');
  });

  test(
    'an administrator ends the MFA of an identity, also where there is none, and of none that is unknown',
    proves(268, 298, 368),
    async () => {
      await using app = await open();
      const { as, id, username } = await userWithSession(app);
      await enrollMfa(app, as);
      assertRefused(await app.request('DELETE', `/identities/${id}/mfa`, { as }), 401, 'UNAUTHORIZED');
      for (let again = 0; again < 2; again++) assert.deepEqual((await app.request('DELETE', `/identities/${id}/mfa`)).body.data, {});
      assert.equal(await isMfaEnabled(app, id), false);
      assert.equal((await app.login(username, PASSWORD)).body.data.isMfaRequired, false);
      assertRefused(await app.request('DELETE', '/identities/nobody/mfa'), 404, 'NOT_FOUND');
    },
  );

  test('MFA goes with its identity', proves(291), async () => {
    await using app = await open();
    const { as, id } = await userWithSession(app);
    await enrollMfa(app, as);
    const left = await app.trail(() => app.request('DELETE', `/identities/${id}`));
    assert.ok(left.includes('delete mfa'));
    assert.deepEqual(await app.rows('mfa'), []);
  });
});
