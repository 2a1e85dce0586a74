/** A policy may name ten thousand roles, and a page has up to 500 of them: worked on in one go, such a page held up everybody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '../../src/contract/api/services.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { countTurns } from '../support/turns.ts';
import { until } from '../support/until.ts';

const POLICIES = 10;
const ROLES = 10_000;

const ground = async ({ controller }: App) => {
  for (let i = 0; i < POLICIES; i++)
    await controller.api.servicePolicies.create({
      body: {
        name: `policy ${i}`,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: Array.from({ length: ROLES }, (_, n) => `#attribute-${i}-${n}`),
        serviceRoles: ['#all'],
      },
    });
};

/** Services that the controller has not written itself. */
const insertServices = (app: App, count: number, attributesOf: (i: number) => readonly string[]) =>
  app.inStore('write', async (entities) => {
    for (let i = 0; i < count; i++)
      await entities.insert(service, {
        name: `service ${i}`,
        encryptionRequired: true,
        maxIdleTimeMillis: 0,
        terminatorStrategy: 'smartrouting',
        roleAttributes: attributesOf(i),
        configs: [],
      });
  });

onEveryStore('large rows', (open) => {
  test('others have turns while a page of policies with thousands of roles is read and shown', async () => {
    await using app = await open();
    await ground(app);
    using others = countTurns();
    const { data } = await app.controller.api.servicePolicies.list({ limit: 500 });
    assert.equal(data[0]?.identityRolesDisplay.length, ROLES);
    assert.ok(others.turns >= POLICIES / 2, `${others.turns} turns`);
  });

  test('others have turns while what such policies select is indexed', async () => {
    await using app = await open({ settings: { roleIndexBytes: 1_000_000_000 } });
    await ground(app);
    using others = countTurns();
    for (let i = 0; i < 3; i++) await app.controller.api.servicePolicies.list({ filter: 'name contains "policy"', limit: 1 });
    await until(async () => (await app.controller.statistics()).roleIndexes.servicePolicy?.rows === POLICIES);
    assert.ok(others.turns >= POLICIES, `${others.turns} turns`);
  });

  test('a snapshot comes in parts of a few of them, between which others have turns', async () => {
    const parts: string[] = [];
    const save = async (_name: string, snapshot: AsyncIterable<string>) => {
      for await (const part of snapshot) parts.push(part);
    };
    await using app = await open({ snapshots: { save } });
    await ground(app);
    using others = countTurns();
    await app.controller.api.database.createSnapshot();
    const policies = parts.filter((part) => part.includes('"kind":"servicePolicy"'));
    assert.ok(policies.length >= POLICIES / 2, `${policies.length} parts`);
    assert.ok(others.turns >= policies.length, `${others.turns} turns`);
  });

  test('what takes more memory than an index may have is not read to its end', async () => {
    await using app = await open({ settings: { roleIndexBytes: 10_000 } });
    await ground(app);
    for (let i = 0; i < 3; i++) await app.controller.api.servicePolicies.list({ filter: 'name contains "policy"', limit: 1 });
    await until(() => app.log.some((line) => line.includes('roleIndexBytes')));
    assert.deepEqual((await app.controller.statistics()).roleIndexes, {});
  });

  test('others have turns while a page of services is shown that many policies grant', async () => {
    await using app = await open();
    const [SERVICES, GRANTING] = [500, 200];
    await insertServices(app, SERVICES, (i) => [`service-${i % 50}`, `alone-${i}`]);
    for (let i = 0; i < 50; i++)
      await app.controller.api.servicePolicies.create({
        body: { name: `own ${i}`, type: 'Bind', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: [`#service-${i}`] },
      });
    for (let i = 0; i < GRANTING; i++)
      await app.controller.api.servicePolicies.create({
        body: { name: `policy ${i}`, type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] },
      });
    const session = await (await app.user()).login();
    using others = countTurns();
    const { data } = await app.controller.as(session).accessibleServices.list({ limit: 500 });
    assert.deepEqual(
      data.map(({ postureQueries }) => postureQueries?.length),
      Array(SERVICES).fill(GRANTING + 1),
    );
    assert.ok(others.turns >= 26, `${others.turns} turns`);
  });

  test('others have turns while the tokens of a page of enrollments are unsealed', async () => {
    await using app = await open();
    const ENROLLMENTS = 300;
    for (let i = 0; i < ENROLLMENTS; i++)
      await app.controller.api.identities.create({
        body: { name: `device ${i}`, type: 'Device', isAdmin: false, enrollment: { ott: true } },
      });
    using others = countTurns();
    const { data } = await app.controller.api.enrollments.list({ limit: 500 });
    assert.equal(new Set(data.map(({ token }) => token)).size, ENROLLMENTS);
    assert.ok(others.turns >= ENROLLMENTS / 50, `${others.turns} turns`);
  });

  test('others have turns between the events of large changes', async () => {
    await using app = await open();
    const [SERVICES, ATTRIBUTES] = [50, 1000];
    using others = countTurns();
    const heardAt: number[] = [];
    app.controller.events.on('service', () => heardAt.push(others.turns));
    await insertServices(app, SERVICES, (i) => Array.from({ length: ATTRIBUTES }, (_, n) => `attribute-${i}-${n}`));
    await app.controller.publish();
    await until(() => heardAt.length === SERVICES);
    const turns = (heardAt.at(-1) ?? 0) - (heardAt[0] ?? 0);
    assert.ok(turns >= 5, `${turns} turns`);
  });

  test('a page of large changes ends early, and the next one continues after its last change', async () => {
    await using app = await open();
    const [SERVICES, SIZE] = [120, 100_000];
    await insertServices(app, SERVICES, (i) => Array.from({ length: SIZE / 200 }, (_, n) => `${i}-${n}`.padEnd(200, '-')));
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let after: number | undefined; seen.length < SERVICES; ) {
      const page = await app.controller.api.changes.list({ kinds: ['service'], limit: 500, ...(after !== undefined && { after }) });
      assert.equal(page.pagination.totalCount, SERVICES - seen.length);
      seen.push(...page.data.map(({ entityId }) => entityId));
      sizes.push(page.data.length);
      after = page.data.at(-1)?.revision;
    }
    assert.equal(new Set(seen).size, SERVICES);
    assert.ok(sizes.length > 1 && sizes.every((size) => size > 0), `pages of ${sizes}`);
  });
});
