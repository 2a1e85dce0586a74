import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryStore } from '../support/app.ts';
import { ann, listening } from '../support/events.ts';

onEveryStore('listeners of events', (open) => {
  test('a name that no event has is refused, with the one that was meant', async () => {
    await using app = await open();
    // The cast stands for JavaScript, in which the name is unchecked.
    for (const listen of [app.controller.events.on, app.controller.events.once])
      assert.throws(() => listen('identities' as 'identity', () => undefined), {
        name: 'TypeError',
        message: "there are no events 'identities': did you mean 'identity'?",
      });
  });

  test('a listener that throws disturbs neither the call nor the events that follow', async () => {
    await using app = await open();
    app.controller.events.on('identity', () => {
      throw new Error('a bad listener');
    });
    const second: unknown[] = [];
    app.controller.events.on('identity', ({ action }) => void second.push(action));
    const { told } = listening(app);
    const original = console.error;
    console.error = () => {}; // the logger of the tests shows errors, and these are meant to be
    const id = await app.create('/identities', ann);
    await app.request('DELETE', `/identities/${id}`);
    console.error = original;
    assert.deepEqual(told(), ['create identity', 'delete identity']);
    assert.deepEqual(second, ['create', 'delete']);
    assert.equal(app.log.filter((line) => line.includes('a bad listener')).length, 2);
  });

  test('an asynchronous listener that rejects is logged, and ends nothing, even where the logger fails', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    process.on('unhandledRejection', note);
    try {
      const lines: string[] = [];
      const logger = {
        warn: () => undefined,
        info: () => undefined,
        error: (message: string, details?: object) => {
          lines.push(`${message} ${JSON.stringify(details)}`);
          throw new Error('a bad logger');
        },
      };
      await using app = await open({ platform: { logger } });
      let heard = 0;
      app.controller.events.on('identity', async () => {
        await Promise.resolve();
        throw new Error('a bad asynchronous listener');
      });
      app.controller.events.on('change', () => heard++);
      await app.controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
      await new Promise((done) => setImmediate(done)); // when Node tells of what nobody has caught
      assert.equal(heard, 1);
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /a listener failed .*"entity":"identity".*a bad asynchronous listener/);
      assert.deepEqual(rejections, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  test('a listener may call the controller', async () => {
    await using app = await open();
    const { promise, resolve } = Promise.withResolvers<string>();
    app.controller.events.once('identity', async ({ entityId }) =>
      resolve((await app.controller.api.identities.get({ id: entityId })).name),
    );
    await app.create('/identities', ann);
    assert.equal(await promise, 'ann');
  });

  test('a listener that is taken off hears nothing more', async () => {
    await using app = await open();
    const seen: unknown[] = [];
    const note = (change: unknown) => void seen.push(change);
    app.controller.events.on('change', note);
    await app.create('/identities', ann);
    app.controller.events.off('change', note);
    await app.create('/identities', { ...ann, name: 'bob' });
    assert.equal(seen.length, 1);
  });
});
