import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accessMatrix, matrixDifference } from '../support/access-matrix.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { network } from '../support/network.ts';
import { applyChange, randomChanges } from '../support/random-changes.ts';
import { numRuns } from '../support/stores.ts';

type Report = Awaited<ReturnType<App['controller']['api']['access']['compare']>>;
const lists = ['gained', 'lost', 'changed', 'routersGained', 'routersLost', 'sessions', 'circuits', 'brokenTests'] as const;

/** All pages of a report, as `list: items`. */
const wholeReport = async (read: (after?: string) => Promise<Report>) => {
  const whole = Object.fromEntries(lists.map((list) => [list, [] as unknown[]]));
  for (let page = await read(); ; page = await read(page.next)) {
    for (const list of lists) whole[list]?.push(...page[list]);
    for (const list of lists) assert.ok((whole[list]?.length ?? 0) <= page.counts[list], `${list}: more than counted`);
    if (page.next === undefined) {
      for (const list of lists) assert.equal(whole[list]?.length, page.counts[list], list);
      return whole as unknown as Pick<Report, (typeof lists)[number]>;
    }
  }
};

onEveryStore('the comparison of two revisions', (open, store) => {
  test('is the access matrix after less the one before, in pages of any size', async () => {
    await using app = await open();
    const { compare } = app.controller.api.access;
    const matrices = [await app.inStore('read', async (entities) => [await entities.revision(), await accessMatrix(entities)] as const)];
    await fc.assert(
      fc.asyncProperty(randomChanges, fc.integer({ min: 1, max: 9 }), fc.nat(), fc.nat(), async (changes, limit, one, other) => {
        const state = await app.inStore('write', async (entities) => {
          for (const change of changes) await applyChange(entities, change);
          return [await entities.revision(), await accessMatrix(entities)] as const;
        });
        matrices.push(state);
        const [[from, before], [to, after]] = [one, other]
          .map((at) => matrices[at % matrices.length] ?? state)
          .sort(([a], [b]) => a - b) as [typeof state, typeof state];
        const report = await wholeReport((cursor) => compare({ from, to, limit, ...(cursor === undefined ? {} : { after: cursor }) }));
        const lines = (['gained', 'lost', 'changed'] as const).flatMap((effect) =>
          report[effect].map(({ identity, service, type }) => `${effect} ${identity.id} ${service.id} ${type}`),
        );
        assert.deepEqual(lines.sort(), matrixDifference(before, after));
      }),
      numRuns(store, 40),
    );
  });

  test('names the policies that do it, the conditions that change, and the routers on the way', async () => {
    await using app = await open();
    const net = network(app);
    const revision = () => app.inStore('read', (entities) => entities.revision());
    const ann = await net.identity('ann', 'sales');
    await net.service('crm', 'internal');
    await net.router('edge', 'all');
    const policy = await net.dial({ identities: ['#sales'], services: ['#internal'] });
    await app.create('/posture-checks', { name: 'company', typeId: 'DOMAIN', domains: ['a.example'], roleAttributes: ['checks'] });
    const start = await revision();
    await net.patch(`/service-policies/${policy}`, { postureCheckRoles: ['#checks'] });
    await net.routersOfIdentities({ identities: ['#sales'], routers: ['#all'] });
    const middle = await revision();
    await net.patch(`/identities/${ann}`, { roleAttributes: [] });
    const { compare } = app.controller.api.access;
    const first = await compare({ from: start, to: middle });
    const { _links } = await app.controller.api.identities.get({ id: ann });
    assert.deepEqual(first.changed[0]?.identity._links, _links);
    assert.deepEqual(
      first.changed.map(({ identity, service, policies, policiesBefore = [] }) => [
        identity.name,
        service.name,
        policiesBefore.map(({ postureChecks }) => postureChecks.map(({ name }) => name)),
        policies.map(({ policy, postureChecks }) => [policy.name, postureChecks.map(({ name }) => name)]),
      ]),
      [['ann', 'crm', [[]], [['policy 1', ['company']]]]],
    );
    assert.deepEqual(
      first.routersGained.map(({ identity, router, policies }) => [identity?.name, router.name, policies.map(({ name }) => name)]),
      [['ann', 'edge', ['policy 2']]],
    );
    const second = await compare({ from: middle });
    assert.deepEqual(
      second.lost.map(({ identity, service, type, policies }) => [
        identity.name,
        service.name,
        type,
        policies.map(({ policy }) => policy.name),
      ]),
      [['ann', 'crm', 'Dial', ['policy 1']]],
    );
    assert.equal(second.counts.routersLost, 1);
    const field = (input: Parameters<typeof compare>[0]) => compare(input).catch((error) => [error.code, error.cause.field]);
    assert.deepEqual(await field({ from: middle, to: start }), ['COULD_NOT_VALIDATE', 'from']);
    assert.deepEqual(await field({ from: 0, to: 1_000_000 }), ['COULD_NOT_VALIDATE', 'to']);
  });
});
