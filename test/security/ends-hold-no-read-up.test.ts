/**
 * While many ended grants are being taken out of effect, reads do not wait for it, and see no ended grant: not one call, not in any list,
 * count or session.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { beforeTransactions } from '../support/altered-storage.ts';
import { type App, onEveryStore, SECRET_KEY } from '../support/app.ts';
import { newStorage, numRuns } from '../support/stores.ts';

const START = Date.parse('2026-11-21T10:00:00.000Z');
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
const until = (minutes: number) => ({ roleAttributeGrants: { contractor: { validUntil: at(minutes) } } });
const SETTINGS = { sessionTimeoutMinutes: 1_000_000 };
const C = '/edge/client/v1';

/** A clock whose timers never fire, and a store whose writes wait while it is held. */
const held = (store: string) => {
  let now = START;
  let gate: PromiseWithResolvers<void> | undefined;
  let waiting = 0;
  const storage = beforeTransactions(newStorage(store), async (mode) => {
    if (mode !== 'write' || !gate) return;
    waiting++;
    await gate.promise;
  });
  return {
    options: { storage, secretKey: SECRET_KEY, settings: SETTINGS, platform: { clock: { now: () => now, after: () => () => undefined } } },
    to: (minutes: number) => {
      now = START + minutes * 60_000;
    },
    hold: () => {
      gate = Promise.withResolvers();
      waiting = 0;
    },
    release: () => {
      gate?.resolve();
      gate = undefined;
    },
    /** Write transactions that wait. */
    get waiting() {
      return waiting;
    },
  };
};

