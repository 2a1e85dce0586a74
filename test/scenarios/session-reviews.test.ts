import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sessionReview } from '../../src/contract/api/session-reviews.ts';
import { session } from '../../src/contract/api/sessions.ts';
import { REVIEW_BATCH_SIZE } from '../../src/identity/sessions/reviews.ts';
import { has } from '../../src/query/index.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { enrollMfa, giveCode } from '../support/mfa.ts';
import { overheard } from '../support/overheard.ts';
import { checkOf } from '../support/posture.ts';
import { assertRefused } from '../support/refusals.ts';
import { begin, dialGround, isThere } from '../support/sessions.ts';
import { newHostedStorage, newSharedStorage } from '../support/stores.ts';

type Ground = Awaited<ReturnType<typeof dialGround>>;
const FOREVER = '9999-12-31T23:59:59.999Z';
/** More than the change itself looks at, and the step that follows. */
const MANY = 2 * REVIEW_BATCH_SIZE + 100;
/** More than the change itself looks at. */
const MORE = REVIEW_BATCH_SIZE + 100;

/** So many sessions of Ann's that some policies let in: more than one client has, for one client stands for many. */
const manySessions = (app: App, { ann, wiki }: Pick<Ground, 'ann' | 'wiki'>, grantedBy: readonly string[], count = MANY) =>
  app.inStore('write', async (entities) => {
    for (let i = 0; i < count; i++)
      await entities.insert(session, {
        apiSessionId: ann.sessionId,
        identityId: ann.id,
        serviceId: wiki,
        type: 'Dial',
        grantedBy,
        grantedUntil: FOREVER,
        sealedApiSessionToken: null,
      });
  });

/** How many sessions there are by all that tells of them: lists, their totals, and each by its id. */
const seen = async (app: App, as?: string): Promise<number> => {
  const options = as === undefined ? {} : { as };
  const { data, meta } = (await app.request('GET', '/sessions?limit=500', options)).body;
  for (const { id } of data.slice(0, 3)) assert.equal((await app.request('GET', `/sessions/${id}`, options)).status, 200);
  assert.equal(Math.min(500, meta.pagination.totalCount), data.length);
  return meta.pagination.totalCount;
};

const isLeft = async (app: App): Promise<boolean> => (await app.rows('sessionReview')).length > 0;

/** Until all steps were taken; between them `look` looks on. */
const untilReviewed = async (app: App, look: () => Promise<unknown> = async () => undefined) => {
  for (let i = 0; await isLeft(app); i++) {
    assert.ok(i < 2000, 'sessions are still left to be looked at');
    await look();
    await setTimeout(1);
  }
};

