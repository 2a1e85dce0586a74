import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { list } from '../support/lists.ts';
import { network } from '../support/network.ts';

/** Seven services, of which four carry an attribute, and a config that three of them have. */
const ground = async (app: App): Promise<string> => {
  const configTypeId = await app.create('/config-types', { name: 'type' });
  const config = await app.create('/configs', { name: 'config', configTypeId, data: {} });
  const net = network(app);
  for (const name of ['a', 'b', 'c', 'd']) await net.service(name, 'web');
  for (const name of ['e', 'f', 'g']) await app.create('/services', { name, encryptionRequired: true, configs: [config] });
  return config;
};

onEveryStore('totals of pages', (open) => {
  test('the total is that of all that match, wherever the page begins: before, at and beyond the end', async () => {
    await using app = await open();
    const config = await ground(app);
    const lists = [
      { path: '/services', query: {}, total: 7 },
      { path: '/services', query: { sort: 'name desc' }, total: 7 },
      { path: '/services', query: { filter: 'name > "b"' }, total: 5 },
      { path: '/services', query: { filter: 'name = "none"' }, total: 0 },
      { path: '/services', query: { roleFilter: '#web' }, total: 4 },
      { path: `/configs/${config}/services`, query: {}, total: 3 },
      { path: '/service-role-attributes', query: {}, total: 1 },
    ];
    for (const { path, query, total } of lists)
      for (const offset of [0, 1, total - 1, total, total + 1, 50, 100_000].filter((each) => each >= 0))
        for (const limit of [1, 3, total || 1, 500]) {
          const { status, body } = await list(app, path, { ...query, offset, limit });
          assert.equal(status, 200);
          const { totalCount, offset: told } = body.meta.pagination;
          assert.deepEqual(
            [totalCount, told, body.data.length],
            [total, offset, Math.max(0, Math.min(limit, total - offset))],
            `${path} ${JSON.stringify(query)} from ${offset}`,
          );
        }
  });

  test('the same holds where the filter says where the page begins', async () => {
    await using app = await open();
    await ground(app);
    const { body } = await list(app, '/services', { filter: 'anyOf(roleAttributes) = "web" skip 9 limit 2' });
    assert.deepEqual([body.data, body.meta.pagination], [[], { limit: 2, offset: 9, totalCount: 4 }]);
  });
});
