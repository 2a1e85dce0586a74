import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionReview } from '../../src/contract/api/session-reviews.ts';
import { has } from '../../src/query/index.ts';
import { readOnlyWhile } from '../support/altered-storage.ts';
import { type App, onEveryStore, openApp } from '../support/app.ts';
import { integrityState } from '../support/integrity.ts';
import { assertRefused } from '../support/refusals.ts';
import { newSharedStorage, newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const heldUntil = async (app: App) => (await app.rows('lease')).find(({ id }) => id === 'data-integrity')?.until;
const after = (app: App, seconds: number) => new Date(app.clock.now() + seconds * 1000).toISOString();

/** A place for snapshots that keeps each of them waiting until it is let go. */
const slowPlace = () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: slow, resolve: goOn } = Promise.withResolvers<void>();
  const save = async (_: string, parts: AsyncIterable<string>) => {
    for await (const _part of parts) {
      begin();
      await slow;
    }
  };
  return { save, begun, goOn };
};

onEveryStore('heartbeats of controllers', (_, store) => {
  test('a task that takes long stays with its controller, which says so every 20 seconds', async () => {
    await using shared = newSharedStorage(store);
    const { save, begun, goOn } = slowPlace();
    await using app = await openApp(store, { storage: shared.adapter(), snapshots: { save } });
    await using other = await openApp(store, { storage: shared.adapter() });
    assert.equal((await app.request('POST', '/database/fix-data-integrity')).status, 202);
    await begun;
    const first = after(app, 60);
    assert.equal(await heldUntil(app), first);
    app.clock.advance('19999ms');
    other.clock.advance('2m');
    assert.equal(await heldUntil(app), first);
    for (let beat = 1; beat <= 6; beat++) {
      app.clock.advance(beat === 1 ? '1ms' : '20s');
      const renewed = after(app, 60);
      await until(async () => (await heldUntil(app)) === renewed);
    }
    assert.equal((await integrityState(other)).inProgress, true);
    assertRefused(await other.request('POST', '/database/check-data-integrity'), 429, 'RATE_LIMITED');
    goOn();
    await until(async () => !(await integrityState(app)).inProgress);
    assert.equal((await integrityState(app)).error, null);
  });

  test('a task whose controller is not heard of for a minute is taken over, and the first one gives it up', async () => {
    await using shared = newSharedStorage(store);
    const { save, begun, goOn } = slowPlace();
    await using lost = await openApp(store, { storage: shared.adapter(), snapshots: { save } });
    await using other = await openApp(store, { storage: shared.adapter() });
    assert.equal((await lost.request('POST', '/database/fix-data-integrity')).status, 202);
    await begun;
    other.clock.advance('59999ms');
    assertRefused(await other.request('POST', '/database/check-data-integrity'), 429, 'RATE_LIMITED');
    other.clock.advance('1ms');
    assert.equal((await other.request('POST', '/database/check-data-integrity')).status, 202);
    await until(async () => !(await integrityState(other)).inProgress);
    const ended = await integrityState(other);
    lost.clock.advance('20s');
    goOn();
    await until(async () => lost.log.some((line) => line.includes('taken over by another controller')));
    assert.deepEqual(await integrityState(other), ended, 'what the other found stays');
  });

  test('a member of a network stays online by saying so, and is offline a minute after it stopped', async () => {
    await using shared = newSharedStorage(store);
    await using app = await openApp(store, { storage: shared.adapter(), member: { name: 'one' } });
    const isOnline = async (as: App) => (await as.request('GET', '/controllers')).body.data[0].isOnline;
    for (let beat = 0; beat < 6; beat++) {
      app.clock.advance('20s');
      const renewed = after(app, 60);
      await until(async () => (await app.rows('controller'))[0]?.onlineUntil === renewed);
    }
    assert.equal(await isOnline(app), true);
    await using other = await openApp(store, { storage: shared.adapter() });
    other.clock.advance('179s');
    assert.equal(await isOnline(other), true);
    other.clock.advance('1s');
    assert.equal(await isOnline(other), false);
  });

  test('a review of sessions that fails is tried again a second later, until nothing is left', async () => {
    let [failures, failed] = [0, 0];
    const storage = readOnlyWhile(newStorage(store), () => failed < failures && ++failed > 0);
    await using app = await openApp(store, { storage });
    const sessions = has('grantedBy', 'a policy that is gone') as never; // a predicate is plain data
    await app.inStore('write', (entities) => entities.insert(sessionReview, { sessions, lastId: '', isInDoubt: true }));
    failures = 2;
    await app.controller.publish();
    const logged = () => app.log.filter((line) => line.includes('could not review the sessions')).length;
    await until(async () => logged() === 1);
    app.clock.advance('999ms');
    assert.equal(failed, 1);
    app.clock.advance('1ms');
    await until(async () => failed === 2);
    assert.equal((await app.rows('sessionReview')).length, 1);
    await until(async () => {
      app.clock.advance('1s'); // again, where it has not yet begun to wait
      return (await app.rows('sessionReview')).length === 0;
    });
    assert.equal(logged(), 1, 'the same is logged every ten seconds at most');
  });
});
