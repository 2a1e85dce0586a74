/**
 * GHSA-354c-gpg9-j988: a check for a code that prompts after waking or unlocking was evaluated for endpoints that have reported neither,
 * and the missing time ended the process.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { tokensOf, withToken } from '../support/oidc.ts';
import { checkOf, client } from '../support/posture.ts';
import { aService, policyWith } from '../support/posture-access.ts';

const C = '/edge/client/v1';

onEveryStore('a check that prompts after waking and unlocking', (open) => {
  test('fails for endpoints that have reported nothing, in plain and bearer sessions, before and after a code', async () => {
    await using app = await open();
    const wiki = await aService(app);
    const prompts = [
      { promptOnWake: true, promptOnUnlock: true },
      { promptOnWake: true, promptOnUnlock: false },
      { promptOnWake: false, promptOnUnlock: true },
    ];
    for (const [i, prompt] of prompts.entries())
      await policyWith(app, `p${i}`, [await checkOf(app, `code ${i}`, { typeId: 'MFA', timeoutSeconds: -1, ...prompt })]);
    const user = await client(app);
    const bearer = (await tokensOf(app, (await app.user()).username)).access_token;
    const dial = { method: 'POST', body: { serviceId: wiki, type: 'Dial' } } as const;
    const states = async () => {
      const plain = await app.request('POST', `${C}/sessions`, { as: user.as, body: dial.body });
      const answers = [
        plain,
        await withToken(app, bearer, `${C}/sessions`, dial),
        await user.get('/services'),
        await user.get(`/services/${wiki}`),
      ];
      for (const { status, text } of answers) assert.ok(status < 500, text);
    };
    await states();
    assert.deepEqual(await user.isPassing(wiki), [false, false, false]);
    await user.passCode();
    assert.deepEqual(await user.isPassing(wiki), [true, true, true]);
    await states();
    for (const state of [{ endpointState: { woken: true } }, { endpointState: {} }, { endpointState: { unlocked: true } }])
      await user.tell({ typeId: 'MFA', id: 'any', ...state }).catch(() => undefined);
    await states();
  });
});
