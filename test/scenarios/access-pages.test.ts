import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessReport } from '../../src/index.ts';
import { EXTENSIONS } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';

const LISTS = ['gained', 'lost', 'changed', 'routersGained', 'routersLost', 'sessions', 'circuits', 'brokenTests'] as const;

/** The items of a report in order, without ids: a preview gives entities that it creates other ids each time. */
const itemsIn = (report: AccessReport): readonly string[] =>
  LISTS.flatMap((list) =>
    report[list].map((item) => `${list} ${JSON.stringify(item, (key, value) => (key === 'id' || key === '_links' ? undefined : value))}`),
  );

/** The items of all pages of one item each. */
const pageByPage = async (read: (page: { readonly limit: number; readonly after?: string }) => Promise<AccessReport>) => {
  const items: string[] = [];
  for (let after: string | undefined, pages = 0; pages < 100; pages++) {
    const report = await read({ limit: 1, ...(after === undefined ? {} : { after }) });
    items.push(...itemsIn(report));
    after = report.next;
    if (after === undefined) break;
  }
  return items.sort();
};

/** Asserts that the matrix has two pages of so many pairs, each with a service of its own. */
const assertTwoPages = async ({ matrix }: App['controller']['api']['access'], first: number, second: number): Promise<void> => {
  const page = await matrix({ limit: 500 });
  const rest = await matrix({ limit: 500, after: page.next ?? '' });
  assert.deepEqual([page.entries.length, rest.entries.length, rest.next], [first, second, undefined]);
  assert.equal(new Set([...page.entries, ...rest.entries].map(({ service }) => service.name)).size, first + second);
};

