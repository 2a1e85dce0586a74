import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError, type Presence, type RouterConnection } from '../../src/index.ts';
import { proves } from '../specification.ts';
import { onEveryStore, openApp } from '../support/app.ts';
import { connected, ETH0, LISTENERS, OFFLINE, read, reasonOf, refusal, shownOf } from '../support/presence.ts';
import { aRouterCertificate } from '../support/routers.ts';
import { newSharedStorage } from '../support/stores.ts';
import { anyText } from '../support/texts.ts';

/** What a router might send: nothing like a report, or nearly one. */
const anything = fc.jsonValue({ maxDepth: 2 });
const nearly = (sample: Readonly<Record<string, unknown>>) =>
  fc.record(Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, fc.oneof(fc.constant(value), anything, anyText())])));
const told = fc.oneof(
  anything,
  anyText(),
  fc.record({ listeners: fc.array(nearly({ protocol: 'tls', hostname: 'r.example', port: 3022 })) }),
  nearly({ hostname: 'r.example', protocols: ['tls'], protocolPorts: ['3022'] }),
  fc.array(nearly({ ...ETH0 })),
);

onEveryStore('what routers report', (open, store) => {
  test('a router says how it is reached in either form, and the first of several listeners of a protocol counts', proves(176), async () => {
    await using app = await open();
    const { id, connection } = await connected(app);
    const told = async (hello: Parameters<RouterConnection['hello']>[0]) => {
      await connection.hello(hello);
      const { hostname, supportedProtocols } = await shownOf(app, id);
      return [hostname, supportedProtocols];
    };
    assert.deepEqual(await told({ hostname: 'old.example', protocols: ['tls', 'ws', 'wss'], protocolPorts: [1, '2', 'wss:3'] }), [
      'old.example',
      { tls: 'tls://old.example:1', ws: 'ws://old.example:2', wss: 'wss://old.example:3' },
    ]);
    const two = [{ protocol: 'tls', hostname: '2001:db8::1', port: 1 }, ...LISTENERS, { protocol: 'ws', hostname: '[::1]', port: 2 }];
    assert.deepEqual(await told({ listeners: two }), ['2001:db8::1', { tls: 'tls://[2001:db8::1]:1', ws: 'ws://[::1]:2' }]);
    assert.deepEqual(await told({ listeners: [] }), ['', {}]);
  });

  test('presence does not count as a change: only the interfaces are stored, and only when they are others', async () => {
    await using app = await open();
    const { id, certificates } = await aRouterCertificate(app);
    const user = await app.user();
    const before = await read(app, id);
    const left = await app.trail(async () => {
      const connection = await app.controller.presence.connect({ certificates });
      await connection.hello({ listeners: LISTENERS });
      await connection.identityConnected(user.id);
      connection.close();
    });
    assert.deepEqual(left, []);
    assert.deepEqual(await read(app, id), before);
    app.clock.advance('1s');
    const { addresses: _, ...bare } = ETH0;
    const connection = await app.controller.presence.connect({ certificates });
    const reports = [[ETH0], [ETH0], [{ ...ETH0, extra: 'x' }], [bare], [bare], []];
    assert.deepEqual(
      await app.trail(async () => {
        for (const report of reports) await connection.interfaces(report);
      }),
      ['update edgeRouter', 'update edgeRouter', 'update edgeRouter'],
    );
    await connection.interfaces([bare]);
    const after = await read(app, id);
    assert.deepEqual(after.interfaces, [{ ...bare, addresses: [] }]);
    assert.ok(after.updatedAt > before.updatedAt);
  });

  test('interfaces survive a restart, and presence does not', async () => {
    await using shared = newSharedStorage(store);
    const first = await openApp(store, { storage: shared.adapter() });
    const { id, connection } = await connected(first);
    await connection.hello({ listeners: LISTENERS });
    await connection.interfaces([ETH0]);
    await first.close();
    assert.equal(reasonOf(connection), 'the controller was closed');
    await using second = await openApp(store, { storage: shared.adapter() });
    assert.deepEqual([(await read(second, id)).interfaces, await shownOf(second, id)], [[ETH0], OFFLINE]);
  });

  test('what routers tell is checked like any request, and what is refused changes nothing', async () => {
    await using app = await open();
    const { id, certificates, connection } = await connected(app);
    await connection.hello({ listeners: LISTENERS });
    const before = await read(app, id);
    const listening = (fields: object) => ({ listeners: [{ ...LISTENERS[0], ...fields }] });
    const bad: readonly (readonly [report: keyof RouterConnection, told: unknown, field: string])[] = [
      ['hello', {}, 'hello.hostname'],
      ['hello', { listeners: 'x' }, 'hello.listeners'],
      ['hello', { listeners: Array(33).fill(LISTENERS[0]) }, 'hello.listeners'],
      ['hello', listening({ port: 0 }), 'hello.listeners.0.port'],
      ['hello', listening({ port: 65536 }), 'hello.listeners.0.port'],
      ['hello', listening({ port: '1' }), 'hello.listeners.0.port'],
      ['hello', listening({ protocol: '__proto__' }), 'hello.listeners.0.protocol'],
      ...['', 'a b', 'a/b', 'user@host', 'a:1', 'x'.repeat(254), 'a\n'].map(
        (hostname) => ['hello', listening({ hostname }), 'hello.listeners.0.hostname'] as const,
      ),
      ['hello', { hostname: 'h', protocols: ['tls'], protocolPorts: [] }, 'hello.protocolPorts'],
      ['hello', { hostname: 'h', protocols: ['tls'], protocolPorts: ['70000'] }, 'hello.0.port'],
      ['sync', 'SYNC_FINE', 'syncStatus'],
      ['interfaces', 'x', 'interfaces'],
      ['interfaces', Array(257).fill(ETH0), 'interfaces'],
      ['interfaces', [{ ...ETH0, name: 'a\u0000b' }], 'interfaces.0.name'],
      ['interfaces', [{ ...ETH0, name: '' }], 'interfaces.0.name'],
      ['interfaces', [{ ...ETH0, hardwareAddress: '\ud800' }], 'interfaces.0.hardwareAddress'],
      ['interfaces', [{ ...ETH0, mtu: 1.5 }], 'interfaces.0.mtu'],
      ['interfaces', [{ ...ETH0, addresses: Array(65).fill('a') }], 'interfaces.0.addresses'],
      ['interfaces', [{ ...ETH0, isUp: undefined }], 'interfaces.0.isUp'],
      ['ctrlChanListeners', { '': [] }, 'ctrlChanListeners'],
      ['ctrlChanListeners', { 'tls:a\u0000b:1': [] }, 'ctrlChanListeners'],
      ['ctrlChanListeners', { 'tls:a:1': ['\ud800'] }, 'ctrlChanListeners'],
      ['ctrlChanListeners', { 'tls:a:1': 'default' }, 'ctrlChanListeners.tls:a:1'],
      ['ctrlChanListeners', { 'tls:a:1': Array(65).fill('g') }, 'ctrlChanListeners.tls:a:1'],
      ['identityConnected', 'a\u0000', 'identityId'],
      ['identityDisconnected', 7, 'identityId'],
    ];
    const left = await app.trail(async () => {
      for (const [report, told, field] of bad)
        await assert.rejects((connection[report] as (told: unknown) => Promise<void>)(told), refusal('COULD_NOT_VALIDATE', field));
      const odd = { certificates, versionInfo: { version: 'x'.repeat(256) } };
      await assert.rejects((app.controller.presence as Presence).connect(odd), refusal('COULD_NOT_VALIDATE', 'versionInfo.version'));
    });
    assert.deepEqual([left, await read(app, id), reasonOf(connection)], [[], before, undefined]);
  });

  test('whatever comes from a router is taken or refused, and never a fault of ours', async () => {
    await using app = await open();
    const { id, connection } = await connected(app);
    const reports = ['hello', 'sync', 'interfaces', 'identityConnected', 'identityDisconnected'] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reports), told, async (report, value) => {
        const outcome = await (connection[report] as (told: unknown) => Promise<void>)(value).then(
          () => undefined,
          (error) => error,
        );
        assert.ok(outcome === undefined || (outcome instanceof ApiError && outcome.status < 500), String(outcome));
        assert.equal((await app.request('GET', `/edge-routers/${id}`)).status, 200);
      }),
      { numRuns: 150 },
    );
  });
});
