/**
 * Logins that fail are recorded in the change log: at one every 36 seconds, a stranger pushed all other records out of it within six weeks.
 */
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

  test('of one caller do not hide those of others', async () => {
    await using app = await open();
    const [loud, quiet] = [await app.user(), await app.user()];
    const [loudToken, quietToken] = [await loud.login(), await quiet.login()];
    const denied = async (as: string) => assert.equal((await app.request('DELETE', '/services/none', { as })).status, 401);
    for (let i = 0; i < 130; i++) await denied(loudToken);
    await denied(quietToken);
    for (let i = 0; i < 130; i++) await fail(app);
    const { status } = await app.request('POST', '/authenticate?method=password', {
      as: null,
      address: '203.0.113.7',
      body: { username: quiet.username, password: 'a wrong password' },
    });
    assert.equal(status, 401);
    const { data } = await app.controller.api.audit.list({ kind: 'securityEvent', limit: 500 });
    const of = (found: (record: (typeof data)[number]) => boolean) => data.filter(found).length;
    assert.equal(
      of(({ actor }) => actor === loud.id),
      100,
    );
    assert.equal(
      of(({ actor }) => actor === quiet.id),
      1,
    );
    assert.equal(
      of(({ address, actor }) => actor === 'anonymous' && address === '203.0.113.7'),
      1,
    );
  });

  test('of very many callers are bounded together', async () => {
    await using app = await open();
    for (let i = 0; i < 2100; i++) {
      const body = { username: 'nobody', password: 'a wrong password' };
      await app.request('POST', '/authenticate?method=password', { as: null, address: `198.51.${i >> 8}.${i & 255}`, body });
    }
    const { pagination } = await app.controller.api.audit.list({ kind: 'securityEvent' });
    assert.ok(pagination.totalCount >= 1000 && pagination.totalCount <= 1200, `${pagination.totalCount} records`);
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