const network = async (app: App, others: number) => {
  const serviceId = await app.create('/services', { name: 's', encryptionRequired: true });
  const roles = { identityRoles: ['#contractor'], serviceRoles: [`@${serviceId}`] };
  const policyId = await app.create('/service-policies', { name: 'p', type: 'Dial', semantic: 'AnyOf', ...roles });
  const routerId = await app.create('/edge-routers', { name: 'r' });
  await app.create('/edge-router-policies', { name: 'r', semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: [`@${routerId}`] });
  await app.create('/service-edge-router-policies', { name: 'r', semantic: 'AnyOf', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
  const ann = await app.user({ roleAttributes: ['staff'] });
  const otherIds: string[] = [];
  for (let i = 0; i < others; i++) otherIds.push(await app.create('/identities', { name: `other ${i}`, type: 'User', isAdmin: false }));
  return { serviceId, policyId, ann, otherIds, as: await ann.login() };
};
type Network = Awaited<ReturnType<typeof network>>;

const patch = async (app: App, path: string, body: unknown) => {
  const { status, text } = await app.request('PATCH', path, { body });
  assert.equal(status, 200, text);
};
const endOthers = async (app: App, { otherIds }: Network, minutes: number) => {
  for (const id of otherIds) await patch(app, `/identities/${id}`, until(minutes));
};
const dial = (app: App, { serviceId, as }: Network) => app.request('POST', `${C}/sessions`, { as, body: { serviceId, type: 'Dial' } });

/** All that reads tell of the access, without what was written when. */
const seen = async (app: App, { serviceId, policyId, ann, as }: Network) => {
  const get = async (path: string, options = {}) => {
    const answer = await app.request('GET', path, options);
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.body;
  };
  const total = async (path: string, options = {}) => (await get(path, options)).meta.pagination.totalCount;
  const filter = encodeURIComponent('anyOf(roleAttributes) = "contractor"');
  const explained = await app.controller.as(app.admin).access.explain({ identityId: ann.id, serviceId });
  return {
    roles: (await get(`/identities/${ann.id}`)).data.roleAttributes,
    policy: (await get(`/service-policies/${policyId}`)).data.identityRoles ?? [],
    services: await total(`${C}/services`, { as }),
    own: await total(`${C}/sessions`, { as }),
    sessions: await total('/sessions'),
    related: await total(`/identities/${ann.id}/services`),
    identities: await total(`/services/${serviceId}/identities`),
    selected: await total(`/service-policies/${policyId}/identities`),
    filtered: await total(`/identities?filter=${filter}`),
    page: (await get(`/identities?filter=${filter}&sort=name&limit=3&offset=1`)).data.map(({ name }: { name: string }) => name),
    attributes: (await get('/identity-role-attributes')).data,
    advice: (await get(`/identities/${ann.id}/policy-advice/${serviceId}`)).data.isDialAllowed ?? false,
    explained: explained.isAllowed,
  };
};

onEveryStore('reads while many grants end', (open, store) => {
  for (const ends of ['a role attribute', 'a service policy'] as const)
    test(`wait for no write, and see that ${ends} has ended, with its sessions`, async () => {
      const store0 = held(store);
      await using app = await open(store0.options);
      const ground = await network(app, 60);
      await endOthers(app, ground, 60);
      await patch(app, `/identities/${ground.ann.id}`, ends === 'a role attribute' ? until(60) : { roleAttributes: ['contractor'] });
      if (ends === 'a service policy') await patch(app, `/service-policies/${ground.policyId}`, { validUntil: at(60) });
      assert.equal((await dial(app, ground)).status, 201);
      const before = await seen(app, ground);
      assert.deepEqual([before.services, before.own, before.explained, before.filtered], [1, 1, true, 61]);
      store0.hold();
      store0.to(60);
      const during = await seen(app, ground);
      const gone = { services: 0, own: 0, sessions: 0, related: 0, identities: 0, selected: 0, advice: false, explained: false };
      assert.deepEqual({ ...during, ...gone }, during);
      assert.ok(store0.waiting >= 1, 'the ends are being written');
      const dialed = dial(app, ground);
      store0.release();
      assert.equal((await dialed).status, 404);
      assert.deepEqual(await seen(app, ground), during, 'as after the writes');
    });

  test('see, while those ends are written, the next grant that ends at its very time', async () => {
    const store0 = held(store);
    await using app = await open(store0.options);
    const ground = await network(app, 10);
    await endOthers(app, ground, 60);
    await patch(app, `/identities/${ground.ann.id}`, until(61));
    store0.hold();
    const explained: boolean[] = [];
    for (const minute of [60, 61]) {
      store0.to(minute);
      explained.push((await seen(app, ground)).explained);
    }
    store0.release();
    assert.deepEqual(explained, [true, false]);
  });

  test('see at every instant what they see once the ended grants are written', async () => {
    const store0 = held(store);
    await using app = await open(store0.options);
    const ground = await network(app, 10);
    let minute = 0;
    const step = fc.record({
      pass: fc.integer({ min: 1, max: 30 }),
      act: fc.constantFrom('none', 'attribute', 'policy'),
      length: fc.integer({ min: 1, max: 60 }),
    });
    let [attributeEnd, policyEnd] = [-1, Number.POSITIVE_INFINITY];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        for (const { pass, act, length } of steps) {
          await endOthers(app, ground, minute + 1);
          if (act === 'attribute') {
            attributeEnd = minute + length;
            await patch(app, `/identities/${ground.ann.id}`, until(attributeEnd));
          } else if (act === 'policy') {
            policyEnd = minute + length;
            await patch(app, `/service-policies/${ground.policyId}`, { validUntil: at(policyEnd) });
          }
          const isValid = () => minute < attributeEnd && minute < policyEnd;
          assert.equal((await dial(app, ground)).status, isValid() ? 201 : 404);
          minute += pass;
          store0.hold();
          store0.to(minute);
          const during = await seen(app, ground);
          assert.ok(store0.waiting >= 1);
          store0.release();
          assert.equal(during.explained, isValid());
          assert.equal((await dial(app, ground)).status, isValid() ? 201 : 404);
          const { own, sessions, ...after } = await seen(app, ground);
          const { own: ownBefore, sessions: before, ...rest } = during;
          assert.deepEqual(rest, after);
          if (!isValid()) assert.deepEqual([own, sessions, ownBefore, before], [0, 0, 0, 0]);
        }
      }),
      numRuns(store, 12),
    );
  });
});
