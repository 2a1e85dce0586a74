/** One filter must not hold up everybody else: its cost is known before the rows are read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '../../src/contract/api/services.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { costOf, counting } from '../support/counting.ts';
import { network } from '../support/network.ts';
import { newStorage } from '../support/stores.ts';

const CLIENT = '/edge/client/v1';
const SERVICES = 2000;

const repeated = (condition: string, times: number): string =>
  Array.from({ length: times }, (_, i) => condition.replaceAll('?', `${i}`)).join(' or ');

/** So many services beneath the operations, and Ann, who may dial the first of them. */
const ground = async (app: App, services = SERVICES) => {
  const ids = await app.inStore('write', async (entities) => {
    const made: string[] = [];
    for (let i = 0; i < services; i++) {
      const fields = { name: `service ${i}`, encryptionRequired: true, maxIdleTimeMillis: 0, terminatorStrategy: 'smartrouting' };
      made.push((await entities.insert(service, { ...fields, roleAttributes: ['a', 'b', 'c'], configs: [], tags: { y: 'text' } })).id);
    }
    return made;
  });
  const ann = await app.user();
  const as = await ann.login();
  const ask = (filter: string, from = `${CLIENT}/services`, who = as) =>
    app.request('GET', `${from}?filter=${encodeURIComponent(filter)}`, { as: who });
  return { ann, ask, ids, asAdministrator: (filter: string, from = '/services') => ask(filter, from, app.admin) };
};

/** Filters that once froze the process: hundreds of conditions that no index answers, checked for each row. */
const freezing = [
  repeated('tags.y icontains "v?"', 450),
  repeated('tags.y not contains "v?"', 450),
  repeated('anyOf(roleAttributes) icontains "v?"', 300),
  `not (${repeated('allOf(roleAttributes) = "v?"', 400)})`,
  repeated('count(roleAttributes) > ?', 450),
  repeated('name icontains "v?"', 450),
];

