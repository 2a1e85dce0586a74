/**
 * One router could empty the audit log in half a minute, by reporting other network interfaces again and again, or by changing its
 * terminators.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import { bindBy, HOST_KEY, KEY, tokenFor, traffic } from '../adapters/routers/traffic.ts';
import { openApp } from '../support/app.ts';
import { connected, ETH0, read, refusal } from '../support/presence.ts';
import { aRouterCertificate } from '../support/routers.ts';
import { until } from '../support/until.ts';

const { removeTerminators, updateTerminator } = messages.terminators;

/** A report of about 50,000 characters. */
const large = (i: number) => Array.from({ length: 200 }, (_, index) => ({ ...ETH0, index, name: `eth${index}-${i}` }));

describe('network interfaces that a router reports', () => {
  test('are refused if they are more than 65,536 characters', async () => {
    await using app = await openApp('memory');
    const { id, connection } = await connected(app);
    const addresses = Array.from({ length: 64 }, (_, i) => `2001:db8::${i}/64`.padEnd(255, ' '));
    await assert.rejects(connection.interfaces(Array(5).fill({ ...ETH0, addresses })), refusal('COULD_NOT_VALIDATE', 'interfaces'));
    assert.equal((await read(app, id)).interfaces, null);
    await connection.interfaces(large(0));
    assert.equal((await read(app, id)).interfaces.length, 200);
  });

  test('and change too often are stored later, the latest of them', async () => {
    await using app = await openApp('memory');
    const { id, certificates, connection } = await connected(app);
    const nameNow = async () => (await read(app, id)).interfaces[0].name;
    const changes = await app.trail(async () => {
      for (let i = 0; i < 500; i++) await connection.interfaces(large(i));
    });
    assert.ok(changes.length <= 30, `${changes.length} records`);
    // Also over another connection, and each time.
    const again = await app.controller.presence.connect({ certificates });
    for (const last of [1001, 2001]) {
      // There may be room for one.
      await again.interfaces(large(last - 2));
      const before = await nameNow();
      await again.interfaces(large(last - 1));
      await again.interfaces(large(last));
      assert.equal(await nameNow(), before);
      app.clock.advance('10m');
      await until(async () => (await nameNow()) === `eth0-${last}`);
    }
  });

  test('of one router leave room for those of others', async () => {
    await using app = await openApp('memory');
    const { connection } = await connected(app);
    for (let i = 0; i < 100; i++) await connection.interfaces(large(i));
    const other = await aRouterCertificate(app, '/edge-routers', { name: 'other' });
    const connectionOfOther = await app.controller.presence.connect({ certificates: other.certificates });
    await connectionOfOther.interfaces([ETH0]);
    assert.deepEqual((await read(app, other.id)).interfaces, [ETH0]);
  });
});

test('a router that changes its terminators again and again has to wait, and keeps its connection and its terminators', async () => {
  await using at = await traffic();
  const { controller, clock } = at.network;
  const token = await tokenFor(at.hosting, at.serviceId, 'Bind');
  const bind = (address: string, data: number) =>
    bindBy(at, address, token, {
      instanceId: 'x'.repeat(4096),
      instanceSecret: new Uint8Array(4096),
      peerData: new Map([
        [KEY, HOST_KEY],
        [2000, new Uint8Array(4000).fill(data)],
      ]),
    });
  assert.equal((await bind('terminator', 0)).result, 'success');
  let busy: Awaited<ReturnType<typeof bind>> | undefined;
  for (let i = 1; i < 3000 && !busy; i++) {
    const answer = await bind('terminator', i % 250);
    if (answer.result !== 'success') busy = answer;
  }
  assert.deepEqual([busy?.result, busy?.retryHint], ['busy', 'tooBusy']);
  assert.equal(at.router.signal.aborted, false);
  // What is unchanged, and what goes, needs no room.
  const tokens = { sessionToken: token, apiSessionToken: at.hosting.token, terminatorId: 'terminator' };
  await at.router.request(updateTerminator, { ...tokens, cost: 0, updateCost: true });
  await at.router.request(removeTerminators, { terminatorIds: ['terminator'] });
  assert.deepEqual((await controller.api.terminators.list({})).data, []);
  clock.advance('1m');
  assert.equal((await bind('terminator', 0)).result, 'success');
});
