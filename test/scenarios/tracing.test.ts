import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const NEVER = '0001-01-01T00:00:00.000Z';

const aDevice = (app: App, name = 'device') => app.create('/identities', { name, type: 'Device', isAdmin: false });
const put = (app: App, id: string, body: unknown) => app.request('PUT', `/identities/${id}/trace`, { body });
/** What is traced, as whoever carries data reads it. */
const traced = async (app: App) =>
  (await app.rows('trace')).map(({ identityId, traceId, until, channels }) => ({ identityId, traceId, until, channels }));

onEveryStore('tracing an identity', (open) => {
  test('tracing continues for the duration, under the id that was given or a new one', proves(8, 233, 234, 386), async () => {
    await using app = await open();
    const id = await aDevice(app);
    const { data } = (await put(app, id, { enabled: true, duration: '1h30m', traceId: 'abc', channels: ['SelectPath'] })).body;
    assert.deepEqual(data, { enabled: true, traceId: 'abc', until: '2026-11-21T11:30:00.000Z' });
    assert.deepEqual(await traced(app), [{ identityId: id, traceId: 'abc', until: data.until, channels: ['SelectPath'] }]);
    const anew = (await put(app, id, { enabled: true, duration: '90s' })).body.data;
    assert.match(anew.traceId, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    assert.deepEqual(await traced(app), [
      { identityId: id, traceId: anew.traceId, until: '2026-11-21T10:01:30.000Z', channels: ['EstablishPath', 'SelectPath'] },
    ]);
  });

  test('all channels are those of no list, an empty list, and a list with all in it', proves(233), async () => {
    await using app = await open();
    const id = await aDevice(app);
    for (const channels of [undefined, null, [], ['all'], ['x', 'all']]) {
      await put(app, id, { enabled: true, duration: '1m', channels });
      assert.deepEqual((await traced(app))[0]?.channels, ['EstablishPath', 'SelectPath']);
    }
  });

  test('tracing ends when it is not enabled, whatever else the body says', proves(233, 234), async () => {
    await using app = await open();
    const id = await aDevice(app);
    for (const body of [{ enabled: false }, { enabled: false, traceId: 'x', duration: 'junk' }, {}]) {
      await put(app, id, { enabled: true, duration: '1m' });
      assert.deepEqual((await put(app, id, body)).body.data, { enabled: false, until: NEVER });
      assert.deepEqual(await traced(app), []);
      assert.deepEqual((await put(app, id, body)).body.data, { enabled: false, until: NEVER });
    }
  });

  test('a duration is needed, and is one; wrong types cannot be read', proves(386), async () => {
    await using app = await open();
    const id = await aDevice(app);
    const left = await app.trail(async () => {
      for (const duration of [undefined, '', '10', 'soon', '1x', '5 m', '300000000h', `${'1m'.repeat(300_000)}x`])
        assertInvalid(await put(app, id, { enabled: true, duration }), 'duration');
      for (const body of [{ enabled: 'yes' }, { enabled: true, duration: 5 }, { enabled: true, duration: '1m', channels: 'all' }, []])
        assertRefused(await put(app, id, body), 400, 'COULD_NOT_PARSE_BODY');
      assertRefused(await put(app, 'nobody-at-all', { enabled: true }), 404, 'NOT_FOUND');
      assertRefused(await app.request('GET', `/identities/${id}/trace`), 405, 'METHOD_NOT_ALLOWED');
    });
    assert.deepEqual(left, []);
  });

  test('whoever carries data hears of it, and that it is over', async () => {
    await using app = await open();
    const heard: unknown[] = [];
    app.controller.events.on('trace', ({ action, entityId, after }) => heard.push([action, entityId, after?.traceId]));
    const id = await aDevice(app);
    await put(app, id, { enabled: true, duration: '1m', traceId: 'a' });
    await put(app, id, { enabled: true, duration: '1m', traceId: 'b' });
    await app.request('DELETE', `/identities/${id}`);
    assert.deepEqual(heard, [
      ['create', id, 'a'],
      ['update', id, 'b'],
      ['delete', id, undefined],
    ]);
    const other = await aDevice(app, 'another');
    await put(app, other, { enabled: true, duration: '1m' });
    app.clock.advance('2m');
    await put(app, await aDevice(app, 'a third'), { enabled: true, duration: '1m' });
    assert.deepEqual(heard.at(-2), ['delete', other, undefined], 'what is over is forgotten as others come');
  });
});
