import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { costOf, counting } from '../support/counting.ts';
import { checkOf } from '../support/posture.ts';
import { type Ground, ground } from '../support/session-ends.ts';
import { begin, dialGround, isThere } from '../support/sessions.ts';
import { newHostedStorage, newStorage } from '../support/stores.ts';

const CLIENT = '/edge/client/v1';
const domain = (name: string) => ({ typeId: 'DOMAIN', id: 'any', domain: name });

/** What goes on: both sessions, one of them, or none. */
type Left = readonly ('Dial' | 'Bind')[];

const ends: readonly (readonly [change: string, left: Left, work: (ground: Ground) => Promise<unknown>])[] = [
  ['a new name of a policy', ['Dial', 'Bind'], ({ patch, dial }) => patch(`/service-policies/${dial}`, { name: 'x' })],
  ['the Dial policy deleted', ['Bind'], ({ remove, dial }) => remove(`/service-policies/${dial}`)],
  ['the Bind policy deleted', ['Dial'], ({ remove, bind }) => remove(`/service-policies/${bind}`)],
  [
    'other identities in the Dial policy',
    ['Bind'],
    ({ patch, dial }) => patch(`/service-policies/${dial}`, { identityRoles: ['#others'] }),
  ],
  ['other services in the Bind policy', ['Dial'], ({ patch, bind }) => patch(`/service-policies/${bind}`, { serviceRoles: [] })],
  ['the type of a policy changed', ['Bind'], ({ patch, dial }) => patch(`/service-policies/${dial}`, { type: 'Bind' })],
  [
    'the semantic of a policy changed',
    ['Bind'],
    async ({ patch, dial }) => {
      await patch(`/service-policies/${dial}`, { identityRoles: ['#staff', '#nobody'] });
      await patch(`/service-policies/${dial}`, { semantic: 'AllOf' });
    },
  ],
  ['the attribute of the identity gone', [], ({ patch, ann }) => patch(`/identities/${ann.id}`, { roleAttributes: [] })],
  [
    'one more attribute of the identity',
    ['Dial', 'Bind'],
    ({ patch, ann }) => patch(`/identities/${ann.id}`, { roleAttributes: ['staff', 'x'] }),
  ],
  ['the attribute of the service gone', [], ({ patch, wiki }) => patch(`/services/${wiki}`, { roleAttributes: ['other'] })],
  ['the service deleted', [], ({ remove, wiki }) => remove(`/services/${wiki}`)],
  [
    'a check that fails, in the Dial policy',
    ['Bind'],
    ({ patch, dial, check }) => patch(`/service-policies/${dial}`, { postureCheckRoles: [`@${check}`] }),
  ],
  [
    'a check that is new to the policy by its attribute',
    ['Bind'],
    async ({ app, patch, dial }) => {
      await patch(`/service-policies/${dial}`, { postureCheckRoles: ['#strict'] });
      await checkOf(app, 'strict', { typeId: 'DOMAIN', domains: ['x.test'], roleAttributes: ['strict'] });
    },
  ],
  [
    'a check that is passed, and then asks for more',
    ['Bind'],
    async ({ ann, patch, dial, check }) => {
      await ann.tell(domain('a.test'));
      await patch(`/service-policies/${dial}`, { postureCheckRoles: ['#place'] });
      await patch(`/posture-checks/${check}`, { typeId: 'DOMAIN', domains: ['b.test'] });
    },
  ],
  [
    'a check that is passed, and deleted',
    ['Dial', 'Bind'],
    async ({ ann, patch, remove, dial, check }) => {
      await ann.tell(domain('a.test'));
      await patch(`/service-policies/${dial}`, { postureCheckRoles: ['#place'] });
      await remove(`/posture-checks/${check}`);
    },
  ],
  [
    'an endpoint that tells what fails',
    ['Bind'],
    async ({ ann, patch, dial, check }) => {
      await ann.tell(domain('a.test'));
      await patch(`/service-policies/${dial}`, { postureCheckRoles: [`@${check}`] });
      await ann.tell(domain('elsewhere.test'));
    },
  ],
  [
    'the first of two Dial policies deleted',
    ['Dial', 'Bind'],
    async ({ app, remove, dial }) => {
      await app.create('/service-policies', {
        name: 'second',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#all'],
        serviceRoles: ['#all'],
      });
      await remove(`/service-policies/${dial}`);
    },
  ],
  [
    'both of two Dial policies deleted, one after the other',
    ['Bind'],
    async ({ app, remove, dial }) => {
      const roles = { identityRoles: ['#all'], serviceRoles: ['#all'] };
      const second = await app.create('/service-policies', { name: 'second', type: 'Dial', semantic: 'AnyOf', ...roles });
      await remove(`/service-policies/${dial}`);
      await remove(`/service-policies/${second}`);
    },
  ],
  ['the API session deleted', [], ({ remove, ann }) => remove(`/api-sessions/${ann.sessionId}`)],
  ['the identity deleted', [], ({ remove, ann }) => remove(`/identities/${ann.id}`)],
  [
    'the identity disabled',
    [],
    async ({ app, ann }) =>
      assert.equal((await app.request('POST', `/identities/${ann.id}/disable`, { body: { durationMinutes: 1 } })).status, 200),
  ],
  ['the client logged out', [], ({ app, ann }) => app.request('DELETE', `${CLIENT}/current-api-session`, { as: ann.as })],
];