onEveryStore('ends of very many sessions', (open, store) => {
  test('a change that decides nothing about access looks at no session', async () => {
    const { storage, asked } = overheard(store, 'session');
    await using app = await open({ storage });
    const { net, ann, wiki, staff } = await dialGround(app);
    await net.dial(staff);
    await begin(app, ann, wiki);
    asked.length = 0;
    for (const path of [`/identities/${ann.id}`, `/services/${wiki}`])
      assert.equal((await app.request('PATCH', path, { body: { tags: { a: '1' } } })).status, 200);
    await app.create('/identities', { name: 'new', type: 'User', isAdmin: false, roleAttributes: ['staff'] });
    assert.equal(asked.length, 0);
    await app.request('PATCH', `/identities/${ann.id}`, { body: { roleAttributes: ['staff', 'other'] } });
    assert.ok(asked.length > 0);
  });

  test('a change ends some at once and the others in steps, and nobody sees any of them meanwhile', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const policy = await net.dial(staff);
    await manySessions(app, { ann, wiki }, [policy]);
    assert.equal(await seen(app), MANY);
    const rows = await app.rows('session');
    const told: string[] = [];
    app.controller.events.on('session', ({ action, entityId }) => void (action === 'delete' && told.push(entityId)));
    await app.request('DELETE', `/service-policies/${policy}`);
    const look = async () => {
      assert.equal(await seen(app), 0);
      assert.equal(await seen(app, ann.as), 0);
      for (const { id } of [rows[0], rows.at(-1)].filter((row) => row !== undefined))
        assertRefused(await app.request('GET', `/sessions/${id}`, { as: ann.as }), 404, 'NOT_FOUND');
    };
    await look();
    await untilReviewed(app, look);
    assert.deepEqual(await app.rows('session'), []);
    const ends = (await app.rows('change')).filter(({ action, entity }) => action === 'delete' && entity === 'session');
    const ofChange = ends.filter(({ requestId }) => requestId !== 'sessions');
    assert.deepEqual([ends.length, ofChange.length], [MANY, REVIEW_BATCH_SIZE]);
    await app.controller.publish();
    assert.deepEqual(told.toSorted(), rows.map(({ id }) => id).toSorted());
  });

  test('those that keep their right by another policy continue, and are never refused to their client', async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const [first, second] = [await net.dial(staff), await net.dial(staff)];
    await manySessions(app, { ann, wiki }, [first, second], MORE);
    const last = (await app.rows('session')).at(-1)?.id;
    const look = async () => assert.equal((await app.request('GET', `/sessions/${last}`, { as: ann.as })).status, 200);
    await app.request('DELETE', `/service-policies/${first}`);
    await look();
    await untilReviewed(app, look);
    assert.equal(await seen(app), MORE);
    assert.ok((await app.rows('session')).every(({ grantedBy }) => String(grantedBy) === second));
  });

  test("after a change in the host's own transaction the steps begin when the host says that it has committed", async () => {
    const { storage, transaction } = newHostedStorage(store);
    await using app = await open({ storage });
    const { net, ann, wiki, staff } = await dialGround(app);
    const id = await net.dial(staff);
    await manySessions(app, { ann, wiki }, [id], MORE);
    await transaction(async (host) => void (await app.controller.api.servicePolicies.delete({ id }, { transaction: host })));
    assert.equal((await app.rows('session')).length, MORE - REVIEW_BATCH_SIZE);
    await app.controller.publish();
    assert.equal(await seen(app), 0);
    await untilReviewed(app);
    assert.deepEqual(await app.rows('session'), []);
  });

  /** Sessions that live by a policy that is gone, left to be looked at by a controller that is gone, too. */
  const leftBehind = async (app: App) => {
    const { ann, wiki } = await dialGround(app);
    await manySessions(app, { ann, wiki }, ['a policy that is gone'], 3);
    const sessions = has('grantedBy', 'a policy that is gone') as never; // a predicate is plain data
    await app.inStore('write', (entities) => entities.insert(sessionReview, { sessions, lastId: '', isInDoubt: true }));
  };

  test('what a controller left when it was lost, the next one does that opens', async () => {
    await using storage = newSharedStorage(store);
    {
      await using app = await open({ storage: storage.adapter() });
      await leftBehind(app);
    }
    await using app = await open({ storage: storage.adapter() });
    await untilReviewed(app);
    assert.deepEqual(await app.rows('session'), []);
  });

  test('what a controller left when it was lost, another does that comes across it', async () => {
    await using app = await open();
    await leftBehind(app);
    assert.equal((await app.rows('session')).length, 3);
    assert.equal(await seen(app), 0);
    await untilReviewed(app);
    assert.deepEqual(await app.rows('session'), []);
  });

  // Found by the model: sessions came back when a policy came to be satisfied without the code that had got too old.
  test('a session that ended with its time does not come back, whatever makes a policy pass', proves(247), async () => {
    await using app = await open();
    const { net, ann, wiki, staff } = await dialGround(app);
    const check = await checkOf(app, 'code', { typeId: 'MFA', timeoutSeconds: 60 });
    const policy = await net.dial({ ...staff, checks: [`@${check}`] });
    const { code } = await enrollMfa(app, ann.as);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => net.dial(staff),
      () => app.request('PATCH', `/service-policies/${policy}`, { body: { postureCheckRoles: [] } }),
      () => app.request('DELETE', `/posture-checks/${check}`),
    ];
    for (const change of changes) {
      const id = await begin(app, ann, wiki);
      app.clock.advance('61s');
      assert.equal(await isThere(app, ann, id), false);
      const before = new Set((await app.rows('servicePolicy')).map((row) => row.id));
      await change();
      assert.equal(await isThere(app, ann, id), false);
      assert.notEqual(await begin(app, ann, wiki), id);
      // As it was: the code is asked for, and given.
      for (const { id } of await app.rows('servicePolicy')) if (!before.has(id)) await app.request('DELETE', `/service-policies/${id}`);
      await app.request('PATCH', `/service-policies/${policy}`, { body: { postureCheckRoles: [`@${check}`] } });
      assert.equal((await giveCode(app, ann.as, code())).status, 200);
    }
  });

  test('a session continues beyond its code by a policy that came to let it in before', async () => {
    const gains: readonly ((app: App, ground: Ground, other: string, check: string) => Promise<unknown>)[] = [
      (_, { net, staff }) => net.dial(staff),
      (app, _, other) => app.request('PATCH', `/service-policies/${other}`, { body: { postureCheckRoles: [] } }),
      (app, _, __, check) => app.request('PATCH', `/posture-checks/${check}`, { body: { typeId: 'DOMAIN', domains: ['home.test'] } }),
      (app, _, __, check) => app.request('DELETE', `/posture-checks/${check}`),
      (_, { ann }) => ann.tell({ typeId: 'DOMAIN', id: 'any', domain: 'work.test' }),
    ];
    for (const gain of gains) {
      await using app = await open();
      const ground = await dialGround(app);
      const { net, ann, wiki, staff } = ground;
      const code = await checkOf(app, 'code', { typeId: 'MFA', timeoutSeconds: 60 });
      const work = await checkOf(app, 'at work', { typeId: 'DOMAIN', domains: ['work.test'] });
      await net.dial({ ...staff, checks: [`@${code}`] });
      const other = await net.dial({ ...staff, checks: [`@${work}`] });
      await ann.tell({ typeId: 'DOMAIN', id: 'any', domain: 'home.test' });
      await enrollMfa(app, ann.as);
      const id = await begin(app, ann, wiki);
      await gain(app, ground, other, work);
      app.clock.advance('61s');
      assert.equal(await isThere(app, ann, id), true, String(gain));
    }
  });
});