onEveryStore('the pages of a report of access', (open) => {
  test('hold each item once, although a preview deletes entities, and creates others of the same names', async () => {
    await using app = await open();
    const net = network(app);
    const { api } = app.controller;
    const [ann, ben] = [await net.identity('ann', 'sales'), await net.identity('ben', 'sales')];
    const [crm, wiki] = [await net.service('crm', 'web'), await net.service('wiki', 'web')];
    const router = await net.router('gate', 'edge');
    await net.dial({ identities: ['#sales'], services: ['#web'] });
    await net.bind({ identities: ['#sales'], services: ['#web'] });
    await net.routersOfIdentities({ identities: ['#sales'], routers: ['#edge'] });
    await net.routersOfServices({ services: ['#web'], routers: ['#edge'] });
    const person = (name: string) => ({ name, type: 'User', isAdmin: false, roleAttributes: ['sales'] });
    const service = (name: string) => ({ name, encryptionRequired: true, roleAttributes: ['web'] });
    const failing = (name: string) => ({ name, identityAttributes: ['sales'], serviceId: '$8.id', expect: 'none' });
    const operations = [
      ...[ann, ben].map((id) => ({ operation: 'identities.delete', input: { id } })),
      ...[crm, wiki].map((id) => ({ operation: 'services.delete', input: { id } })),
      { operation: 'edgeRouters.delete', input: { id: router } },
      ...['ann', 'ben'].map((name) => ({ operation: 'identities.create', input: { body: person(name) } })),
      ...['crm', 'wiki'].map((name) => ({ operation: 'services.create', input: { body: service(name) } })),
      { operation: 'edgeRouters.create', input: { body: { name: 'gate', roleAttributes: ['edge'] } } },
      ...['one', 'two', 'three', 'four'].map((name) => ({ operation: 'policyTests.create', input: { body: failing(name) } })),
    ];
    const whole = await api.access.preview({ body: { operations, limit: 500 } });
    const { gained, lost, routersGained, routersLost, brokenTests } = whole.counts;
    assert.deepEqual([gained, lost, routersGained, routersLost, brokenTests], [8, 8, 4, 4, 4]);
    const paged = await pageByPage((page) => api.access.preview({ body: { operations, ...page } }));
    assert.deepEqual(paged, [...itemsIn(whole)].sort());
  });

  test('end before their limit when their pairs list thousands of policies, and lose none, as do those of the matrix', async () => {
    await using app = await open();
    const net = network(app);
    const { access } = app.controller.api;
    for (let i = 0; i < 60; i++) await net.service(`service ${i}`, 'web');
    for (let i = 0; i < 100; i++) await net.dial({ identities: ['#sales'], services: ['#web'] });
    const body = { name: 'ann', type: 'User', isAdmin: false, roleAttributes: ['sales'] };
    const operations = [{ operation: 'identities.create', input: { body } }];
    const first = await access.preview({ body: { operations, limit: 500 } });
    const second = await access.preview({ body: { operations, limit: 500, after: first.next ?? '' } });
    assert.deepEqual([first.gained.length, second.gained.length, second.next, first.counts.gained], [50, 10, undefined, 60]);
    for (const { policies } of [...first.gained, ...second.gained]) assert.equal(policies.length, 100);
    assert.equal(new Set([...first.gained, ...second.gained].map(({ service }) => service.name)).size, 60);
    await net.identity('ben', 'sales');
    await assertTwoPages(access, 50, 10);
  });

  test('end early as well if the pairs are lost or changed, or if their policies list posture checks', async () => {
    await using app = await open();
    const net = network(app);
    const { access, servicePolicies } = app.controller.api;
    for (let i = 0; i < 30; i++) await net.service(`service ${i}`, 'web');
    const ann = await net.identity('ann', 'sales');
    for (let i = 0; i < 9; i++)
      await app.create('/posture-checks', { name: `${i}`, typeId: 'DOMAIN', domains: ['a.b'], roleAttributes: ['c'] });
    const dial = { identities: ['#sales'], services: ['#web'] };
    const policies: string[] = [];
    for (let i = 0; i < 25; i++) policies.push(await net.dial(dial));
    for (const id of policies) await servicePolicies.patch({ id, body: { postureCheckRoles: ['#c'] } });
    // 25 policies with 9 checks each are 250 references in each pair: 20 pairs are a page.
    const leave = [{ operation: 'identities.patch', input: { id: ann, body: { roleAttributes: [] } } }];
    const lost = await access.preview({ body: { operations: leave, limit: 500 } });
    const furtherLost = await access.preview({ body: { operations: leave, limit: 500, after: lost.next ?? '' } });
    assert.deepEqual([lost.lost.length, furtherLost.lost.length, furtherLost.next], [20, 10, undefined]);
    // A change lists the policies of both states.
    const validUntil = '2099-01-01T00:00:00.000Z';
    const expire = policies.map((id) => ({ operation: 'servicePolicies.patch', input: { id, body: { validUntil } } }));
    const changed = await access.preview({ body: { operations: expire, limit: 500 } });
    assert.deepEqual([changed.changed.length, changed.counts.changed], [10, 30]);
    await assertTwoPages(access, 20, 10);
  });

  test('continue after names of every character and length', async () => {
    await using app = await open();
    const net = network(app);
    const { access } = app.controller.api;
    const names = ['\u{10ffff}'.repeat(512), '名'.repeat(682), `a${'\u0001'.repeat(2047)}`, '1:2', `${'"\\'.repeat(1024)}`];
    for (const name of names) {
      await net.identity(name, 'sales');
      await net.service(name, 'web');
    }
    const body = { name: 'policy', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['#web'] };
    const operations = [{ operation: 'servicePolicies.create', input: { body } }];
    const whole = await access.preview({ body: { operations, limit: 500 } });
    assert.equal(whole.gained.length, names.length ** 2);
    assert.deepEqual(await pageByPage((page) => access.preview({ body: { operations, ...page } })), [...itemsIn(whole)].sort());
    await app.create('/service-policies', body);
    const paths: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from = after === '' ? '' : `&after=${after}`;
      const { status, text, body: answer } = await app.request('GET', `${EXTENSIONS}/access/matrix?limit=1${from}`);
      assert.equal(status, 200, text);
      for (const { identity, service } of answer.data.entries) paths.push(`${identity.name}/${service.name}`);
      after = answer.data.next;
    }
    assert.deepEqual([paths.length, new Set(paths).size], [names.length ** 2, names.length ** 2]);
  });

  test('continue a comparison of revisions where names were taken over', async () => {
    await using app = await open();
    const net = network(app);
    const { access, identities, changes } = app.controller.api;
    await net.service('wiki', 'web');
    await net.dial({ identities: ['#sales'], services: ['#web'] });
    const from = (await changes.list({ order: 'newest', limit: 1 })).data[0]?.revision ?? 0;
    for (let i = 0; i < 4; i++) await identities.delete({ id: await net.identity('ann', 'sales') });
    const former = await net.identity('ann', 'sales');
    const between = (await changes.list({ order: 'newest', limit: 1 })).data[0]?.revision ?? 0;
    await identities.delete({ id: former });
    await net.identity('ann', 'sales');
    for (const since of [from, between]) {
      const whole = await access.compare({ from: since, limit: 500 });
      assert.deepEqual(await pageByPage((page) => access.compare({ from: since, ...page })), [...itemsIn(whole)].sort());
      assert.deepEqual([whole.counts.gained, whole.counts.lost], since === from ? [1, 0] : [1, 1]);
    }
  });
});
