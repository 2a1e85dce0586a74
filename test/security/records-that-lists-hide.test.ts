/** Lists hide the enrollments and API tokens of identities with more rights from auditors; so must the records of their changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS, giveToken, inDays } from '../support/api-tokens.ts';
import { onEveryStore } from '../support/app.ts';

onEveryStore('an auditor', (open) => {
  test('finds the enrollments and API tokens of administrators in no history, change or audit, and those of others in all', async () => {
    await using app = await open();
    const auditor = await app.user({ permissions: ['admin_readonly'] });
    const as = await auditor.login();
    for (const isAdmin of [true, false]) {
      const { id } = await app.user({ isAdmin });
      const enrollment = await app.create('/enrollments', { identityId: id, method: 'ott', expiresAt: inDays(app, 1) });
      const token = (await giveToken(app, id, {})).id;
      for (const [kind, entity] of [
        ['enrollment', enrollment],
        ['apiToken', token],
      ]) {
        const get = (path: string) => app.request('GET', `${EXTENSIONS}${path}`, { as });
        const count = async (path: string) => (await get(path)).body.data.length;
        const seen = isAdmin ? 0 : 1;
        assert.equal(await count(`/history/${kind}/${entity}`), seen);
        assert.equal((await get(`/history/${kind}/${entity}/state`)).status, isAdmin ? 404 : 200);
        assert.equal(await count(`/changes?entityId=${entity}`), seen);
        assert.equal(await count(`/audit?entityId=${entity}`), seen);
        assert.equal((await get(`/audit/export?entityId=${entity}`)).text.split('\n').length - 1, seen);
      }
    }
  });
});
