import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { enrollMfa, giveCode, mfaStatus, RECOVERY_CODES, recoveryCodesOf, userWithSession } from '../support/mfa.ts';
import { assertRefused } from '../support/refusals.ts';

const baseOf = ({ id, tags, createdAt, updatedAt }: Record<string, unknown>) => ({ id, tags, createdAt, updatedAt });

onEveryStore('recovery codes', (open) => {
  test(
    'recovery codes are shown for a code of the authenticator app, in the header or in the body; if both have one, the body counts',
    proves(228, 264, 364, 365, 438),
    async () => {
      await using app = await open();
      const { as } = await userWithSession(app);
      const factor = await enrollMfa(app, as);
      const header = (code: string) => ({ 'mfa-validation-code': code });
      const wrong = factor.wrongCode();
      for (const options of [
        { headers: header(factor.code()) },
        { body: { code: factor.code() } },
        { headers: header(wrong), body: { code: factor.code() } },
        { headers: header(factor.code()), body: {} },
      ]) {
        const { body, headers } = await app.request('GET', RECOVERY_CODES, { as, ...options });
        const { _links, recoveryCodes, ...base } = body.data;
        assert.equal(typeof _links.self.href, 'string');
        assert.deepEqual(recoveryCodes, factor.recoveryCodes);
        assert.deepEqual(base, baseOf((await mfaStatus(app, as)).body.data));
        assert.equal(headers['cache-control'], 'no-store');
      }
      for (const options of [
        {},
        { headers: header(wrong) },
        { headers: header(factor.code()), body: { code: wrong } },
        { body: { code: '' } },
      ])
        assertRefused(await app.request('GET', RECOVERY_CODES, { as, ...options }), 400, 'MFA_INVALID_TOKEN');
    },
  );

  test('a used recovery code is no longer listed', proves(264), async () => {
    await using app = await open();
    const { as, login } = await userWithSession(app);
    const { recoveryCodes: codes, code } = await enrollMfa(app, as);
    for (const place of [3, 4]) assert.equal((await giveCode(app, await login(), codes[place] ?? '')).status, 200);
    assert.deepEqual(
      await recoveryCodesOf(app, as, code()),
      codes.filter((_, place) => place !== 3 && place !== 4),
    );
  });

  test(
    'new recovery codes replace all earlier ones, and creating them takes a code of the app or an earlier recovery code',
    proves(269, 366),
    async () => {
      await using app = await open();
      const { as, login } = await userWithSession(app);
      const { recoveryCodes: first, code } = await enrollMfa(app, as);
      await giveCode(app, await login(), first[0] ?? '');
      const replace = (by: string) => app.request('POST', RECOVERY_CODES, { as, body: { code: by } });
      assert.deepEqual((await replace(code())).body.data, {});
      const second = await recoveryCodesOf(app, as, code());
      assert.equal((await replace(second[0] ?? '')).status, 200);
      const third = await recoveryCodesOf(app, as, code());
      assert.deepEqual([second.length, third.length, new Set([...first, ...second, ...third]).size], [20, 20, 60]);
      for (const old of [first[1], second[0], second[1]]) {
        assertRefused(await replace(old ?? ''), 400, 'MFA_INVALID_TOKEN');
        assertRefused(await giveCode(app, await login(), old ?? ''), 400, 'MFA_INVALID_TOKEN');
      }
    },
  );
});
