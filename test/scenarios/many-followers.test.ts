import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { counting, tally } from '../support/counting.ts';
import { newStorage } from '../support/stores.ts';

const FOLLOW = 'https://controller.test/edge/management/extensions/v1/changes/follow';

/** A follower over HTTP, and what it has received so far. */
const follower = async (app: App, kinds: string) => {
  const gone = new AbortController();
  const request = new Request(`${FOLLOW}?kinds=${kinds}`, { headers: { 'zt-session': app.admin }, signal: gone.signal });
  const { body } = await fetchHandler(app.controller)(request);
  assert.ok(body);
  const received = { text: '' };
  const read = async () => {
    for await (const part of body.pipeThrough(new TextDecoderStream())) received.text += part;
  };
  const reading = read().catch(() => undefined);
  const leave = async () => {
    gone.abort();
    await reading;
  };
  return { received, leave };
};

/** Waits until something is so. */
const until = async (holds: () => boolean) => {
  while (!holds()) await setImmediate();
};

/** The number of times that changes were serialized during some work. */
const serializations = async (work: () => Promise<unknown>): Promise<number> => {
  const { stringify } = JSON;
  let count = 0;
  JSON.stringify = (value: unknown, ...more: never[]) => {
    if (Object.hasOwn(Object(value), 'requestId') && Object.hasOwn(Object(value), 'after')) count++;
    return stringify(value, ...more);
  };
  try {
    await work();
  } finally {
    JSON.stringify = stringify;
  }
  return count;
};

onEveryStore('many followers of the changes', (open, store) => {
  const opened = async () => {
    const storage = counting(newStorage(store));
    const own = tally();
    const app = await open({ storage, settings: { roleIndexBytes: 0, maxOpenStreamsPerIdentity: 200 } });
    /** What one write costs the store, once all followers of identities have its change. */
    const costOfWrite = async (name: string, followers: readonly Awaited<ReturnType<typeof follower>>[]) => {
      await app.settled();
      const before = own.asked();
      await own.run(() => app.controller.api.identities.create({ body: { name, type: 'User', isAdmin: false } }));
      await until(() => followers.every(({ received }) => received.text.includes(name)));
      await app.settled();
      return own.asked() - before;
    };
    /** A follower, whose questions are counted, too. */
    const followed = (kind: string) => own.run(() => follower(app, kind));
    return { app, costOfWrite, followed };
  };

  test('cost the store no more than one of them, and a change is not serialized for each', async () => {
    const { app, costOfWrite, followed } = await opened();
    await using _ = app;
    await costOfWrite('al', []);
    const alone = await costOfWrite('abe', []);
    const one = [await followed('identity')];
    for (const name of ['ann', 'adam', 'ada']) await costOfWrite(name, one);
    const cost = await costOfWrite('ben', one);
    assert.ok(cost > alone, `${cost} with a follower, ${alone} without`);
    const serialized = await serializations(() => costOfWrite('cleo', one));
    const many = [...one, ...(await Promise.all(Array.from({ length: 100 }, () => followed('identity'))))];
    await until(() => many.every(({ received }) => received.text.includes('retry')));
    await costOfWrite('dan', many);
    assert.ok((await costOfWrite('eve', many)) <= cost);
    // A few may come late to the read that the others share.
    const more = (await serializations(() => costOfWrite('fay', many))) - serialized;
    assert.ok(more <= 5, `${more} more`);
    await Promise.all(many.map(({ leave }) => leave()));
  });

  test('cost the store nothing, and learn how far they have come, while nothing of their kinds changes', async () => {
    const { app, costOfWrite, followed } = await opened();
    await using _ = app;
    await costOfWrite('ann', []);
    const cost = await costOfWrite('ben', []);
    const others = await Promise.all(Array.from({ length: 100 }, () => followed('service')));
    await until(() => others.every(({ received }) => received.text.includes('retry')));
    await costOfWrite('cleo', []);
    assert.equal(await costOfWrite('dan', []), cost);
    const newest = (await app.controller.api.changes.list({ order: 'newest', limit: 1 })).data[0]?.revision;
    await until(() => others.every(({ received }) => received.text.endsWith(`id: ${newest}\n\n`)));
    const { id } = await app.controller.api.services.create({ body: { name: 'wiki', encryptionRequired: true } });
    await until(() => others.every(({ received }) => received.text.includes(id)));
    await Promise.all(others.map(({ leave }) => leave()));
  });

  test('are each cut off when they lose their right, whoever else follows', async () => {
    const { app, costOfWrite } = await opened();
    await using _ = app;
    const { id } = await app.user({ isAdmin: true, name: 'root' });
    const [admin, other] = [app.controller.api.changes, app.controller.asIdentity(id).changes].map((changes) =>
      changes.follow({ kinds: ['identity'] })[Symbol.asyncIterator](),
    );
    const [next, refused] = [admin?.next(), other?.next()];
    await setImmediate();
    await costOfWrite('ann', []);
    assert.equal((await next)?.value?.after && Object(await next).value.after.name, 'ann');
    assert.equal(Object(await refused).value.after.name, 'ann');
    const last = other?.next();
    await app.controller.api.identities.patch({ id, body: { isAdmin: false } });
    await assert.rejects(Promise.resolve(last), { code: 'UNAUTHORIZED' });
    assert.equal(Object(await admin?.next()).value.entityId, id);
    await admin?.return?.();
  });
});
