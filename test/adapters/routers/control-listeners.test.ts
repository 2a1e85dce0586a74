/**
 * Routers of the 2.x line report the addresses at which they accept control channels. The report replaces what administrators have written.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { header, helloHeader } from '../../../src/fabric/control-channel/header-fields.ts';
import { controlListeners } from '../../../src/fabric/control-channel/messages/routers.ts';
import { testNetwork } from '../../../testing/index.ts';
import { directConnection } from '../../support/control-channel/direct-router.ts';
import { groupHello } from '../../support/control-channel/underlays.ts';
import { until } from '../../support/until.ts';

interface Listener {
  readonly address: string;
  readonly groups?: readonly string[];
}

const enrolled = async () => {
  const network = await testNetwork({ platform: { logger: { error: () => undefined, warn: () => undefined, info: () => undefined } } });
  const router = await network.edgeRouter('fra1');
  await router.connect();
  router.disconnect();
  const { edgeRouters } = network.controller.api;
  const write = (listeners: Record<string, string[]>) => edgeRouters.patch({ id: router.id, body: { ctrlChanListeners: listeners } });
  const stored = async () => (await edgeRouters.get({ id: router.id })).ctrlChanListeners;
  const revision = async () => (await edgeRouters.get({ id: router.id })).updatedAt;
  const raw = (bytes: Uint8Array) =>
    directConnection(network, router, [...groupHello({ isFirst: true }), helloHeader.ctrlChanListeners.of(bytes)]);
  const report = async (listeners: readonly Listener[]) => {
    const connection = await raw(controlListeners.encode({ listeners }));
    assert.equal(connection.end, undefined);
    return connection;
  };
  const warnings = () => network.recorded.log.filter(({ message }) => message.includes('accepts control channels'));
  return { network, router, write, stored, revision, report, raw, warnings, [Symbol.asyncDispose]: () => network.close() };
};

test('a report replaces the stored addresses, and writes nothing if they are the same', async () => {
  await using at = await enrolled();
  await at.write({ 'tls:old.example:6262': ['default'] });
  const first = await at.report([{ address: 'tls:fra1.example:6262', groups: ['eu', 'default'] }, { address: 'tls:fra1.example:6263' }]);
  const reported = { 'tls:fra1.example:6262': ['eu', 'default'], 'tls:fra1.example:6263': [] };
  await until(async () => 'tls:fra1.example:6262' in ((await at.stored()) ?? {}));
  assert.deepEqual(await at.stored(), reported);
  const before = await at.revision();
  first.close();
  at.network.clock.advance('1s');
  const again = await at.report([{ address: 'tls:fra1.example:6263' }, { address: 'tls:fra1.example:6262', groups: ['eu', 'default'] }]);
  await until(async () => (await at.network.controller.api.edgeRouters.get({ id: at.router.id })).syncStatus !== 'SYNC_NEW');
  again.close();
  assert.deepEqual([await at.stored(), await at.revision()], [reported, before]);
});

test('a router that reports none keeps what administrators have written', async () => {
  await using at = await enrolled();
  await at.write({ 'tls:old.example:6262': ['default'] });
  const { end } = await directConnection(at.network, at.router, groupHello({ isFirst: true }));
  assert.deepEqual([end, await at.stored()], [undefined, { 'tls:old.example:6262': ['default'] }]);
});

test('more than 64 addresses, and texts that are not addresses, are ignored with a warning, and the router is served', async () => {
  const many = Array.from({ length: 65 }, (_, i) => ({ address: `tls:r${i}.example:6262` }));
  const groups = Array.from({ length: 65 }, (_, i) => `g${i}`);
  const wrong: readonly (readonly Listener[])[] = [
    many,
    [{ address: 'tls:fra1.example:6262', groups }],
    [{ address: '' }],
    [{ address: 'tls:fra1.example:6262', groups: [''] }],
    [{ address: 'tls:fra1\u0000.example:6262' }],
    [{ address: '__proto__', groups: ['default'] }],
  ];
  for (const listeners of wrong) {
    await using at = await enrolled();
    await at.write({ 'tls:old.example:6262': ['default'] });
    const { end } = await at.report(listeners);
    await until(() => at.warnings().length === 1);
    assert.deepEqual([end, await at.stored()], [undefined, { 'tls:old.example:6262': ['default'] }]);
  }
});

test('a report that is cut off, or has thousands of addresses, is refused with one line', async () => {
  await using at = await enrolled();
  const whole = controlListeners.encode({ listeners: [{ address: 'tls:fra1.example:6262', groups: ['default'] }] });
  const cut = await at.raw(whole.subarray(0, whole.length - 3));
  assert.deepEqual([cut.came.length, cut.came.map((frame) => header.success.in(frame))], [1, [false]]);
  const thousands = await at.raw(controlListeners.encode({ listeners: Array.from({ length: 5000 }, () => ({ address: '' })) }));
  assert.deepEqual([thousands.came.length, thousands.came.map((frame) => header.success.in(frame))], [1, [false]]);
  assert.equal(await at.stored(), undefined);
});
