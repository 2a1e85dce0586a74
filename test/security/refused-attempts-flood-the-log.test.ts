/** Logins that fail are recorded in the change log: at one every 36 seconds, a stranger pushed all other records out of it within six weeks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXTENSIONS } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';

const fail = async (app: App): Promise<void> => {
  assert.equal((await app.login('nobody', 'a wrong password')).status, 401);
};

onEveryStore('refused attempts in the change log', (open) => {
  test('of a stranger who fails to log in all day, a hundred are recorded, then one every ten minutes, and the others are counted', async () => {
    await using app = await open();
    for (let i = 0; i < 110; i++) await fail(app);
    for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
      app.clock.advance('5m');
      await fail(app);
    }
    const { data, pagination } = await app.controller.api.audit.list({ kind: 'securityEvent', limit: 500, order: 'oldest' });
    assert.ok(pagination.totalCount <= 100 + 144, `${pagination.totalCount} records`);
    const omitted = data.map(({ differences }) => Number(differences.find(({ field }) => field === 'omitted')?.after ?? 0));
    assert.ok(data.length + omitted.reduce((sum, each) => sum + each, 0) >= 110 + 287, 'each is recorded, or counted');
  });

  test('are not written because somebody asks who may not read them', async () => {
    await using app = await open();
    await fail(app);
    const count = () => app.tamper((tx) => tx.count('change', { op: 'all' }));
    const before = await count();
    assert.equal((await app.request('GET', `${EXTENSIONS}/audit`, { as: null })).status, 401);
    const as = await (await app.user()).login();
    const loggedIn = await count();
    assert.equal((await app.request('GET', `${EXTENSIONS}/audit`, { as })).status, 401);
    assert.equal(await count(), loggedIn);
    assert.ok(loggedIn > before);
    await app.controller.api.audit.head();
    assert.ok((await count()) > loggedIn);
  });
});
