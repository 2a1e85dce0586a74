/** Each end of a grant is a write at its time: no actor fills a minute with so many that others wait, however patiently it sets them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, App } from '../support/app.ts';
import { onEveryStore } from '../support/app.ts';
import { newSharedStorage } from '../support/stores.ts';

const END = Date.parse('2026-11-21T11:00:00.000Z');
const MAX = 250;
const MAX_OF_ADMINISTRATORS = 2500;
const iso = (time: number): string => new Date(time).toISOString();
const settings = { sessionTimeoutMinutes: 6000 };

/** `count` ends in consecutive seconds. */
const ends = (count: number, from = END) => ({
  roleAttributeGrants: Object.fromEntries(Array.from({ length: count }, (_, i) => [`a-${i}`, { validUntil: iso(from + i * 1000) }])),
});
const person = (name: string, count: number, from = END) => ({ name, type: 'User', isAdmin: false, ...ends(count, from) });
const policy = (name: string, validUntil: number) => {
  const roles = { identityRoles: ['#a'], serviceRoles: ['#b'] };
  return { name, type: 'Dial', semantic: 'AnyOf', ...roles, validUntil: iso(validUntil) };
};

const delegateOf = async (app: App) => {
  const as = await (await app.user({ permissions: ['identity', 'service-policy'] })).login();
  let serial = 0;
  return {
    as,
    post: (count: number, from?: number) =>
      app.request('POST', '/identities', { as, body: person(`${as.slice(0, 6)} ${serial++}`, count, from) }),
  };
};

/** The refusal names the field, the bound, and the first minute with room. */
const assertRefused = ({ status, body, text }: Answer, field: string, max: number, free: number) => {
  assert.deepEqual([status, body.error?.code, body.error?.cause?.field], [400, 'COULD_NOT_VALIDATE', field], text);
  assert.match(body.error.cause.reason, new RegExp(`at most ${max} ends .* next free minute is ${iso(free)}`));
};

onEveryStore('ends of grants of one actor', (open, store) => {
  test('are bounded in a minute, over all identities and policies, and leave room for others and for other minutes', async () => {
    await using app = await open({ settings });
    const [first, second] = [await delegateOf(app), await delegateOf(app)];
    for (let i = 0; i < 4; i++) assert.equal((await first.post(60)).status, 201);
    assertRefused(await first.post(11), 'roleAttributeGrants', MAX, END + 60_000);
    assert.equal((await first.post(9)).status, 201);
    assert.equal((await app.request('POST', '/service-policies', { as: first.as, body: policy('p', END + 59_999) })).status, 201);
    const more = await app.request('POST', '/service-policies', { as: first.as, body: policy('q', END) });
    assertRefused(more, 'validUntil', MAX, END + 60_000);
    assert.equal((await app.request('POST', '/service-policies', { as: first.as, body: policy('q', END - 1000) })).status, 201);
    for (let i = 0; i < 4; i++) assert.equal((await first.post(60, END + 60_000)).status, 201);
    assertRefused(await first.post(10), 'roleAttributeGrants', MAX, END + 60_000);
    assertRefused(await first.post(11), 'roleAttributeGrants', MAX, END + 120_000);
    assert.equal((await second.post(60)).status, 201);
    assert.equal((await app.request('POST', '/identities', { body: person('ann', 60) })).status, 201);
  });

  test('are counted for days, over restarts, and also those that were removed since', async () => {
    await using shared = newSharedStorage(store);
    const far = END + 5 * 24 * 3_600_000;
    let id = '';
    let as = '';
    {
      const app = await open({ storage: shared.adapter(), settings });
      const delegate = await delegateOf(app);
      ({ as } = delegate);
      for (let i = 0; i < 4; i++) assert.equal((await delegate.post(60, far)).status, 201);
      id = (await delegate.post(10, far)).body.data.id;
      assert.equal((await app.request('PATCH', `/identities/${id}`, { as, body: { roleAttributeGrants: {} } })).status, 200);
      assertRefused(await delegate.post(1, far), 'roleAttributeGrants', MAX, far + 60_000);
      app.clock.suspend('48h');
      await app.close();
    }
    await using app = await open({ storage: shared.adapter(), settings });
    assertRefused(await app.request('PATCH', `/identities/${id}`, { as, body: ends(1, far) }), 'roleAttributeGrants', MAX, far + 60_000);
  });

  test('do not count again when the same ends are written, nor when several role attributes of an identity end at once', async () => {
    await using app = await open({ settings });
    const delegate = await delegateOf(app);
    const { id } = (await delegate.post(60)).body.data;
    const atOnce = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`a-${i}`, { validUntil: iso(END), reason: 'ticket 7' }]));
    for (let i = 0; i < 10; i++) {
      const body = i % 2 === 0 ? ends(60) : { ...ends(60), roleAttributes: ['staff'] };
      assert.equal((await app.request('PATCH', `/identities/${id}`, { as: delegate.as, body })).status, 200);
    }
    const body = { roleAttributeGrants: atOnce };
    assert.equal((await app.request('PATCH', `/identities/${id}`, { as: delegate.as, body })).status, 200);
    for (let i = 0; i < 3; i++) assert.equal((await delegate.post(60)).status, 201);
  });

  test('of an administrator are bounded, too: a batch of 400 identities with 20 ends each in consecutive seconds is refused as a whole', async () => {
    await using app = await open({ settings });
    const operations = Array.from({ length: 400 }, (_, i) => ({ operation: 'identities.create', input: { body: person(`p ${i}`, 20) } }));
    const refused = await app.request('POST', '/edge/management/extensions/v1/batch', { body: { operations } });
    assertRefused(refused, 'roleAttributeGrants', MAX_OF_ADMINISTRATORS, END + 60_000);
    assert.equal(await app.count('endCount'), 0);
    const half = { operations: operations.slice(0, 125) };
    assert.equal((await app.request('POST', '/edge/management/extensions/v1/batch', { body: half })).status, 200);
  });

  test('are forgotten once they are past', async () => {
    await using app = await open({ settings });
    const delegate = await delegateOf(app);
    for (let i = 0; i < 5; i++) await delegate.post(2, END + i * 60_000 + 59_000);
    assert.equal(await app.count('endCount'), 6);
    app.clock.suspend('10h');
    for (let i = 0; i < 3; i++) await delegate.post(1, END + 100 * 3_600_000 + i * 60_000);
    assert.equal(await app.count('endCount'), 3);
  });
});
