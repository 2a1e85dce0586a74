/** A scope names role attributes. What carries none, or belongs to no identity, lies outside of every scope. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';

const LATER = '2099-01-01T00:00:00.000Z';
const TEAM = { roleAttributes: ['team-a'] };

onEveryStore('a scope', (open) => {
  test('on enrollments does not list, refresh or delete the enrollments of routers', async () => {
    await using app = await open();
    await app.create('/edge-routers', { name: 'edge', ...TEAM });
    await app.create('/routers', { name: 'transit' });
    const inside = await app.create('/identities', {
      name: 'inside',
      type: 'User',
      isAdmin: false,
      ...TEAM,
      enrollment: { ott: true },
    });
    const token = await (await app.user({ scopedPermissions: { enrollment: TEAM } })).login();
    const listed = (await app.request('GET', '/enrollments', { as: token })).body;
    assert.deepEqual(
      listed.data.map(({ identityId }: { identityId: string }) => identityId),
      [inside],
    );
    assert.equal(listed.meta.pagination.totalCount, 1);
    assert.ok(listed.data[0].token);
    const all = (await app.request('GET', '/enrollments')).body.data;
    const ofRouters = all.filter(({ method }: { method: string }) => method !== 'ott');
    assert.equal(ofRouters.length, 2);
    for (const { id } of ofRouters)
      for (const [method, path, body] of [
        ['GET', `/enrollments/${id}`],
        ['POST', `/enrollments/${id}/refresh`, { expiresAt: LATER }],
        ['DELETE', `/enrollments/${id}`],
      ] as const)
        assert.equal((await app.request(method, path, { as: token, body })).status, 404, `${method} ${path}`);
    assert.deepEqual((await app.request('GET', '/enrollments')).body.data, all);
    assert.deepEqual(
      app.log.filter((line) => line.includes('invalid filter')),
      [],
    );
  });

  test('on routers opens no operation on those that carry no role attributes, and breaks none', async () => {
    await using app = await open();
    const inside = await app.create('/edge-routers', { name: 'inside', ...TEAM });
    const outside = await app.create('/edge-routers', { name: 'outside', roleAttributes: ['team-b'] });
    const transit = await app.create('/routers', { name: 'transit' });
    const token = await (await app.user({ scopedPermissions: { router: TEAM } })).login();
    for (const collection of ['/routers', '/transit-routers'])
      for (const id of [transit, inside, outside])
        for (const [method, path, body] of [
          ['GET', collection],
          ['POST', collection, { name: 'new' }],
          ['GET', `${collection}/${id}`],
          ['PATCH', `${collection}/${id}`, { name: 'taken' }],
          ['PUT', `${collection}/${id}`, { name: 'taken' }],
          ['DELETE', `${collection}/${id}`],
        ] as const)
          assert.equal((await app.request(method, path, { as: token, body })).status, 401, `${method} ${path}`);
    assert.equal((await app.request('POST', '/edge-routers', { as: token, body: { name: 'new', ...TEAM } })).status, 201);
    const moved = { name: 'moved', roleAttributes: ['team-b'] };
    assert.equal((await app.request('POST', '/edge-routers', { as: token, body: moved })).status, 401);
    assert.equal((await app.request('PATCH', `/edge-routers/${inside}`, { as: token, body: moved })).status, 401);
    assert.equal((await app.request('PATCH', `/edge-routers/${outside}`, { as: token, body: TEAM })).status, 404);
  });
});
