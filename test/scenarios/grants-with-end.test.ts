import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { Change } from '../../src/index.ts';
import { readOnlyWhile } from '../support/altered-storage.ts';
import { type App, onEveryStore, SECRET_KEY } from '../support/app.ts';
import { assertInvalid } from '../support/refusals.ts';
import { newHostedStorage, newStorage, stores } from '../support/stores.ts';
import { three } from '../support/three-controllers.ts';
import { until as soon } from '../support/until.ts';

const START = Date.parse('2026-11-21T10:00:00.000Z');
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
const END = at(60);
const C = '/edge/client/v1';
const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** A clock whose timers never fire: no job runs. */
const withoutTimers = () => {
  let now = START;
  return {
    clock: { now: () => now, after: () => () => undefined },
    to: (time: string) => {
      now = Date.parse(time);
    },
  };
};

/** A user who may dial a service through the role attribute `contractor`. */
const network = async (app: App, user: Readonly<Record<string, unknown>> = {}, policy: Readonly<Record<string, unknown>> = {}) => {
  const serviceId = await app.create('/services', { name: 's', encryptionRequired: true });
  const roles = { identityRoles: ['#contractor'], serviceRoles: [`@${serviceId}`] };
  const policyId = await app.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', ...roles, ...policy });
  const routerId = await app.create('/edge-routers', { name: 'r' });
  await app.create('/edge-router-policies', { name: 'r', semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: [`@${routerId}`] });
  await app.create('/service-edge-router-policies', { name: 'r', semantic: 'AnyOf', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
  const ann = await app.user(user);
  return { serviceId, policyId, ann, as: await ann.login() };
};

const until = (validUntil: string, reason?: string) => ({ roleAttributeGrants: { contractor: { validUntil, ...(reason && { reason }) } } });

/** What the controller says of the access, by all that tells of it. */
const access = async (app: App, { serviceId, ann, as }: Awaited<ReturnType<typeof network>>) => {
  const total = async (path: string, options = {}) => (await app.request('GET', path, options)).body.meta.pagination.totalCount;
  const explained = await app.controller.as(app.admin).access.explain({ identityId: ann.id, serviceId });
  return {
    session: (await app.request('POST', `${C}/sessions`, { as, body: { serviceId, type: 'Dial' } })).status,
    services: await total(`${C}/services`, { as }),
    related: await total(`/identities/${ann.id}/services`),
    advice: (await app.request('GET', `/identities/${ann.id}/policy-advice/${serviceId}`)).body.data.isDialAllowed ?? false,
    explained: explained.isAllowed,
  };
};

const HELD = { session: 201, services: 1, related: 1, advice: true, explained: true };
const GONE = { session: 404, services: 0, related: 0, advice: false, explained: false };

onEveryStore('grants with an end', (open, store) => {
  test('a role attribute ends at its time, although no job runs', async () => {
    const { clock, to } = withoutTimers();
    await using app = await open({ platform: { clock }, settings: { sessionTimeoutMinutes: 600 } });
    const ground = await network(app, until(END, 'ticket 7'));
    const ofAnn = async () => (await app.request('GET', `/identities/${ground.ann.id}`)).body.data;
    to(at(59));
    assert.deepEqual(await access(app, ground), HELD);
    assert.deepEqual((await ofAnn()).roleAttributes, ['contractor']);
    to(END);
    assert.equal((await app.request('GET', '/sessions')).body.data.length, 0, 'its session is over');
    assert.deepEqual(await access(app, ground), GONE);
    const { roleAttributes, roleAttributeGrants } = await ofAnn();
    assert.equal(roleAttributes, null);
    assert.deepEqual(roleAttributeGrants, { contractor: { validUntil: END, reason: 'ticket 7' } });
    const filtered = await app.request('GET', `/identities?filter=${encodeURIComponent('anyOf(roleAttributes) = "contractor"')}`);
    assert.equal(filtered.body.data.length, 0);
    assert.deepEqual((await app.request('GET', '/identity-role-attributes')).body.data, []);
  });

  test('a service policy ends at its time, although no job runs, and takes its roles back when it is extended', async () => {
    const { clock, to } = withoutTimers();
    await using app = await open({ platform: { clock }, settings: { sessionTimeoutMinutes: 600 } });
    const ground = await network(app, { roleAttributes: ['contractor'] }, { validUntil: END, reason: 'audit' });
    const policy = `/service-policies/${ground.policyId}`;
    to(at(59));
    assert.deepEqual(await access(app, ground), HELD);
    to(END);
    assert.deepEqual(await access(app, ground), GONE);
    const ended = (await app.request('GET', policy)).body.data;
    assert.deepEqual([ended.validUntil, ended.reason, ended.endedIdentityRoles], [END, 'audit', ['#contractor']]);
    assert.equal((await app.request('PATCH', policy, { body: { validUntil: at(120) } })).status, 200);
    assert.deepEqual(await access(app, ground), HELD);
    to(at(120));
    assert.deepEqual(await access(app, ground), GONE);
  });

  test('an end that is not in the future is refused, naming the field', async () => {
    await using app = await open();
    const { policyId, ann } = await network(app);
    const refused = async (path: string, body: unknown, field: string) => assertInvalid(await app.request('PATCH', path, { body }), field);
    await refused(`/service-policies/${policyId}`, { validUntil: at(0) }, 'validUntil');
    await refused(`/identities/${ann.id}`, until(at(0)), 'roleAttributeGrants');
    assert.equal(
      (await app.request('PATCH', `/identities/${ann.id}`, { body: { roleAttributeGrants: { '#x': { validUntil: END } } } })).status,
      400,
    );
    assert.equal((await app.request('PATCH', `/identities/${ann.id}`, { body: until(END, 'x'.repeat(1001)) })).status, 400);
  });

  test('an end is announced once ahead, and recorded once as expired, at its time', async () => {
    await using app = await open({ settings: { expiryNoticeMinutes: 10, sessionTimeoutMinutes: 600 } });
    const ground = await network(app, until(END), { validUntil: at(75) });
    const rest = async () => {
      for (let i = 0; i < 20; i++) {
        await setImmediate();
        await app.settled();
      }
    };
    const events: Change[] = [];
    app.controller.events.on('change', (change) => void (change.requestId === 'grants' && events.push(change)));
    const seen = () => events.splice(0).map(({ entity, reason, actor, at: time }) => [entity, reason, actor, time]);
    await app.clock.advanceInSteps('49m', rest);
    assert.deepEqual(seen(), []);
    await app.clock.advanceInSteps('1m', rest);
    assert.deepEqual(seen(), [['identity', 'expiring', 'system', at(50)]]);
    const ofAnn = (await app.request('GET', `/identities/${ground.ann.id}`)).body.data;
    assert.deepEqual(ofAnn.announcedGrantEnds, { contractor: END });
    await app.clock.advanceInSteps('10m', rest);
    assert.deepEqual(seen(), [['identity', 'expired', 'system', END]]);
    await app.clock.advanceInSteps('5m', rest);
    assert.deepEqual(seen(), [['servicePolicy', 'expiring', 'system', at(65)]]);
    await app.clock.advanceInSteps('30m', rest);
    assert.deepEqual(seen(), [['servicePolicy', 'expired', 'system', at(75)]]);
  });

  test('a host that reads in its own transaction does not see what has ended', async () => {
    const { clock, to } = withoutTimers();
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ platform: { clock }, storage, secretKey: SECRET_KEY });
    const { ann, policyId } = await network(app, until(END), { validUntil: END });
    to(END);
    await transaction(async (host) => {
      const { roleAttributes } = await app.controller.api.identities.get({ id: ann.id }, { transaction: host });
      assert.deepEqual(roleAttributes ?? [], []);
      const policy = await app.controller.api.servicePolicies.get({ id: policyId }, { transaction: host });
      assert.deepEqual(policy.identityRoles ?? [], []);
    });
  });

  test('while the store takes no writes, what has ended is refused, not allowed', async () => {
    const { clock, to } = withoutTimers();
    let isReadOnly = false;
    const storage = readOnlyWhile(newStorage(store), () => isReadOnly);
    await using app = await open({
      platform: { clock, logger: SILENT },
      storage,
      secretKey: SECRET_KEY,
      settings: { sessionTimeoutMinutes: 600 },
    });
    const { serviceId, as } = await network(app, until(END));
    const dial = async () => (await app.request('POST', `${C}/sessions`, { as, body: { serviceId, type: 'Dial' } })).status;
    isReadOnly = true;
    to(END);
    assert.equal(await dial(), 503);
    assert.equal((await app.request('GET', `${C}/services`, { as })).status, 503);
    isReadOnly = false;
    assert.equal(await dial(), 404);
  });

  test('an end that could not be written is written some seconds later, although no call asks for it', async () => {
    let isReadOnly = false;
    const storage = readOnlyWhile(newStorage(store), () => isReadOnly);
    await using app = await open({ storage, secretKey: SECRET_KEY });
    const { ann } = await network(app, until(END));
    isReadOnly = true;
    app.clock.advance('60m');
    await soon(() => /could not end or announce grants; retrying/.test(app.log.join()));
    isReadOnly = false;
    for (let second = 0; second < 5; second++) {
      app.clock.advance('1s');
      await app.settled();
    }
    await soon(async () => (await app.rows('identity')).some(({ id, roleAttributes }) => id === ann.id && String(roleAttributes) === ''));
  });

  test('an explanation shows when and why the grants end, and what would bring back what has ended', async () => {
    const { clock, to } = withoutTimers();
    await using app = await open({ platform: { clock }, settings: { sessionTimeoutMinutes: 600 } });
    const ground = await network(app, until(END, 'ticket 7'), { validUntil: at(90), reason: 'audit' });
    const explained = () => app.controller.api.access.explain({ identityId: ground.ann.id, serviceId: ground.serviceId });
    const [policy] = (await explained()).policies;
    assert.deepEqual([policy?.validUntil, policy?.reason], [at(90), 'audit']);
    const selector = { selector: '#contractor', validUntil: END, reason: 'ticket 7' };
    assert.deepEqual(policy?.identity.selectors, [{ ...selector, isMatching: true }]);
    to(END);
    const after = await explained();
    assert.deepEqual(after.policies[0]?.identity.selectors, [{ ...selector, isMatching: false }]);
    const suggestion = after.suggestions.find(({ operationId }) => operationId === 'patchIdentity');
    const { status, text } = await app.request('PATCH', `/identities/${suggestion?.id}`, { body: suggestion?.body });
    assert.equal(status, 200, text);
    assert.equal((await explained()).isAllowed, true);
    to(at(90));
    const ended = await explained();
    assert.deepEqual([ended.isAllowed, ended.policies[0]?.validUntil], [false, at(90)]);
    assert.ok(!ended.suggestions.some(({ id }) => id === ground.policyId));
  });

  test('at every instant the decision is that of a network without the grants that have ended', async () => {
    const { clock, to } = withoutTimers();
    await using app = await open({ platform: { clock }, settings: { sessionTimeoutMinutes: 100_000 } });
    const ground = await network(app);
    let minute = 0;
    const step = fc.record({
      pass: fc.integer({ min: 0, max: 30 }),
      act: fc.constantFrom('none', 'attribute', 'policy', 'oldClient') as fc.Arbitrary<'none' | 'attribute' | 'policy' | 'oldClient'>,
      length: fc.integer({ min: 1, max: 60 }),
    });
    let [attributeEnd, policyEnd] = [-1, Number.POSITIVE_INFINITY];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        for (const { pass, act, length } of steps) {
          minute += pass;
          to(at(minute));
          if (act === 'attribute') {
            attributeEnd = minute + length;
            assert.equal((await app.request('PATCH', `/identities/${ground.ann.id}`, { body: until(at(attributeEnd)) })).status, 200);
          } else if (act === 'policy') {
            policyEnd = minute + length;
            const body = { validUntil: at(policyEnd) };
            assert.equal((await app.request('PATCH', `/service-policies/${ground.policyId}`, { body })).status, 200);
          } else if (act === 'oldClient') {
            const roles = { identityRoles: ['#contractor'], serviceRoles: [`@${ground.serviceId}`] };
            const body = { name: 'p', type: 'Dial', semantic: 'AnyOf', ...roles };
            assert.equal((await app.request('PUT', `/service-policies/${ground.policyId}`, { body })).status, 200);
          }
          const isValid = minute < attributeEnd && minute < policyEnd;
          assert.deepEqual(await access(app, ground), isValid ? HELD : GONE);
        }
      }),
      { numRuns: 15 },
    );
  });
});

for (const store of stores)
  test(`several controllers: each refuses from the end on, and one of them records it once (${store})`, async () => {
    const { clock, to } = withoutTimers();
    await using controllers = await three(store, { platform: { clock }, settings: { sessionTimeoutMinutes: 600 } });
    const [app, second, third] = controllers.apps;
    const ground = await network(app, until(END), { validUntil: at(90) });
    to(END);
    const dial = (one: App) =>
      one
        .request('POST', `${C}/sessions`, { as: ground.as, body: { serviceId: ground.serviceId, type: 'Dial' } })
        .then(({ status }) => status);
    assert.deepEqual(await Promise.all([third, second, app].map(dial)), [404, 404, 404]);
    to(at(90));
    assert.deepEqual(await access(second, ground), GONE);
    // The calls above may have read what is in effect from a view, and the end is recorded after them.
    const expired = async () => (await app.rows('change')).filter(({ reason }) => reason === 'expired').map(({ entity }) => entity);
    await soon(async () => (await expired()).length > 1);
    await Promise.all(controllers.apps.map((one) => one.settled()));
    assert.deepEqual(await expired(), ['identity', 'servicePolicy']);
  });
