import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, previewing } from '../../src/index.ts';
import { allRows } from '../support/all-rows.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { createIdentities } from '../support/many-identities.ts';
import { network } from '../support/network.ts';
import { begin, dialGround } from '../support/sessions.ts';
import { until } from '../support/until.ts';

const E = '/edge/management/extensions/v1';

/** Two sellers and one service, which the policy grants to both. */
const salesNetwork = async (app: App) => {
  const net = network(app);
  const [ann, ben] = [await net.identity('ann', 'sales'), await net.identity('ben', 'sales')];
  const crm = await net.service('crm', 'internal');
  const policy = await net.dial({ identities: ['#sales'], services: ['#internal'] });
  return { net, ann, ben, crm, policy };
};

type Report = Awaited<ReturnType<App['controller']['api']['access']['preview']>>;
type Entry = Report['gained'][number];
const lineOf = ({ identity, type, service, policies }: Entry) =>
  `${identity.name} ${type} ${service.name} by ${policies.map(({ policy }) => policy.name).join()}`;

onEveryStore('what-if', (open) => {
  test('operations with references are carried out for a report, and nothing of them remains', async () => {
    await using app = await open();
    const { ann } = await salesNetwork(app);
    const before = await allRows(app);
    const body = { name: 'wiki', encryptionRequired: true, roleAttributes: ['docs'] };
    const report = await app.controller.api.access.preview({
      body: {
        operations: [
          { operation: 'services.create', input: { body } },
          {
            operation: 'servicePolicies.create',
            input: { body: { name: 'new', type: 'Bind', semantic: 'AnyOf', identityRoles: ['#sales'], serviceRoles: ['@$1.id'] } },
          },
          { operation: 'identities.patch', input: { id: ann, body: { roleAttributes: [] } } },
        ],
      },
    });
    assert.deepEqual(await allRows(app), before);
    assert.deepEqual(report.lost.map(lineOf), ['ann Dial crm by policy 1']);
    assert.deepEqual(report.counts.lost, 1);
    assert.equal(report.revision, Math.max(...(before['change'] ?? []).map(({ version }) => version)));
  });

  test('any write is previewed with who gains and loses what, also over HTTP, and access that remains is counted', async () => {
    await using app = await open();
    const { net, policy, crm } = await salesNetwork(app);
    const { access } = await previewing(app.controller.api).servicePolicies.patch({ id: policy, body: { identityRoles: [] } });
    assert.deepEqual(access?.lost.map(lineOf), ['ann Dial crm by policy 1', 'ben Dial crm by policy 1']);
    await net.dial({ identities: ['#sales'], services: [`@${crm}`] });
    const answer = await app.request('DELETE', `/service-policies/${policy}`, { headers: { prefer: 'dry-run' } });
    assert.deepEqual(answer.body.data.access.counts, { ...access?.counts, lost: 0, unchanged: 2 });
  });

  test('sessions that would end are listed, and are still there afterwards', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    const id = await begin(app, ann, wiki);
    const { access } = await previewing(app.controller.api).identities.patch({ id: ann.id, body: { roleAttributes: [] } });
    assert.deepEqual(access?.sessions, [{ id, identityId: ann.id, serviceId: wiki }]);
    assert.equal(await app.count('session'), 1);
  });

  test('a write that would take more away than its author expects is refused with the list, and leaves nothing', async () => {
    await using app = await open();
    const { policy, ann, crm } = await salesNetwork(app);
    const before = await allRows(app);
    const { servicePolicies, batch } = app.controller.api;
    const isRefused = (error: unknown) => {
      assert.ok(error instanceof ApiError && error.code === 'ACCESS_LOST', String(error));
      assert.equal(error.status, 409);
      assert.equal(error.cause.lostCount, 2);
      assert.deepEqual(error.cause.lost[0], { identityId: ann, identity: 'ann', serviceId: crm, service: 'crm', type: 'Dial' });
      return true;
    };
    await assert.rejects(servicePolicies.delete({ id: policy }, { maxLost: 1 }), isRefused);
    const operations = [{ operation: 'servicePolicies.delete', input: { id: policy } }];
    await assert.rejects(batch.run({ body: { operations } }, { maxLost: 0 }), isRefused);
    const answer = await app.request('DELETE', `/service-policies/${policy}`, { headers: { 'x-max-lost': '1' } });
    assert.deepEqual([answer.status, answer.body.error.cause.lostCount], [409, 2]);
    assert.equal((await app.request('DELETE', `/service-policies/${policy}`, { headers: { 'x-max-lost': 'few' } })).status, 400);
    assert.deepEqual(await allRows(app), before);
    await servicePolicies.delete({ id: policy }, { maxLost: 2 });
  });

  test('a preview for more than a thousand identities counts and lists the same whether they are read or found in the index', async () => {
    await using app = await open();
    const { net, crm } = await salesNetwork(app);
    const { api } = app.controller;
    const numbers = Array.from({ length: 1100 }, (_, i) => String(i * 7919).padStart(8, '0'));
    const endsAt = new Date(app.clock.now() + 86_400_000).toISOString();
    await createIdentities(
      api,
      numbers.map((name, i) => ({
        name,
        type: 'User',
        isAdmin: false,
        roleAttributes: [i % 100 === 0 ? 'sales' : 'staff', ...(i === 501 ? ['guest'] : [])],
        ...(i === 501 ? { roleAttributeGrants: { guest: { validUntil: endsAt } } } : {}),
      })),
    );
    const wiki = await net.service('wiki', 'internal');
    await net.dial({ identities: ['#guest'], services: [`@${wiki}`] });
    await net.dial({ identities: ['#staff'], services: [`@${crm}`] });
    const all = { name: 'everybody', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: [`@${wiki}`] };
    const operations = [
      { operation: 'servicePolicies.create', input: { body: all } },
      { operation: 'identities.create', input: { body: { name: '00000001', type: 'User', isAdmin: false, roleAttributes: ['sales'] } } },
    ];
    const listed = async () => {
      const gained: string[] = [];
      for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
        const page = await api.access.preview({ body: { operations, limit: 500, ...(after === undefined ? {} : { after }) } });
        gained.push(...page.gained.map(({ identity, service }) => `${identity.name} ${service.name}`));
        const { gained: count, changed, unchanged } = page.counts;
        // 1,088 of the staff, the administrator, and the new identity, which gains both services; sellers have both.
        assert.deepEqual({ count, changed, unchanged }, { count: 1091, changed: 1, unchanged: 13 });
        after = page.next;
      }
      assert.deepEqual(gained, gained.toSorted());
      assert.equal(gained.length, 1091);
      return gained;
    };
    const lost = () =>
      assert.rejects(api.services.delete({ id: crm }, { maxLost: 0 }), { code: 'ACCESS_LOST', message: /^1102 identities would lose/ });
    const isIndexed = async () => 'identity' in (await app.controller.statistics()).roleIndexes;
    assert.ok(!(await isIndexed()));
    const read = await listed();
    await lost();
    await until(isIndexed);
    assert.deepEqual(await listed(), read);
    await lost();
  });

  test('operations that cannot be rolled back, and too many operations, are refused with a reason', async () => {
    await using app = await open();
    const { preview } = app.controller.api.access;
    await assert.rejects(preview({ body: { operations: [{ operation: 'database.createSnapshot', input: {} }] } }), {
      code: 'COULD_NOT_VALIDATE',
    });
    const many = (length: number) => Array.from({ length }, () => ({ operation: 'identities.delete', input: { id: 'x' } }));
    await assert.rejects(preview({ body: { operations: many(1001) } }), { code: 'REQUEST_ENTITY_TOO_LARGE' });
    const answer = await app.request('POST', `${E}/access/preview`, { body: { operations: many(10_000) } });
    assert.equal(answer.status, 400, 'JSON of so many values is not even parsed');
    await assert.rejects(preview({ body: { operations: [{ operation: 'identities.delete', input: { id: 'x' } }] } }), {
      code: 'NOT_FOUND',
    });
  });

  test('a delegate without the right to read identities sees what it wrote, and nothing of who reaches what', async () => {
    await using app = await open();
    const { policy, ann } = await salesNetwork(app);
    const as = await (await app.user({ permissions: ['service-policy.update', 'service-policy.delete'] })).login();
    const path = `/service-policies/${policy}`;
    const answer = await app.request('DELETE', path, { as, headers: { prefer: 'dry-run' } });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!answer.text.includes('ann') && answer.body.data.access === undefined, answer.text);
    const refused = await app.request('DELETE', path, { as, headers: { 'x-max-lost': '0' } });
    assert.deepEqual([refused.status, refused.body.error.cause.lost], [409, []]);
    const operations = [{ operation: 'servicePolicies.delete', input: { id: policy } }];
    assert.equal((await app.request('POST', `${E}/access/preview`, { as, body: { operations } })).status, 401);
    const reader = await (await app.user({ permissions: ['identity.read'] })).login();
    const patch = [{ operation: 'identities.patch', input: { id: ann, body: { roleAttributes: [] } } }];
    assert.equal((await app.request('POST', `${E}/access/preview`, { as: reader, body: { operations: patch } })).status, 401);
  });
});