onEveryStore('expensive filters', (open, store) => {
  test('a filter that checks all rows against hundreds of conditions is refused to sessions and administrators before the rows are read', async () => {
    const storage = counting(newStorage(store));
    await using app = await open({ storage, settings: { roleIndexBytes: 0 } });
    const { ann, ask, asAdministrator } = await ground(app);
    await network(app).dial({ identities: [`@${ann.id}`], services: ['#all'] });
    const ordinary = await costOf(() => ask('name = "none"'));
    for (const filter of freezing) {
      let refused = await ask(filter);
      const cost = await costOf(async () => void (refused = await ask(filter)));
      assert.equal(refused.status, 400, filter.slice(0, 40));
      assert.equal(refused.body.error.code, 'INVALID_FILTER');
      // The rows are counted, but not read.
      assert.ok(cost <= ordinary + 1, `${cost} questions for ${ordinary}`);
    }
    const mostExpensive = [freezing[0], freezing[2], freezing[4], freezing[5]];
    for (const filter of mostExpensive) assert.equal((await asAdministrator(filter ?? '')).status, 400);
  });

  test('the refusal names the filter, its cost, and how much may be spent', async () => {
    await using app = await open();
    const { asAdministrator } = await ground(app);
    const { message } = (await asAdministrator(freezing[0] ?? '')).body.error.cause;
    assert.match(message, /tags\.y icontains "v0".* costs about \d+, and you may spend 1000000 on one query/);
  });

  test('a session may spend less than an administrator, and the host has no limit', async () => {
    await using app = await open();
    const { ann, ask, asAdministrator } = await ground(app);
    const filter = repeated('tags.y contains "v?"', 40);
    await network(app).dial({ identities: [`@${ann.id}`], services: ['#all'] });
    assert.equal((await ask(filter)).status, 400);
    assert.equal((await asAdministrator(filter)).status, 200);
    // This file does not run on PostgreSQL, where the time limit of a statement holds for the host, too.
    assert.equal((await app.controller.api.services.list({ filter: freezing[0] })).pagination.totalCount, 0);
  });

  test('only the services that a session may use count, not all that exist', async () => {
    await using app = await open();
    const { ann, ask, ids } = await ground(app);
    await network(app).dial({ identities: [`@${ann.id}`], services: ids.slice(0, 50).map((id) => `@${id}`) });
    assert.equal((await ask(repeated('tags.y contains "v?"', 40))).status, 200);
  });

  test('both limits are settings, and a filter that costs exactly the limit is answered', async () => {
    // 10 rows, one condition on a column without an index: 0.1 each.
    for (const maxQueryCostOfSessions of [1, Infinity]) {
      await using app = await open({ settings: { maxQueryCostOfSessions } });
      const { ann, ask } = await ground(app, 10);
      await network(app).dial({ identities: [`@${ann.id}`], services: ['#all'] });
      assert.equal((await ask('terminatorStrategy != "x"')).status, 200);
      assert.equal((await ask('terminatorStrategy != "x" and terminatorStrategy != "y"')).status, maxQueryCostOfSessions === 1 ? 400 : 200);
    }
    await using app = await open({ settings: { maxQueryCostOfAdministrators: 1 } });
    const { asAdministrator } = await ground(app, 10);
    assert.equal((await asAdministrator('terminatorStrategy != "x"')).status, 200);
    assert.equal((await asAdministrator('terminatorStrategy != "x" and terminatorStrategy != "y"')).status, 400);
  });

  test('filters of ordinary clients are answered: hundreds of ids, names, a search in one column, an order, an attribute', async () => {
    await using app = await open();
    const { ann, ask, asAdministrator, ids } = await ground(app);
    await network(app).dial({ identities: [`@${ann.id}`], services: ['#all'] });
    const filters = [
      ids
        .slice(0, 300)
        .map((id) => `id = "${id}"`)
        .join(' or '),
      `id in [${ids
        .slice(0, 400)
        .map((id) => `"${id}"`)
        .join(',')}]`,
      repeated('name = "service ?"', 400),
      'name contains "77"',
      'name icontains "SERVICE"',
      'tags.y = "text"',
      'anyOf(roleAttributes) = "a" sort by name desc, createdAt limit 100',
      'true sort by createdAt, updatedAt desc, name skip 100 limit 100',
      'limit none',
    ];
    for (const filter of filters) {
      assert.equal((await ask(filter)).status, 200, `session: ${filter.slice(0, 60)}`);
      assert.equal((await asAdministrator(filter)).status, 200, `administrator: ${filter.slice(0, 60)}`);
    }
  });

  test('conditions on a few rows, selected by id, cost little, however many they are', async () => {
    await using app = await open();
    const { ann, ask, ids } = await ground(app);
    await network(app).dial({ identities: [`@${ann.id}`], services: ['#all'] });
    assert.equal((await ask(`id = "${ids[0]}" and (${repeated('tags.y icontains "v?"', 400)})`)).status, 200);
    assert.equal((await ask(`id = "${ids[0]}" or (${repeated('tags.y icontains "v?"', 400)})`)).status, 400);
  });

  test('lists of role attributes, subqueries and role filters do not circumvent the limit', async () => {
    await using app = await open({ settings: { maxQueryCostOfAdministrators: 100 } });
    const { asAdministrator } = await ground(app, 30);
    const expensive = repeated('id icontains "v?"', 200);
    for (const path of ['/service-role-attributes', '/services']) assert.equal((await asAdministrator(expensive, path)).status, 400, path);
    const configTypeId = await app.create('/config-types', { name: 'type' });
    for (let i = 0; i < 10; i++) await app.create('/configs', { name: `config ${i}`, configTypeId, data: {} });
    const inner = `count(from configs where ${repeated('tags.y icontains "v?"', 100)}) > 1`;
    assert.equal((await asAdministrator(inner)).status, 400);
    const roles = Array.from({ length: 300 }, (_, i) => `roleFilter=%23a${i}`).join('&');
    const refused = await app.request('GET', `/services?${roles}`);
    assert.deepEqual([refused.status, refused.body.error.cause.field], [400, 'roleFilter']);
  });
});
