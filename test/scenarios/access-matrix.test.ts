import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accessMatrix } from '../support/access-matrix.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { explain } from '../support/explain.ts';
import { network } from '../support/network.ts';
import { checkOf } from '../support/posture.ts';
import { applyChange, randomChanges } from '../support/random-changes.ts';
import { numRuns } from '../support/stores.ts';

type Page = Awaited<ReturnType<App['controller']['api']['access']['matrix']>>;
type Entry = Page['entries'][number];

/** All entries, read page by page. */
const everyEntry = async (read: (after?: string) => Promise<Page>): Promise<readonly Entry[]> => {
  const entries: Entry[] = [];
  for (let page = await read(); ; page = await read(page.next)) {
    entries.push(...page.entries);
    if (page.next === undefined) return entries;
  }
};

const lineOf = ({ identity, service, type }: Entry) => `${identity.name} ${type} ${service.name}`;
const keyOf = ({ identity, service, type }: Entry) => `${identity.id} ${service.id} ${type}`;
const paged = (limit: number) => (after?: string) => ({ limit, ...(after === undefined ? {} : { after }) });

onEveryStore('who can reach what', (open, store) => {
  test('the matrix, read in pages of any size, is what policies select, and what explanations permit', async () => {
    await using app = await open();
    const { access } = app.controller.api;
    await fc.assert(
      fc.asyncProperty(randomChanges, fc.integer({ min: 1, max: 7 }), async (changes, limit) => {
        await app.inStore('write', async (entities) => {
          for (const change of changes) await applyChange(entities, change);
        });
        const asked = paged(limit);
        const expected = [...(await app.inStore('read', accessMatrix)).keys()].sort();
        const matrix = await everyEntry((after) => access.matrix(asked(after)));
        assert.deepEqual(matrix.map(keyOf).sort(), expected);
        const { data: identities } = await app.controller.api.identities.list({ limit: 500 });
        const { data: services } = await app.controller.api.services.list({ limit: 500 });
        const [who, what] = [identities[identities.length - 1], services[0]];
        if (!who || !what) return;
        const reach = await everyEntry((after) => access.reach({ identityId: who.id, ...asked(after) }));
        assert.deepEqual(reach.map(lineOf), matrix.filter(({ identity }) => identity.id === who.id).map(lineOf));
        const can = await everyEntry((after) => access.whoCan({ serviceId: what.id, ...asked(after) }));
        assert.deepEqual(can.map(lineOf), matrix.filter(({ service }) => service.id === what.id).map(lineOf));
        for (const type of ['Dial', 'Bind'] as const) {
          const { isPermitted } = await explain(app, who.id, what.id, type);
          assert.equal(
            isPermitted,
            reach.some((entry) => entry.service.id === what.id && entry.type === type),
          );
        }
      }),
      numRuns(store, 40),
    );
  });

  test('each entry has its reasons and conditions: posture that must hold, and the end of a grant', async () => {
    await using app = await open();
    const { controller, clock } = app;
    const net = network(app);
    const ann = await net.identity('ann', 'sales');
    await net.service('wiki', 'internal');
    await checkOf(app, 'company', { typeId: 'DOMAIN', domains: ['company.test'], roleAttributes: ['checks'] });
    await net.dial({ identities: ['#sales'], services: ['#internal'], checks: ['#checks'] });
    const validUntil = new Date(clock.now() + 3_600_000).toISOString();
    await net.patch(`/identities/${ann}`, { roleAttributes: ['sales', 'guest'], roleAttributeGrants: { guest: { validUntil } } });
    await net.bind({ identities: ['#guest'], services: ['#internal'] });
    const { entries } = await controller.api.access.reach({ identityId: ann });
    const end = validUntil.replace(/\.\d+Z/, '.000Z');
    assert.deepEqual(
      entries.map(({ type, policies, validUntil }) => [
        type,
        policies.map(({ policy, postureChecks, validUntil }) => [policy.name, postureChecks.map(({ name }) => name), validUntil]),
        validUntil,
      ]),
      [
        ['Bind', [['policy 2', [], end]], end],
        ['Dial', [['policy 1', ['company'], undefined]], undefined],
      ],
    );
  });

  test('filters choose the identities and services that count, and a cursor of another kind is refused', async () => {
    await using app = await open();
    const { access } = app.controller.api;
    const net = network(app);
    await net.identity('ann', 'sales');
    await net.identity('ben', 'support');
    await net.service('crm', 'internal');
    await net.service('wiki', 'internal');
    await net.dial({ identities: ['#sales', '#support'], services: ['#internal'] });
    const lines = async (query: Parameters<typeof access.matrix>[0]) => (await access.matrix(query)).entries.map(lineOf);
    assert.deepEqual(await lines({ identities: 'anyOf(roleAttributes) = "sales"' }), ['ann Dial crm', 'ann Dial wiki']);
    assert.deepEqual(await lines({ services: 'name = "wiki"' }), ['ann Dial wiki', 'ben Dial wiki']);
    assert.deepEqual(await lines({ type: 'Bind' }), []);
    await assert.rejects(access.matrix({ identities: 'nonsense' }), { code: 'INVALID_FILTER' });
    await assert.rejects(access.matrix({ after: 'x' }), { code: 'COULD_NOT_VALIDATE' });
    const path = '/edge/management/extensions/v1/access/matrix?limit=1&services=name%20%3D%20%22wiki%22';
    const first = (await app.request('GET', path)).body.data;
    const second = (await app.request('GET', `${path}&after=${encodeURIComponent(first.next)}`)).body.data;
    assert.deepEqual([...first.entries, ...second.entries].map(lineOf), ['ann Dial wiki', 'ben Dial wiki']);
  });

  test('a reader sees neither entities outside a scope nor that they exist', async () => {
    await using app = await open();
    const net = network(app);
    await net.identity('ann', 'all');
    for (const team of ['a', 'b']) {
      await net.service(`service-${team}`, team, 'all');
      await app.create('/posture-checks', {
        name: `check-${team}`,
        typeId: 'DOMAIN',
        domains: ['a.example'],
        roleAttributes: [team, 'all'],
      });
    }
    await net.dial({ identities: ['#all'], services: ['#all'], checks: ['#all'] });
    const scope = { roleAttributes: ['a'] };
    const user = await app.user({
      permissions: ['identity.read', 'service-policy.read'],
      scopedPermissions: { 'service.read': scope, 'posture-check.read': scope },
    });
    const as = await user.login();
    const { text, status } = await app.request('GET', '/edge/management/extensions/v1/access/matrix', { as });
    assert.equal(status, 200, text);
    assert.ok(text.includes('service-a') && text.includes('check-a'), text);
    assert.ok(!text.includes('service-b') && !text.includes('check-b'), text);
  });
});

test('a page of identities without access ends after all pairs of the last one, whatever its services are called', async () => {
  await using app = await openApp('memory');
  const net = network(app);
  await net.service('\u{10ffff}\u{10ffff}', 'web');
  const names = Array.from({ length: 2001 }, (_, index) => `${10_000 + index}`);
  for (const [index, name] of names.entries()) await net.identity(name, index === 1999 ? 'sales' : 'other');
  await net.dial({ identities: ['#sales'], services: ['#web'] });
  const { access } = app.controller.api;
  const first = await access.matrix();
  assert.deepEqual(
    first.entries.map(({ identity }) => identity.name),
    ['11999'],
  );
  assert.ok(first.next !== undefined);
  assert.deepEqual((await access.matrix({ after: first.next })).entries, []);
});