onEveryStore('ends of sessions', (open, store) => {
  for (const [change, left, work] of ends) {
    test(`after ${change} there is ${left.join(' and ') || 'none'} left`, async () => {
      await using app = await open();
      const all = await ground(app);
      const sessions = { Dial: await begin(app, all.ann, all.wiki, 'Dial'), Bind: await begin(app, all.ann, all.wiki, 'Bind') };
      await work(all);
      const types = new Map(Object.entries(sessions).map(([type, id]) => [id, type]));
      assert.deepEqual((await app.rows('session')).map(({ id }) => types.get(id)).toSorted(), left.toSorted());
    });
  }

  test('an end is published like any change, with the change that brought it', async () => {
    await using app = await open();
    const { ann, wiki, dial } = await ground(app);
    const id = await begin(app, ann, wiki);
    const told: string[] = [];
    app.controller.events.on('session', ({ action, entityId }) => told.push(`${action} ${entityId}`));
    assert.deepEqual(await app.trail(() => app.request('DELETE', `/service-policies/${dial}`)), ['delete servicePolicy', 'delete session']);
    assert.deepEqual(told, [`delete ${id}`]);
  });

  test("a change in the host's own transaction ends sessions in it, and undoes the ends with it", async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage, settings: { roleIndexBytes: 0 } });
    const { ann, wiki, dial } = await ground(app);
    const id = await begin(app, ann, wiki);
    const changedMind = new Error('the host changed its mind');
    const work = (host: unknown) => app.controller.api.servicePolicies.delete({ id: dial }, { transaction: host });
    await assert.rejects(
      transaction(async (host) => {
        await work(host);
        throw changedMind;
      }),
      changedMind,
    );
    assert.equal(await isThere(app, ann, id), true);
    await transaction(async (host) => void (await work(host)));
    assert.equal(await isThere(app, ann, id), false);
  });

  test('a policy that no session lives by is edited at the same cost, however many sessions there are', async () => {
    const storage = counting(newStorage(store));
    await using app = await open({ storage, settings: { roleIndexBytes: 0 } });
    const { net, ann, staff } = await dialGround(app);
    await net.dial(staff);
    const other = await net.dial({ identities: ['#nobody'], services: ['#all'] });
    const costs: number[] = [];
    for (const more of [1, 12]) {
      for (let i = 0; i < more; i++) await begin(app, ann, await net.service(`${more} ${i}`, 'web'));
      costs.push(await costOf(() => app.request('PATCH', `/service-policies/${other}`, { body: { serviceRoles: [`#${more}`] } })));
    }
    assert.equal(costs[0], costs[1]);
  });
});
