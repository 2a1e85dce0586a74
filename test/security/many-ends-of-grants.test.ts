/**
 * Calls that find ended grants take them out of effect before they decide anything: many ends must neither slip through nor hold everybody
 * up.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore, SECRET_KEY } from '../support/app.ts';
import { integrityRun } from '../support/integrity.ts';
import { newHostedStorage, notOnPostgres } from '../support/stores.ts';
import { countTurns } from '../support/turns.ts';

const START = Date.parse('2026-11-21T10:00:00.000Z');
const END = START + 3_600_000;
const iso = (time: number): string => new Date(time).toISOString();
const settings = { sessionTimeoutMinutes: 600 };

/** A clock whose timers never fire: no job runs. */
const withoutTimers = () => {
  let now = START;
  return { clock: { now: () => now, after: () => () => undefined }, to: (time: number) => void (now = time) };
};

const person = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;

/** The change records of ends. */
const expired = async (app: App) => (await app.rows('change')).filter(({ reason }) => reason === 'expired').length;

onEveryStore('many ends of grants', (open, store) => {
  test('hold in a transaction of the host, where all of them are taken out of effect', async () => {
    const COUNT = 205;
    const { clock, to } = withoutTimers();
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ platform: { clock }, storage, secretKey: SECRET_KEY, settings });
    const { identities, servicePolicies } = app.controller.api;
    const validUntil = iso(END);
    for (let i = 0; i < COUNT; i++) {
      await identities.create({ body: { ...person(`person ${i}`), roleAttributeGrants: { contractor: { validUntil } } } });
      const roles = { identityRoles: ['#all'], serviceRoles: ['#all'] };
      await servicePolicies.create({ body: { name: `policy ${i}`, type: 'Dial', semantic: 'AnyOf', ...roles, validUntil } });
    }
    to(END);
    await transaction(async (host) => {
      const people = await identities.list({ filter: 'anyOf(roleAttributes) = "contractor"' }, { transaction: host });
      const policies = await servicePolicies.list({ filter: 'anyOf(identityRoles) = "#all"' }, { transaction: host });
      assert.deepEqual([people.pagination.totalCount, policies.pagination.totalCount], [0, 0]);
    });
  });

  test(
    'at one moment are all out of effect for reads and writes, and no call is refused for their number',
    notOnPostgres(store),
    async () => {
      const COUNT = 601;
      const { clock, to } = withoutTimers();
      await using app = await open({ platform: { clock }, settings });
      const { batch, identities } = app.controller.api;
      const roleAttributeGrants = { contractor: { validUntil: iso(END) } };
      const operations = Array.from({ length: COUNT }, (_, i) => ({
        operation: 'identities.create',
        input: { body: { ...person(`person ${i}`), roleAttributeGrants } },
      }));
      await batch.run({ body: { operations } });
      const holders = async () => (await identities.list({ filter: 'anyOf(roleAttributes) = "contractor"' })).pagination.totalCount;
      assert.equal(await holders(), COUNT);
      to(END);
      assert.equal(await holders(), 0);
      await app.create('/services', { name: 's', encryptionRequired: true });
      assert.deepEqual([await holders(), await expired(app)], [0, COUNT]);
    },
  );

  test('at one moment keep neither the audit nor the data from being verified', async () => {
    const { clock, to } = withoutTimers();
    await using app = await open({ platform: { clock }, settings });
    const roleAttributeGrants = { contractor: { validUntil: iso(END) } };
    for (let i = 0; i < 20; i++) await app.create('/identities', { ...person(`person ${i}`), roleAttributeGrants });
    to(END);
    const verified = await app.request('GET', '/edge/management/extensions/v1/audit/verify');
    assert.deepEqual([verified.status, verified.body.data?.isIntact], [200, true], verified.text);
    for (let i = 0; i < 20; i++)
      await app.create('/identities', { ...person(`later ${i}`), roleAttributeGrants: { c: { validUntil: iso(END + 60_000) } } });
    to(END + 60_000);
    const { error, results } = await integrityRun(app, 'check');
    assert.deepEqual([error, results], [null, []]);
  });

  test('at one moment leave turns to others', async () => {
    const COUNT = 300;
    const { clock, to } = withoutTimers();
    await using app = await open({ platform: { clock }, settings });
    const { identities } = app.controller.api;
    const roleAttributeGrants = { contractor: { validUntil: iso(END) } };
    for (let i = 0; i < COUNT; i++) await identities.create({ body: { ...person(`person ${i}`), roleAttributeGrants } });
    to(END);
    using others = countTurns();
    await app.create('/services', { name: 's', encryptionRequired: true });
    assert.equal(await expired(app), COUNT);
    assert.ok(others.turns >= COUNT / 20, `${others.turns} turns`);
  });

  test('of one identity: there are at most a hundred, so that one request does not cause thousands of writes later', async () => {
    await using app = await open({ settings });
    const path = `/identities/${await app.create('/identities', person('ann'))}`;
    const grantsOf = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`attribute-${i}`, { validUntil: iso(END + i * 1000) }]));
    const statusOf = async (count: number) => (await app.request('PATCH', path, { body: { roleAttributeGrants: grantsOf(count) } })).status;
    assert.deepEqual([await statusOf(101), await statusOf(100)], [400, 200]);
  });

  test('within a second are one end: calls do not wait for one write after another', async () => {
    const { clock, to } = withoutTimers();
    await using app = await open({ platform: { clock }, settings });
    for (let i = 0; i < 5; i++) {
      const ends = Array.from({ length: 50 }, (_, n) => [`attribute-${n}`, { validUntil: iso(END + i * 100 + n) }]);
      await app.create('/identities', { ...person(`person ${i}`), roleAttributeGrants: Object.fromEntries(ends) });
    }
    const policy = { name: 'policy', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] };
    const id = await app.create('/service-policies', { ...policy, validUntil: iso(END + 999) });
    assert.equal(
      (await app.request('GET', `/service-policies/${id}`)).body.data.validUntil,
      iso(END),
      'the answer shows the end that counts',
    );
    to(END - 1);
    await app.request('GET', '/services');
    assert.equal(await expired(app), 0);
    for (let time = END; time < END + 1000; time += 50) {
      to(time);
      assert.equal((await app.request('GET', '/services')).status, 200);
    }
    assert.equal(await expired(app), 6, 'one for each identity, and one for the policy');
  });
});
